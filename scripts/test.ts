/** Runs every check and ends with one line of counts. `npm test -- NAME…` runs only the steps whose names contain one of these words. */
import { runAll } from './checks/pool.ts';
import { steps } from './checks/steps.ts';
import type { Result } from './checks/step.ts';

const words = process.argv.slice(2);
const wanted = steps.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const chosen = wanted.map((step) => ({
  ...step,
  after: step.after?.filter((name) => wanted.some((one) => one.name === name)),
}));
const longestTail = 12_000;

function report({ step, passed, failed, skipped, seconds, output }: Result): void {
  const time = `${seconds.toFixed(1).padStart(6)} s`;
  if (skipped !== undefined) {
    console.log(`not run${time}  ${step.name}: ${skipped}`);
    return;
  }
  console.log(`${failed === 0 ? 'ok    ' : 'FAILED'} ${time}  ${step.name}: ${passed} passed, ${failed} failed`);
  if (failed > 0) console.log(`${output.slice(-longestTail).replaceAll(/^/gm, '    ')}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
const results = await runAll(chosen, 2, report);
const sum = (key: 'passed' | 'failed') => results.reduce((total, result) => total + result[key], 0);
const failed = sum('failed') + (results.length === 0 ? 1 : 0);
console.log(`${sum('passed')} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
