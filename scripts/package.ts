/**
 * Builds and packs `dist/pipewright.vsix` for editors and `dist/pipewright.tgz` for npm. Everything is bundled, so neither holds
 * `node_modules`.
 */
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { build, root } from './build.ts';
import { packNpm, tarball } from './npmPackage.ts';

export const vsix = path.join(root, 'dist', 'pipewright.vsix');

/** Packs the extension from what `build` has made. */
export async function pack(): Promise<void> {
  const log = console.log;
  // It lists every file; a failure is an exception all the same.
  console.log = () => undefined;
  try {
    await createVSIX({
      cwd: root,
      packagePath: vsix,
      dependencies: false,
      allowMissingRepository: true,
      rewriteRelativeLinks: false,
      skipLicense: false,
    });
  } finally {
    console.log = log;
  }
}

if (import.meta.main) {
  await build();
  await pack();
  packNpm();
  for (const file of [vsix, tarball]) console.log(path.relative(process.cwd(), file));
}
