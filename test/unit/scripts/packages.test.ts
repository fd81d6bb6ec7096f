/** The packages as they are shipped: what `npm run package` makes, in a copy of the repository. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, notices, root } from '../../../scripts/build.ts';
import { budgets } from '../../../scripts/budgets.ts';
import { noticesOf } from '../../../scripts/notices.ts';
import { extensionFiles } from '../../../scripts/package.ts';
import { mendedPage } from '../../../scripts/packedPages.ts';

let folder = '';
const inFolder = (...names: readonly string[]): string => path.join(folder, ...names);
/** What is packed for npm, and for editors: of pages and examples a few, since `vsce` reads each name and each file many times. */
const forNpm = (): string => inFolder('npm');
const forEditors = (): string => inFolder('editors');
const both = ['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', path.join('client', 'README.md')];
const fewPages = ['do', 'language.md', 'preview.md', 'walkthrough', path.join('images', 'editor.png')];

function copied(to: string, names: readonly string[]): void {
  for (const name of names)
    cpSync(path.join(root, name), path.join(to, name), {
      recursive: true,
      filter: (file) => !file.endsWith('.webp') && (!file.endsWith('.png') || /(?:editor|icon)\.png$/.test(file)),
    });
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pipewright-packages-'));
  copied(forNpm(), [...both, 'docs', 'examples']);
  const pages = fewPages.map((name) => path.join('docs', name));
  copied(forEditors(), [...both, '.vscodeignore', 'images', 'grammar', path.join('examples', 'systems'), ...pages]);
  await build(inFolder('built'));
  await build(inFolder('built-again'));
  packed();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytesOf = (name: string): string => readFileSync(inFolder(name)).toString('base64');

/**
 * Makes all packages, in a process of their own, since a date in a zip depends on the time zone of the process: `first`, `second` of
 * another build, with other dates and another clock, and `dated`.
 */
function packed(): void {
  const script = (file: string): string => JSON.stringify(pathToFileURL(path.join(root, 'scripts', file)).href);
  const program = `
    import { cpSync, readdirSync, utimesSync } from 'node:fs';
    import { pack } from ${script('package.ts')};
    import { packNpm } from ${script('npmPackage.ts')};
    const [editors, npm] = ${JSON.stringify([forEditors(), forNpm()])};
    process.chdir(${JSON.stringify(folder)});
    async function both(name, built, TZ, date) {
      process.env.TZ = TZ;
      for (const from of [editors, npm]) {
        cpSync(built, from + '/dist', { recursive: true });
        for (const file of date === undefined ? [] : ['package.json', 'README.md', 'dist/cli.js', 'dist/preview.js'])
          utimesSync(from + '/' + file, date, date + 100_000_000);
      }
      await pack(editors, name + '.vsix');
      packNpm(npm, process.cwd() + '/' + name + '.tgz');
    }
    await both('first', 'built', 'Pacific/Auckland');
    await both('second', 'built-again', 'UTC', 1_500_000_000);
    process.env.SOURCE_DATE_EPOCH = '1700000000';
    await pack(editors, 'dated.vsix');`;
  const { SOURCE_DATE_EPOCH: _, ...env } = process.env;
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { env });
}

test('two packages of the same files are equal byte for byte, whatever their dates and the clock', () => {
  for (const type of ['vsix', 'tgz']) expect(bytesOf(`first.${type}`) === bytesOf(`second.${type}`), type).toBe(true);
});

/** Relative targets of links and pictures in the pages of a staged package, outside code, which the package does not have. */
function deadLinks(folder: string, least: number): readonly string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(least);
  return pages.flatMap((page) => {
    const text = readFileSync(path.join(folder, page), 'utf8').replace(/```[^]*?```|`[^`\n]*`/g, '');
    const targets = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, target]) => target);
    return targets.filter(
      (target) => !/^[a-z]+:/.test(target) && !existsSync(path.join(folder, path.dirname(page), target)),
    );
  });
}

test('no link in a package leads nowhere, and the page of the extension has its picture', () => {
  const extension = path.join(forEditors(), 'out', 'vsix');
  expect(deadLinks(extension, 15)).toEqual([]);
  expect(deadLinks(path.join(forNpm(), 'out', 'npm'), 100)).toEqual([]);
  const readme = readFileSync(path.join(extension, 'README.md'), 'utf8');
  expect(readme).toMatch(/!\[A \.pipe file[^\]]*\]\(data:image\/png;base64,iVBOR/);
  // Users have no sources, and a page of the marketplace opens no file of the package.
  expect(readme).not.toMatch(/npm (start|test)|\]\((?!data:)/);
  expect(readFileSync(path.join(forNpm(), 'out', 'npm', 'package.json'), 'utf8')).not.toContain('undefined');
  expect(existsSync(path.join(forNpm(), 'out', 'npm', 'docs', 'contribute'))).toBe(false);
});

test('a page loses only the pictures and links that lead nowhere', () => {
  const has = (target: string): boolean => target === 'there.md';
  const page = [
    'One [link](there.md#part), [another](gone.md), [the web](https://example.com) and [a part](#part).',
    '',
    '![A picture](gone.webp)',
    '',
    'Code: `[x](gone.md)`.',
    '',
    '```',
    '![x](gone.webp)',
    '```',
    '',
  ];
  expect(mendedPage(page.join('\n'), has).split('\n')).toEqual([
    'One [link](there.md#part), another, [the web](https://example.com) and [a part](#part).',
    ...page.slice(3),
  ]);
  expect(mendedPage('[whole](there.md)\n\n\n\n', has)).toBe('[whole](there.md)\n\n\n\n');
});

test('a date that is set is the date of the files', () => {
  expect(bytesOf('dated.vsix') === bytesOf('first.vsix')).toBe(false);
});

const sizeOf = (name: string): number => statSync(name).size;
const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

/** Of the whole extension: what is packed here, and the pages and examples that are not. */
function wholeVsix(): number {
  const packed = new Set(extensionFiles(forEditors()));
  const rest = extensionFiles(root).filter((name) => !packed.has(name) && !name.startsWith('dist/'));
  expect(rest.length).toBeGreaterThan(100);
  // A zip has a name and some numbers for each file, twice.
  const entry = (name: string): number =>
    deflateRawSync(readFileSync(path.join(root, name))).length + 2 * name.length + 120;
  return sizeOf(inFolder('first.vsix')) + sum(rest.map(entry));
}

test('no package grows above its budget', () => {
  const staged = inFolder('npm', 'out', 'npm');
  const installed = readdirSync(staged, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(staged, name))
    .filter((name) => statSync(name).isFile());
  const sizes = { vsix: wholeVsix(), tgz: sizeOf(inFolder('first.tgz')), installed: sum(installed.map(sizeOf)) };
  for (const [name, size] of Object.entries(sizes)) {
    const budget = budgets[name as keyof typeof sizes];
    expect(size, name).toBeLessThanOrEqual(budget);
    // Less would mean that parts are missing.
    expect(size, name).toBeGreaterThan(budget / 2);
  }
});

/** Packages that the shipped rooms import for more than their types. A playground is in neither package, and has its own licences. */
function importedPackages(): readonly string[] {
  const rooms = ['grammar', 'engine', 'platform', 'server', 'client', 'cli', 'webview'];
  const files = execFileSync(
    'git',
    ['ls-files', ...rooms.map((room) => `${room}/**.ts`), ':!platform/browser/playground'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const found = files
    .trim()
    .split('\n')
    .flatMap((file) => [
      ...readFileSync(path.join(root, file), 'utf8').matchAll(
        /^import (?!type )[^;]*?from '((?:@[\w-]+\/)?[\w-]+)(?:\/[\w./-]+)?';/gm,
      ),
    ])
    .map(([, name]) => name);
  return [...new Set(found)].filter((name) => name !== 'vscode' && name !== 'node').toSorted();
}

test('every package whose code is shipped has its licence in both packages', () => {
  const text = readFileSync(inFolder('built', notices), 'utf8');
  const named = [...text.matchAll(/^(\S+) \d+\.\d+\.\d+ \(/gm)].map(([, name]) => name);
  const imported = importedPackages();
  expect(imported).toEqual(expect.arrayContaining(['chevrotain', 'd3-zoom', 'vscode-languageclient', 'yaml']));
  // Others come with these, or lie beside the bundles.
  const more = ['@chevrotain/utils', '@microsoft/fast-element', 'd3-color', 'semver', 'tslib', 'dejavu-fonts-ttf'];
  expect([...imported, ...more].filter((name) => !named.includes(name))).toEqual([]);
  // Packages that only build or test are in neither.
  expect(named.filter((name) => ['esbuild', 'vitest', 'typescript', 'knip', 'fast-check'].includes(name))).toEqual([]);
  for (const words of ['Mozilla Public License', 'Apache License', 'Mike Bostock', 'Eemeli Aro', 'Bitstream Vera'])
    expect(text.includes(words), words).toBe(true);
  expect(readFileSync(inFolder('first.vsix')).includes(`extension/dist/${notices}`)).toBe(true);
  const tar = gunzipSync(readFileSync(inFolder('first.tgz')));
  expect(tar.includes(`package/dist/${notices}`)).toBe(true);
  expect(tar.includes('Mike Bostock')).toBe(true);
});

test('a package without a licence is not shipped', () => {
  const bare = inFolder('node_modules', 'bare');
  mkdirSync(bare, { recursive: true });
  const manifest = (more: object): void =>
    writeFileSync(path.join(bare, 'package.json'), JSON.stringify({ name: 'bare', version: '1.0.0', ...more }));
  manifest({ license: 'MIT' });
  expect(() => noticesOf([bare])).toThrow('bare has no licence that could be shipped.');
  writeFileSync(path.join(bare, 'LICENCE.md'), 'Permission is granted.\n');
  expect(noticesOf([bare])).toContain('bare 1.0.0 (MIT): https://www.npmjs.com/package/bare\n');
  manifest({});
  expect(() => noticesOf([bare])).toThrow('bare has no licence');
});
