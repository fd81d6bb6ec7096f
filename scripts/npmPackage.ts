/** Packs `dist/pipewright.tgz`: the command line with its language server for `npm install`, without anything else to install. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mendPages } from './packedPages.ts';
import { assets } from './assets.ts';
import { notices, root, sharedFiles } from './build.ts';

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
  const { name, version, description, license, keywords, type, bin, engines, repository, bugs } = source;
  return {
    name,
    version,
    description,
    license,
    keywords,
    repository,
    bugs,
    type,
    bin,
    engines: { node: engines.node },
  };
}

const leftOut: readonly string[] = ['images', 'walkthrough', 'contribute'].map((name) => path.join('docs', name));

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
    'dist/runThread.js',
    'dist/watchdogThread.js',
    ...sharedFiles(path.join(folder, 'dist')).map((name) => `dist/${name}`),
    'dist/preview.js',
    'dist/preview.css',
    `dist/${notices}`,
    ...drawing,
  ])
    cpSync(path.join(folder, file), path.join(staging, file));
  // `explain` prints these pages, and hovers link to them. Pictures, walkthrough and guides for contributors serve nobody here.
  cpSync(path.join(folder, 'docs'), path.join(staging, 'docs'), {
    recursive: true,
    filter: (file) => !leftOut.includes(path.relative(folder, file)),
  });
  cpSync(path.join(folder, 'examples'), path.join(staging, 'examples'), { recursive: true });
  mendPages(staging);
  const { status, stdout, stderr, error } = spawnSync(
    'npm',
    ['pack', '--ignore-scripts', '--loglevel=error', `--pack-destination=${path.dirname(into)}`],
    { cwd: staging, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  if (status !== 0) throw new Error(`npm pack failed:\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`);
  renameSync(path.join(path.dirname(into), `pipewright-${manifest.version}.tgz`), into);
}
