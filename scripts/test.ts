/**
 * Runs every check and ends with one line of counts. `npm test -- quick` runs those that take a minute, `npm test -- NAME…` the steps
 * and the unit test files that have one of these words in their names.
 */
import { choose } from './checks/choose.ts';
import { runAll } from './checks/pool.ts';
import type { Result } from './checks/step.ts';
import { atOnce, quickSteps, steps, unitStep } from './checks/steps.ts';
import { slowUnitFiles } from './checks/slowUnitFiles.ts';
import { changedFiles, unitFiles } from './checks/unitFiles.ts';

const longestTail = 12_000;

function report({ step, passed, failed, skipped, seconds, output, alone = false }: Result): void {
  const time = `${seconds.toFixed(1).padStart(6)} s`;
  if (skipped !== undefined) {
    console.log(`not run${time}  ${step.name}: ${skipped}`);
    return;
  }
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${time}  ${step.name}${alone ? ', alone' : ''}: ${passed} passed, ${failed} failed`,
  );
  // Each is a race to look at, though not a failure.
  for (const line of output.match(/^alone .*$/gm) ?? []) console.log(`    ${line}`);
  if (failed === 0) return;
  // Among hundreds of tests that passed nobody finds the one that did not.
  const telling = output.replaceAll(/^(?:ok|alone) +[\d.]+ s  .*\n/gm, '');
  console.log(`${telling.slice(-longestTail).replaceAll(/^/gm, '    ')}\n`);
}

async function main(): Promise<void> {
  const files = unitFiles();
  const left = new Set(slowUnitFiles);
  for (const file of changedFiles()) left.delete(file);
  const choice = choose(process.argv.slice(2), {
    steps,
    unitStep,
    unitFiles: files,
    quickSteps,
    quickFiles: files.filter((file) => !left.has(file)),
  });
  if ('problem' in choice) {
    console.error(choice.problem);
    process.exitCode = 1;
    return;
  }
  console.log(`${choice.said}. Logs are in out/logs.`);
  const started = performance.now();
  const results = await runAll(choice.steps, atOnce, report);
  const sum = (key: 'passed' | 'failed') => results.reduce((total, result) => total + result[key], 0);
  const failed = sum('failed');
  console.log(`${((performance.now() - started) / 1000).toFixed(0)} s`);
  console.log(`${sum('passed')} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
await main();
