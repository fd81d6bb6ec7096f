/**
 * Builds and packs `dist/pipewright.vsix` for editors and `dist/pipewright.tgz` for npm. Everything is bundled, so neither holds
 * `node_modules`.
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { build, root } from './build.ts';
import { packNpm, tarball } from './npmPackage.ts';
import { inlinePictures, mendPages, picturesNextToPages } from './packedPages.ts';

export const vsix = path.join(root, 'dist', 'pipewright.vsix');

/** The date that npm gives to the files of every package: two packages of the same files are equal byte for byte. */
const date = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/** Packs the extension in the folder, the repository or a copy, from what `build` has made there. */
export async function pack(folder = root, packagePath = vsix): Promise<void> {
  const log = console.log;
  const { SOURCE_DATE_EPOCH: given } = process.env;
  const seconds = given === undefined ? date : Number(given);
  // It lists every file; a failure is an exception all the same.
  console.log = () => undefined;
  // A zip holds local times.
  process.env['SOURCE_DATE_EPOCH'] = String(seconds + new Date(seconds * 1000).getTimezoneOffset() * 60);
  try {
    const staging = staged(folder);
    await createVSIX({
      cwd: staging,
      packagePath,
      dependencies: false,
      allowMissingRepository: true,
      rewriteRelativeLinks: false,
      skipLicense: false,
    });
  } finally {
    console.log = log;
    if (given === undefined) delete process.env['SOURCE_DATE_EPOCH'];
    else process.env['SOURCE_DATE_EPOCH'] = given;
  }
}

/**
 * Files of the extension, by their paths in the folder: what `.vscodeignore` takes back, which first leaves out all. `vsce` would
 * compare the name of every file in the folder with dozens of patterns.
 */
export function extensionFiles(folder: string): readonly string[] {
  const [all, ...lines] = readFileSync(path.join(folder, '.vscodeignore'), 'utf8').trim().split('\n');
  if (all !== '**' || lines.some((line) => !line.startsWith('!')))
    throw new Error('.vscodeignore must leave out everything, and then take files back.');
  const patterns = lines.map((line) => line.slice(1));
  return globSync(patterns, { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
}

/** A folder with the files of the extension alone, and with its pages mended. */
function staged(folder: string): string {
  const staging = path.join(folder, 'out', 'vsix');
  rmSync(staging, { recursive: true, force: true });
  for (const file of extensionFiles(folder)) cpSync(path.join(folder, file), path.join(staging, file));
  // All of it is wanted.
  writeFileSync(path.join(staging, '.vscodeignore'), '');
  // The page of the extension is for its users; the page of the repository is for readers of the source.
  const page = readFileSync(path.join(folder, 'client', 'README.md'), 'utf8').replaceAll('](../', '](');
  writeFileSync(path.join(staging, 'README.md'), page);
  inlinePictures(path.join(staging, 'README.md'), folder);
  mendPages(staging);
  picturesNextToPages(path.join(staging, 'docs'));
  return staging;
}

if (import.meta.main) {
  await build();
  await pack();
  packNpm();
  for (const file of [vsix, tarball]) console.log(path.relative(process.cwd(), file));
}
