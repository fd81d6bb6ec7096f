import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../../cli/commands/index.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { note } from '../../../scripts/docs/generated.ts';
import { parse } from '../../../grammar/index.ts';
import { blocks, exists, pages, repository, textOf } from './pages.ts';

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
const headings = (page: string) => [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slug(heading));

/** Without what is made from code, where two things may have one text. */
const byHand = (text: string): string =>
  text.trimEnd().endsWith(note) ? '' : text.replaceAll(/<!-- generated: [^]*?<!-- end -->/g, '');

describe.each([...pages])('%s', (page) => {
  test('links to pages and headings that exist', () => {
    const text = textOf(page).replaceAll(/^```[^]*?^```$/gm, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link)
      .filter((link) => !/^https?:/.test(link));
    for (const link of links) {
      const [path, anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      expect(exists(target), link).toBe(true);
      if (anchor !== undefined) expect(headings(target), link).toContain(anchor);
    }
  });

  test('says nothing twice', () => {
    const lines = byHand(textOf(page))
      .replaceAll(/^```[^]*?^```$/gm, '')
      .split('\n')
      .filter((line) => line.length > 60 && !line.startsWith('|'));
    expect(lines.filter((line, at) => lines.indexOf(line) < at)).toEqual([]);
  });

  test('shows files without syntax errors', () => {
    for (const text of blocks(textOf(page), page.startsWith('docs/diagnostics/') ? 'pipe fixed' : 'pipe'))
      expect(parse(text).errors).toEqual([]);
  });
});

/** Half a page: the tables are on pages of the reference. */
const mostWords = 500;
test.each(pages.filter((page) => page.startsWith('docs/understand/')))('%s is half a page', (page) => {
  expect(textOf(page).split(/\s+/).length).toBeLessThan(mostWords);
});

test.each(pages.filter((page) => page.startsWith('docs/schedules/')))('%s says once when to use it', (page) => {
  expect((textOf(page).match(/^Use it (?:if|where) /gm) ?? []).length).toBeLessThan(2);
});

test('each policy has a page with a heading of its name', () => {
  for (const { name, page } of policies) expect(headings(`docs/schedules/${page}.md`)).toContain(name);
});

test('the command line page names every command and format', () => {
  const page = textOf('docs/cli.md');
  for (const { spec } of commands) {
    expect(page).toContain(`\`${spec.name}`);
    for (const option of spec.options)
      for (const choice of option.choices ?? []) expect(page).toContain(`\`${choice}\``);
  }
});

test('the dependencies page lists every package at its exact version', () => {
  const rows = [...textOf('docs/contribute/dependencies.md').matchAll(/^\| `(.+)` \| (\S+) \| (.+) \|$/gm)];
  const manifest = JSON.parse(textOf('package.json'));
  const declared = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
  expect(Object.fromEntries(rows.map(([, name, version]) => [name, version]))).toEqual(declared);
});

test('the page of examples lists every file', () => {
  const files = readdirSync(join(repository, 'examples')).filter((name) => name.endsWith('.pipe'));
  const rows = [...textOf('examples/README.md').matchAll(/^\| \[`(.+)`\]\(\1\) \| .+ \|$/gm)].map(([, name]) => name);
  expect(rows.toSorted()).toEqual(files.toSorted());
});
