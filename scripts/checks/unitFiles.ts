import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { root } from '../build.ts';

/** Unit tests that take over 2 seconds on a quiet machine. `npm test -- quick` runs them only if they have changed. */
export const slowUnitFiles: readonly string[] = [
  'test/unit/accuracy/accuracy.test.ts',
  'test/unit/asynchronous/waiting.test.ts',
  'test/unit/check/anyMesh.test.ts',
  'test/unit/check/anySchedule.test.ts',
  'test/unit/formats/torchDamage.test.ts',
  'test/unit/grammar/nesting.test.ts',
  'test/unit/planning/dagBalance.test.ts',
  'test/unit/network/routes.test.ts',
  'test/unit/schedule/chunked.test.ts',
  'test/unit/schedule/grid.test.ts',
  'test/unit/schedule/policies.test.ts',
  'test/unit/schedule/zbAuto/zbAuto.test.ts',
  'test/unit/server/policies.test.ts',
  'test/unit/server/robustness.test.ts',
];

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
