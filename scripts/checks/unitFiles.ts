import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { root } from '../build.ts';

/** Every file of unit tests, by its path from the root. */
export const unitFiles = (): readonly string[] =>
  globSync('test/unit/**/*.test.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted();

/** Files that differ from the last commit, and new ones; none where there is no git. */
export function changedFiles(): readonly string[] {
  try {
    const status = execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], {
      cwd: root,
      encoding: 'utf8',
    });
    return status.split('\n').map((line) => line.slice(3));
  } catch {
    return [];
  }
}
