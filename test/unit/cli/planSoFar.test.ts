/** What `plan` answers when its time is up: the best row so far, and how much faster another may be. */
import { expect, test } from 'vitest';
import type { PlanAnswer } from '../../../engine/sweep/answer.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { call } from './harness.ts';

const files = { 'a.pipe': shaped };
const over = 'tensor = [1, 2], pipeline = [2, 4], recompute = [none, full], micro_batch = [1, 2]';
const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1'];
/** Each look at the clock takes a millisecond. */
const answerAfter = async (time: string, ...more: readonly string[]) =>
  call([...args, '--time', time, ...more], { files, slow: 1 });

test('a search whose time is up answers with the best row so far', async () => {
  const whole = JSON.parse((await answerAfter('1h', '--format', 'json')).out) as PlanAnswer;
  expect(whole.unsearched).toBe(0);
  const fastest = whole.points.find(({ row }) => row === whole.best)?.iteration ?? 0;
  const bests = new Set<number>();
  let stopped = 0;
  for (const time of ['5ms', '7ms', '9ms', '12ms', '16ms']) {
    const { status, out } = await answerAfter(time, '--format', 'json');
    const { best, points, unsearched, certificate, unsearched_least: least = 0, rows } = JSON.parse(out) as PlanAnswer;
    expect(rows).toBe(whole.rows);
    const found = points.filter(({ meets, tight }) => meets && tight === undefined);
    if (found.length === 0 || unsearched === 0) continue;
    stopped += 1;
    const own = Math.min(...found.map(({ iteration }) => iteration));
    expect(points.find(({ row }) => row === best)?.iteration).toBe(own);
    // What is said of rows that were not reached holds.
    if (own > fastest) expect(least).toBeLessThanOrEqual(fastest);
    expect(certificate).toMatch(
      own > fastest ? /^The fastest row found takes / : /^(The fastest row found takes|No other) /u,
    );
    expect(certificate).toContain(`${unsearched} w`);
    expect(status).toBe(0);
    bests.add(own);
  }
  expect(stopped).toBeGreaterThan(2);
  expect(bests.size).toBeGreaterThan(1);
});

test('the summary for agents has it, too, and how many rows are left', async () => {
  const { out } = await answerAfter('9ms', '--summary');
  expect(out).toMatch(/^train: 16 rows on 8 devices, 32 samples an iteration\n/u);
  expect(out).toMatch(/\d+ were not searched to the end\./u);
  expect(out).toMatch(/row \d+:[\da-f]{6} \(best\): /u);
});
