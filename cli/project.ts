/** The folder in which the files that a `.pipe` file names are read. A file that names a path outside could show what it holds. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OptionSpec } from './arguments.ts';
import { realPath, within } from '../platform/node/realPath.ts';

/** Of every command that reads `.pipe` files. */
export const rootOption: OptionSpec = {
  name: 'root',
  value: 'DIR',
  doc: 'Read imports and other named files below DIR. Default: the project, which is the repository of the file.',
};

const repositories = ['.git', '.hg', '.jj', '.svn'];
const packages = ['package.json', 'pyproject.toml', 'setup.py', 'Cargo.toml', 'go.mod'];

/**
 * The project of the file at `path`: the nearest folder above it that is a repository, otherwise the nearest that is a package.
 * Without either it is the working folder if the file lies there, otherwise the folder of the file.
 */
export function projectOf(path: string, cwd: string): string {
  const folder = dirname(path);
  const here = realPath(cwd);
  return (
    nearestWith(folder, repositories) ??
    nearestWith(folder, packages) ??
    (within(realPath(folder), here) ? here : realPath(folder))
  );
}

function nearestWith(folder: string, markers: readonly string[]): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (markers.some((marker) => existsSync(join(at, marker)))) return realPath(at);
    if (dirname(at) === at) return undefined;
  }
}
