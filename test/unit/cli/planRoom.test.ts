/** Room for fragmentation: the best row keeps the margin of `memory/headroom`, unless no row does. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanAnswer, PlanPoint } from '../../../engine/sweep/answer.ts';
import { bytes, iterationTime, share } from '../../../engine/basics/quantities.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { call, type Called } from './harness.ts';

const over = 'tensor = [1, 2], pipeline = [2, 4], recompute = [none, full]';
const plan = (memory: number | undefined, values: string, ...more: readonly string[]): Promise<Called> =>
  call(['plan', 'a.pipe', '--pipeline', 'train', '--over', values, '--threads', '1', ...more], {
    files: { 'a.pipe': memory === undefined ? shaped : shaped.replace('memory = 24GiB', `memory = ${memory}B`) },
  });
const answer = async (memory: number | undefined, values = over, ...more: readonly string[]): Promise<PlanAnswer> =>
  JSON.parse((await plan(memory, values, '--format', 'json', ...more)).out) as PlanAnswer;
const fastestOf = (points: readonly PlanPoint[]): PlanPoint => points.toSorted((a, b) => a.iteration - b.iteration)[0];

let fastest: PlanPoint;
/** So much that the fastest row leaves 2 %. */
let near = 0;
beforeAll(async () => {
  fastest = fastestOf((await answer(undefined)).points);
  near = Math.ceil(fastest.peak / 0.98);
});

describe('a row that is faster and has little room', () => {
  test('is shown next to the best row, which keeps the margin', async () => {
    const found = await answer(near);
    const best = fastestOf(found.points.filter(({ tight, meets }) => meets && tight === undefined));
    expect(found).toMatchObject({ best: best.row, margin: 0.06 });
    expect(best.row).not.toBe(fastest.row);
    expect(found.tighter?.row).toBe(fastest.row);
    expect(found.tighter?.left).toBeCloseTo(near - fastest.peak, 3);
    expect(found.tighter?.faster).toBeCloseTo(1 - fastest.iteration / best.iteration, 9);
    expect(found.points.find(({ row }) => row === fastest.row)?.front).toBe(true);
    expect(found.certificate).toBe(
      `No other of the 8 rows fits, keeps 6 % of each device free and can be under ${iterationTime(best.iteration)}. Row ${fastest.row} is ${share(1 - fastest.iteration / best.iteration)} faster with ${bytes(near - fastest.peak)} left: it may run out of memory.`,
    );
    expect((await plan(near, over)).out).toContain(`Row ${best.row} changes`);
  });

  test('is written only if it is asked for, and then with a warning', async () => {
    const { best } = await answer(near);
    const chosen = await plan(near, over, '--write', 'best');
    expect(chosen.err).toMatch(new RegExp(`^Row ${best}:[\\da-f]{6}\\. `, 'u'));
    expect(chosen.err).not.toContain('memory/headroom');
    expect(chosen.out).toBe((await plan(near, over, '--write', String(best))).out);
    const asked = await plan(near, over, '--write', String(fastest.row));
    expect(asked.out).not.toBe(chosen.out);
    expect(asked.err).toBe(
      `pipewright plan: Row ${fastest.row}:${fastest.fingerprint} has tensor 1, sequence_parallel true, pipeline 2, recompute none.\npipewright plan: Row ${fastest.row} leaves ${bytes(near - fastest.peak)} of its fullest device: it may run out of memory (memory/headroom).\n`,
    );
  });

  test('makes the file as it is no worse than the best row', async () => {
    // The file is as fast as the fastest row with two tensor ranks, and has no room.
    const written = (await answer(undefined)).written?.peak ?? 0;
    const { out } = await plan(Math.ceil(written / 0.98), 'recompute = [none, full], schedule = [1f1b]');
    expect(out).toContain('as written:');
    expect(out).not.toContain('better than every row found');
  });

  test('is no better where parts are merged or the search was stopped', async () => {
    const parts: Record<string, string> = {};
    for (const index of [1, 2, 3])
      parts[`${index}.json`] = (await plan(near, over, '--shard', `${index}/3`, '--format', 'json')).out;
    const whole = await answer(near);
    const merged = JSON.parse(
      (await call(['plan', '--merge', ...Object.keys(parts), '--format', 'json'], { files: parts })).out,
    ) as PlanAnswer;
    const { best, tighter, certificate } = whole;
    expect(merged).toMatchObject({ best, tighter, certificate });
    const some = await call(['plan', '--merge', '1.json', '2.json'], { files: parts });
    expect(some.out).toMatch(/^The fastest row found that keeps 6 % of each device free takes .* among the others; /mu);
  });
});

test('where no row keeps the margin, the fastest one is the best, with a warning', async () => {
  const alike = 'schedule = [1f1b], recompute = [none], micro_batch = [1], transfer = [buffered, rendezvous]';
  const peak = (await answer(undefined, alike)).points[0].peak;
  const memory = Math.ceil(peak / 0.99);
  const { best, tighter, certificate, points } = await answer(memory, alike);
  expect(tighter).toBeUndefined();
  const row = fastestOf(points);
  expect(best).toBe(row.row);
  expect(certificate).toContain(
    ` No row that fits keeps 6 % of each device free. Row ${best} leaves ${bytes(memory - row.peak)} and may run out of memory.`,
  );
  const written = await plan(memory, alike, '--write', 'best');
  expect(written.err).toContain('it may run out of memory (memory/headroom).');
  const lone = await answer(memory, 'schedule = [1f1b]');
  expect(lone.certificate).toMatch(/^The only row fits\. .* Row 0 leaves .* and may run out of memory\.$/u);
});

test('the certificate holds where limits are met, too', async () => {
  const limited = await answer(near, over, '--limit', 'mfu > 1%');
  expect(limited.certificate).toMatch(
    /^No other of the 8 rows fits, meets the limits, keeps 6 % of each device free and can be under /u,
  );
});
