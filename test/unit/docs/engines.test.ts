import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Engine } from '../../../engine/engines/engine.ts';
import { engines } from '../../../engine/engines/registry.ts';
import { repository, textOf } from './pages.ts';

const page = 'docs/engines/README.md';
const fence = /<!-- engines -->\n[\s\S]*?<!-- end -->/;

const rowsOf = ({ rows }: Engine): readonly string[] =>
  rows.map(({ key, runs, source }) => `- \`${key}\`: ${runs} Source: ${source.replaceAll('_', '\\_')}`);

const linkTo = ({ title }: Engine): string => `[${title}](#${title.toLowerCase()})`;

/** An engine that is built on an earlier one has most of its rows: the page says which it lacks, and the others. */
function listOf(engine: Engine): readonly string[] {
  const rows = rowsOf(engine);
  const earlier = engines.slice(0, engines.indexOf(engine));
  const isShared = (row: string, other: Engine): boolean => rowsOf(other).includes(row);
  const base = earlier.find((other) => rows.filter((row) => isShared(row, other)).length > rows.length / 2);
  if (base !== undefined) {
    const lacks = base.rows.filter((_, index) => !rows.includes(rowsOf(base)[index]));
    return [
      `What it runs, by key: all of ${linkTo(base)} but ${lacks.map(({ runs }) => runs.split(/[;.]/)[0]).join(', ')}. Also:`,
      '',
      ...rows.filter((row) => !isShared(row, base)),
    ];
  }
  return [
    'What it runs, by key:',
    '',
    ...rows.map((row, index) => {
      const other = earlier.find((candidate) => isShared(row, candidate));
      return other === undefined ? row : `- \`${engine.rows[index]?.key}\`: as ${linkTo(other)}`;
    }),
  ];
}

const tableOf = (engine: Engine): string =>
  [
    `## ${engine.title}`,
    '',
    `\`engine = ${engine.name}\`: ${engine.doc} Read in ${engine.read}.`,
    '',
    ...listOf(engine),
    '',
  ].join('\n');

const tables = `<!-- engines -->\n\n${engines.map(tableOf).join('\n')}\n<!-- end -->`;

// `UPDATE_ENGINES=1 vitest run test/unit/docs/engines.test.ts` writes them anew.
if (process.env['UPDATE_ENGINES'] === '1')
  writeFileSync(
    join(repository, page),
    textOf(page).replace(fence, () => tables),
  );

test('the page of the engines has a list of each, from the rules themselves', () => {
  expect(fence.exec(textOf(page))?.[0]).toBe(tables);
});
