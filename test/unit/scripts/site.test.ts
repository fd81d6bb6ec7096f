import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { policies } from '../../../engine/policies/registry.ts';
import { examplesIn } from '../../../scripts/playground/examples.ts';
import { allFiles } from '../../../scripts/site/files.ts';
import { movedPages } from '../../../scripts/site/moved.ts';
import { readAddress } from '../../../platform/browser/playground/address.ts';
import { linkedPictures, placeOf, sitePages } from '../../../scripts/site/pages.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const pages = await sitePages(read, allFiles(root));

const withoutCode = (text: string): string =>
  text.replaceAll(/^ *(`{3,})[^]*?^ *\1 *$/gm, '').replaceAll(/`[^`\n]*`/g, '');

test('every link of the site leads to a page or a picture of it', () => {
  const dead = [...pages].flatMap(([page, text]) =>
    [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target.split('#')[0])
      .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
      .map((target) => path.posix.join(path.posix.dirname(page), target))
      .filter(
        (target) =>
          !pages.has(target) && !existsSync(path.join(root, 'docs', target)) && !existsSync(path.join(root, target)),
      )
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

test('pictures that pages link to are found, and no others', () => {
  const linked = linkedPictures(['[a](./images/a.webp) ![b](./images/b.webp)', '[c](../images/deep/c.svg) [d](d.md)']);
  expect([...linked]).toEqual(['images/a.webp', 'images/deep/c.svg']);
  const ours = linkedPictures(pages.values());
  expect(ours.size).toBeGreaterThan(0);
  for (const picture of ours) expect(existsSync(path.join(root, 'docs', picture)), picture).toBe(true);
});

test('every page and example is on the site, and section pages are its folders', () => {
  const files = new Set(allFiles(root));
  const places = [...files].map((file) => placeOf(file, files));
  expect(places).not.toContain(undefined);
  for (const place of ['index.md', 'look-up/index.md', 'look-up/glossary.md', 'examples/quickstart.md'])
    expect(pages.has(place), place).toBe(true);
});

test('every example opens in the playground of the site, which has its text', async () => {
  const examples = examplesIn(root).filter(({ name }) => name.endsWith('.pipe'));
  expect(examples.length).toBeGreaterThan(90);
  for (const { name, text } of examples) {
    const page = `examples/${name.replace(/\.pipe$/, '.md')}`;
    const [, target = '', hash = ''] = /<a href="([^"#]*)(#[^"]*)" target="_self">/.exec(pages.get(page) ?? '') ?? [];
    expect(path.posix.join(path.posix.dirname(page), target), page).toBe('playground/index.html');
    expect(await readAddress(hash), page).toEqual({ example: name });
    expect(text, name).toBe(read(`examples/${name}`).replaceAll('\r\n', '\n'));
  }
});

test('whole files of pages open in the playground, and files that grow as they are then', async () => {
  const tried = async (page: string): Promise<readonly { name: string; text: string }[]> => {
    const links = [...(pages.get(page) ?? '').matchAll(/<a class="try" href="([^"#]*)(#[^"]*)"/g)];
    for (const [, target] of links)
      expect(path.posix.join(path.posix.dirname(page), target), page).toBe('playground/index.html');
    return Promise.all(links.map(async ([, , hash]) => (await readAddress(hash)) as { name: string; text: string }));
  };
  const blocks = (text: string): readonly string[] =>
    [...text.matchAll(/^```pipe(?: fixed)?\n([^]*?)^```$/gm)].map(([, body]) => body);
  for (const page of ['diagnostics/comm/exposed', 'look-up/cheat-sheet', 'communication/README']) {
    const found = await tried(`${page.replace('README', 'index')}.md`);
    expect(found.length).toBeGreaterThan(0);
    expect(found.map(({ text }) => text)).toEqual(blocks(read(`docs/${page}.md`)));
  }
  const lesson = await tried('learn/first-15-minutes.md');
  expect(lesson.at(-1)?.name).toBe('first.pipe');
  for (const word of ['model toy', 'memory = 16GiB', 'microbatches = m', 'expect train'])
    expect(lesson.at(-1)?.text).toContain(word);
});

test('fences have their language alone, and nothing is a template', () => {
  for (const [page, text] of pages) {
    expect(text, page).not.toMatch(/^ *`{3,}[\w-]+[^\w\n-]/m);
    expect(withoutCode(text), page).not.toContain('{{');
  }
});

test('the site has separate packages with exact versions', () => {
  const { devDependencies } = JSON.parse(read('site/package.json')) as { devDependencies: Record<string, string> };
  for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(readdirSync(path.join(root, 'site'))).toContain('package-lock.json');
});

test('every policy has an address of its name, and those without a page lead to it', () => {
  const moved = movedPages();
  for (const { name } of policies)
    expect(
      [pages, moved].filter((of) => of.has(`schedules/${name}.md`)),
      name,
    ).toHaveLength(1);
  for (const [address, text] of moved) {
    const [, page = '', anchor = ''] = /url=(\S+)\.html#(\S+)/.exec(text) ?? [];
    const headings = [...(pages.get(`schedules/${page}.md`) ?? '').matchAll(/^#+ (.+)$/gm)];
    expect(
      headings.map(([, heading]) => heading.toLowerCase().replaceAll(' ', '-')),
      address,
    ).toContain(anchor);
  }
});
