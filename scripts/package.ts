/**
 * Builds and packs `dist/pipewright.vsix` for editors and `dist/pipewright.tgz` for npm. Everything is bundled, so neither holds
 * `node_modules`.
 */
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { build, root } from './build.ts';
import { packNpm, tarball } from './npmPackage.ts';

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
    await createVSIX({
      cwd: folder,
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

if (import.meta.main) {
  await build();
  await pack();
  packNpm();
  for (const file of [vsix, tarball]) console.log(path.relative(process.cwd(), file));
}
