import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Engine } from '../../../engine/engines/engine.ts';
import { engines } from '../../../engine/engines/registry.ts';
import { repository, textOf } from './pages.ts';

const page = 'docs/engines/README.md';
const fence = /<!-- engines -->\n[\s\S]*?<!-- end -->/;

const tableOf = ({ name, title, doc, read, rows }: Engine): string =>
  [
    `## ${title}`,
    '',
    `\`engine = ${name}\`: ${doc} Read in ${read}.`,
    '',
    '| key | what it runs | source |',
    '| --- | --- | --- |',
    ...rows.map(({ key, runs, source }) => `| \`${key}\` | ${runs} | ${source.replaceAll('_', '\\_')} |`),
    '',
  ].join('\n');

const tables = `<!-- engines -->\n\n${engines.map(tableOf).join('\n')}\n<!-- end -->`;

// `UPDATE_ENGINES=1 vitest run test/unit/docs/engines.test.ts` writes them anew.
if (process.env['UPDATE_ENGINES'] === '1')
  writeFileSync(
    join(repository, page),
    textOf(page).replace(fence, () => tables),
  );

test('the page of the engines has a table of each, from the rules themselves', () => {
  expect(fence.exec(textOf(page))?.[0]).toBe(tables);
});
