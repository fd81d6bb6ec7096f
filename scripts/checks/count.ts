import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../build.ts';
import type { Count } from './step.ts';

/** The last `N passed, N failed` of an output. */
export function lastCount(output: string): Count | undefined {
  const found = [...output.matchAll(/^\s*(\d+) passed, (\d+) failed\b.*$/gm)].at(-1);
  return found === undefined ? undefined : { passed: Number(found[1]), failed: Number(found[2]) };
}

/** As `lastCount`; or why the tests did not run, where that is all that the step printed last. */
export function countOrReason(output: string): Count | undefined {
  const skipped = /^not run: (.+)$/m.exec(output)?.[1];
  return lastCount(output) ?? (skipped === undefined ? undefined : { passed: 0, failed: 0, skipped });
}

export const vitestReport = path.join('out', 'logs', 'vitest.json');

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/** Of vitest's own report. A file that does not load is a failure, and so is a test that is skipped. */
export function vitestCount(): Count | undefined {
  try {
    const report = JSON.parse(readFileSync(path.join(root, vitestReport), 'utf8')) as VitestReport;
    const unloaded = report.testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    ).length;
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + report.numPendingTests + report.numTodoTests + unloaded,
    };
  } catch {
    return undefined;
  }
}
