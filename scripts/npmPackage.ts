/** Packs `dist/pipewright.tgz`: the command line with its language server for `npm install`, without anything else to install. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assets, notices, root } from './build.ts';

export const tarball = path.join(root, 'dist', 'pipewright.tgz');

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly [key: string]: unknown;
}

/**
 * The tarball's manifest. The repository's own stays private, so that nobody publishes the sources by mistake; and it describes the
 * extension, whose members mean nothing to npm.
 */
function manifestFor(source: Manifest): Manifest {
  const { name, version, description, license, keywords, type, bin, engines } = source;
  return { name, version, description, license, keywords, type, bin, engines: { node: engines.node } };
}

/** Packs what `build` has made in the folder, the repository or a copy. Throws with npm's words if npm fails. */
export function packNpm(folder = root, into = tarball): void {
  const staging = path.join(folder, 'out', 'npm');
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(path.join(staging, 'dist'), { recursive: true });
  const manifest = manifestFor(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest);
  writeFileSync(path.join(staging, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const drawing = Object.keys(assets).map((name) => `dist/${name}`);
  for (const file of [
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'dist/cli.js',
    'dist/thread.js',
    'dist/rasterThread.js',
    'dist/watchdogThread.js',
    'dist/preview.js',
    'dist/preview.css',
    `dist/${notices}`,
    ...drawing,
  ])
    cpSync(path.join(folder, file), path.join(staging, file));
  // `explain` prints these pages, and hovers link to them. Their pictures are left out, as in the extension.
  cpSync(path.join(folder, 'docs'), path.join(staging, 'docs'), {
    recursive: true,
    filter: (file) => path.relative(folder, file) !== path.join('docs', 'images'),
  });
  const { status, stdout, stderr, error } = spawnSync(
    'npm',
    ['pack', '--ignore-scripts', '--loglevel=error', `--pack-destination=${path.dirname(into)}`],
    { cwd: staging, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  if (status !== 0) throw new Error(`npm pack failed:\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`);
  renameSync(path.join(path.dirname(into), `pipewright-${manifest.version}.tgz`), into);
}
