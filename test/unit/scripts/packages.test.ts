/** The packages as they are shipped: what `npm run package` makes, in a copy of the repository. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, notices, root } from '../../../scripts/build.ts';
import { noticesOf } from '../../../scripts/notices.ts';

let copy = '';
beforeAll(async () => {
  copy = mkdtempSync(path.join(tmpdir(), 'pipewright-packages-'));
  for (const name of [
    'package.json',
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    '.vscodeignore',
    'images',
    'grammar',
    'examples',
  ])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
  cpSync(path.join(root, 'docs'), path.join(copy, 'docs'), {
    recursive: true,
    filter: (file) => !file.endsWith('.webp') && !file.endsWith('.png'),
  });
  await build(path.join(copy, 'dist'));
  packed('first', { TZ: 'Pacific/Auckland' });
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const bytesOf = (name: string): string => readFileSync(path.join(copy, name)).toString('base64');

/** Makes both packages in a process with these variables, since a date in a zip depends on the time zone of the process. */
function packed(name: string, set: Readonly<Record<string, string>>): void {
  const script = (file: string): string => JSON.stringify(pathToFileURL(path.join(root, 'scripts', file)).href);
  const to = (type: string): string => JSON.stringify(path.join(copy, `${name}.${type}`));
  const folder = JSON.stringify(copy);
  const program = `
    import { pack } from ${script('package.ts')};
    import { packNpm } from ${script('npmPackage.ts')};
    await pack(${folder}, ${to('vsix')});
    packNpm(${folder}, ${to('tgz')});`;
  const { SOURCE_DATE_EPOCH: _, ...environment } = process.env;
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: { ...environment, ...set } });
}

test('two packages of the same files are equal byte for byte, whatever their dates and the clock', async () => {
  for (const name of ['package.json', 'dist/cli.js', 'README.md', 'dist/preview.js'])
    utimesSync(path.join(copy, name), 1_500_000_000, 1_600_000_000);
  await build(path.join(copy, 'dist'));
  packed('second', { TZ: 'UTC' });
  for (const type of ['vsix', 'tgz']) expect(bytesOf(`first.${type}`) === bytesOf(`second.${type}`), type).toBe(true);
});

test('a date that is set is the date of the files', () => {
  packed('dated', { SOURCE_DATE_EPOCH: '1700000000', TZ: 'UTC' });
  expect(bytesOf('dated.vsix') === bytesOf('first.vsix')).toBe(false);
});

/** Packages that the shipped rooms import for more than their types. */
function importedPackages(): readonly string[] {
  const rooms = ['grammar', 'engine', 'server', 'client', 'cli', 'webview'];
  const files = execFileSync('git', ['ls-files', ...rooms.map((room) => `${room}/**.ts`)], {
    cwd: root,
    encoding: 'utf8',
  });
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
  const text = readFileSync(path.join(copy, 'dist', notices), 'utf8');
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
  expect(readFileSync(path.join(copy, 'first.vsix')).includes(`extension/dist/${notices}`)).toBe(true);
  const tar = gunzipSync(readFileSync(path.join(copy, 'first.tgz')));
  expect(tar.includes(`package/dist/${notices}`)).toBe(true);
  expect(tar.includes('Mike Bostock')).toBe(true);
});

test('a package without a licence is not shipped', () => {
  const folder = path.join(copy, 'node_modules', 'bare');
  mkdirSync(folder, { recursive: true });
  const manifest = (more: object): void =>
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'bare', version: '1.0.0', ...more }));
  manifest({ license: 'MIT' });
  expect(() => noticesOf([folder])).toThrow('bare has no licence that could be shipped.');
  writeFileSync(path.join(folder, 'LICENCE.md'), 'Permission is granted.\n');
  expect(noticesOf([folder])).toContain('bare 1.0.0 (MIT): https://www.npmjs.com/package/bare\n');
  manifest({});
  expect(() => noticesOf([folder])).toThrow('bare has no licence');
});
