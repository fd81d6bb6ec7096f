import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/build.ts';
import { lastCount, countOrReason } from '../../../scripts/checks/count.ts';
import { runAll } from '../../../scripts/checks/pool.ts';
import type { Result, Step } from '../../../scripts/checks/step.ts';

const script = (name: string, code: string, more: Partial<Step> = {}): Step => ({
  name,
  command: [process.execPath, '-e', code],
  ...more,
});

async function run(
  steps: readonly Step[],
  width = 2,
): Promise<{ readonly results: readonly Result[]; readonly order: readonly string[] }> {
  const order: string[] = [];
  const results = await runAll(steps, width, ({ step }) => order.push(step.name));
  return { results, order };
}
const counts = (results: readonly Result[]) => results.map(({ passed, failed }) => [passed, failed]);

test('a step counts as its output says; without counts it is one check', async () => {
  const { results } = await run([
    script('unit-a', 'console.log("3 passed, 0 failed")', { count: lastCount }),
    script('unit-b', ''),
  ]);
  expect(counts(results)).toEqual([
    [3, 0],
    [1, 0],
  ]);
});

test('a crash is a failure, whatever was printed, and so are no counts at all', async () => {
  const { results } = await run([
    script('unit-c', 'console.log("3 passed, 0 failed"); process.exit(3)', { count: lastCount }),
    script('unit-d', 'console.log("nothing")', { count: lastCount }),
    script('unit-e', 'console.log("0 passed, 0 failed")', { count: lastCount }),
    { name: 'unit-f', command: ['/nowhere/no-such-program'] },
  ]);
  expect(counts(results)).toEqual([
    [3, 1],
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
});

test('a step starts after those that it needs, and fails unrun where one of them failed', async () => {
  const { results, order } = await run([
    script('unit-g', 'setTimeout(() => {}, 200)'),
    script('unit-h', '', { needs: ['unit-g'] }),
    script('unit-i', 'process.exit(1)'),
    script('unit-j', '', { needs: ['unit-i'] }),
  ]);
  expect(order.indexOf('unit-h')).toBeGreaterThan(order.indexOf('unit-g'));
  expect(counts(results)).toEqual([
    [1, 0],
    [1, 0],
    [0, 1],
    [0, 1],
  ]);
  expect(results[3]?.output).toContain('Not run');
});

test('a step that drives other programs and failed runs again once the others have ended; another one does not', async () => {
  const failsFirst = (name: string) => {
    const file = path.join(root, 'out', 'logs', `${name}.tried`);
    rmSync(file, { force: true });
    return `const { existsSync, writeFileSync } = require('node:fs');
      if (existsSync(${JSON.stringify(file)})) console.log('4 passed, 0 failed');
      else { writeFileSync(${JSON.stringify(file)}, ''); console.log('1 passed, 3 failed'); process.exit(1); }`;
  };
  const { results, order } = await run([
    script('unit-r', failsFirst('unit-r'), { count: lastCount, drives: true }),
    script('unit-s', failsFirst('unit-s'), { count: lastCount }),
    script('unit-t', 'setTimeout(() => {}, 500)', { drives: true }),
    script('unit-u', 'console.log("1 passed, 1 failed"); process.exit(1)', { count: lastCount, drives: true }),
    script('unit-v', '', { needs: ['unit-s'], drives: true }),
  ]);
  expect(counts(results)).toEqual([
    [4, 0],
    [1, 3],
    [1, 0],
    [1, 1],
    [0, 1],
  ]);
  expect(results.map(({ alone }) => alone)).toEqual([true, undefined, undefined, true, undefined]);
  expect(order.filter((name) => name === 'unit-r' || name === 'unit-v')).toEqual(['unit-r', 'unit-v', 'unit-r']);
  expect(order.indexOf('unit-t')).toBeLessThan(order.lastIndexOf('unit-r'));
});

test.skipIf(process.platform === 'win32')('a step that yields has a lower priority than the others', async () => {
  const print = 'console.log(`priority ${os.getPriority()}`)';
  const { results } = await run([script('unit-o', print, { yields: true }), script('unit-p', print)]);
  const low = Math.min(constants.priority.PRIORITY_LOW, getPriority() + 5);
  expect(results.map(({ output }) => output.trim())).toEqual([`priority ${low}`, `priority ${getPriority()}`]);
});

test('a report of an earlier run is not counted', async () => {
  const report = path.join('out', 'logs', 'unit-report.txt');
  const file = path.join(root, report);
  const count = () => (existsSync(file) ? lastCount(readFileSync(file, 'utf8')) : undefined);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '7 passed, 0 failed');
  const steps = [
    script('unit-q', 'process.exit(1)', { count, report }),
    script('unit-r', `fs.writeFileSync(${JSON.stringify(file)}, '3 passed, 0 failed')`, { count, report }),
  ];
  const { results } = await run(steps, 1);
  rmSync(file);
  expect(counts(results)).toEqual([
    [0, 1],
    [3, 0],
  ]);
});

test('the count of a step that needs what a machine may lack says why its tests did not run', () => {
  expect(countOrReason('21 passed, 0 failed\n')).toEqual({ passed: 21, failed: 0 });
  expect(countOrReason('nothing')).toBeUndefined();
  expect(countOrReason('not run: no PyTorch\n')).toEqual({ passed: 0, failed: 0, skipped: 'no PyTorch' });
});

test('a single worker runs everything too', async () => {
  const { results } = await run([script('unit-k', '', { needs: ['unit-l'] }), script('unit-l', '')], 1);
  expect(counts(results)).toEqual([
    [1, 0],
    [1, 0],
  ]);
});

test('the last count is taken, also from among other text', () => {
  expect(lastCount('1 passed, 2 failed\nx\n  5 passed, 0 failed\n')).toEqual({ passed: 5, failed: 0 });
  expect(lastCount('5 passed')).toBeUndefined();
});
