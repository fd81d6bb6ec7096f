/** What `plan` says if no row fits: how far the nearest one is over, and the change with which one would. */
import { describe, expect, test } from 'vitest';
import { withChange } from '../../../cli/plan/withChange.ts';
import { type Asked, type PlanAnswer, planAnswer } from '../../../engine/sweep/answer.ts';
import { rowCount } from '../../../engine/sweep/axes.ts';
import { mergeAnswers } from '../../../engine/sweep/merge.ts';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { runHere, shaped, sweepCase } from '../sweep/sweepCase.ts';
import { call, worldOf } from './harness.ts';

const over = 'recompute = [none, full], pipeline = [2, 4], optimizer = [adam_mixed]';
const caseOf = (memory: string, limits: readonly string[] = []) =>
  sweepCase(over, { text: shaped.replace('memory = 24GiB', `memory = ${memory}`), limits });

function answerOf(
  { base, axes }: ReturnType<typeof caseOf>,
  limits: readonly string[] = [],
  more: Partial<Asked> = {},
) {
  const asked: Asked = { file: 'a.pipe', axes, minimise: 'iteration', limits, ...more };
  return planAnswer(base, asked, runHere({ base, axes }, more.shard));
}

/** Bytes that rows of this kind need: with their activations, or of what they store alone. */
const needed = ({ base, axes }: ReturnType<typeof caseOf>, kind: 'full' | 'over'): readonly number[] =>
  Array.from({ length: rowCount(axes) }, (_, row) => outcomeOf(base, axes, row, [])).flatMap((outcome) =>
    outcome.kind !== kind ? [] : [outcome.kind === 'full' ? outcome.peak : outcome.least],
  );

const GiB = 2 ** 30;

describe('how far the nearest row is over its limit', () => {
  test('by its activations', () => {
    const tight = caseOf('3.4GiB');
    const { certificate, least_over: least, least_full: full } = answerOf(tight);
    expect(least).toBeCloseTo(Math.min(...needed(tight, 'full')) - 3.4 * GiB, 0);
    expect(full?.over).toBe(least);
    expect(certificate).toMatch(
      /^None of the 4 rows fits\. Of the rows .* needs least memory: .*GiB, [\d.]+ \w+ too much\.$/u,
    );
  });

  test('by its simulation, if devices keep activations of each other', () => {
    const eviction = sweepCase('schedule = [bpipe]', { text: shaped.replace('memory = 24GiB', 'memory = 3.4GiB') });
    const { least_over: least, points } = answerOf(eviction);
    expect(points).toHaveLength(1);
    expect(least).toBeCloseTo(points[0].peak - 3.4 * GiB, 0);
  });

  test('by what it stores, at least', () => {
    const tiny = caseOf('1GiB');
    const { certificate, least_over: least } = answerOf(tiny);
    // Rows of a class are bounded by the one that was planned.
    expect(least).toBeGreaterThan(GiB);
    expect(least).toBeLessThanOrEqual(Math.min(...needed(tiny, 'over')) - GiB);
    expect(certificate).toMatch(
      /alone do not fit\. They are least in row \d: at least [\d.]+ GiB, [\d.]+ \w+ too much\.$/u,
    );
  });

  test('by a limit of the search, and not if another limit is missed', () => {
    const limits = ['peak_memory < 3GiB'];
    const { least_over: least, points } = answerOf(caseOf('24GiB', limits), limits);
    expect(least).toBe(Math.min(...points.map(({ peak }) => peak)) - 3 * GiB);
    const slow = ['iteration < 1ms'];
    expect(answerOf(caseOf('24GiB', slow), slow).least_over).toBeUndefined();
    expect(answerOf(caseOf('24GiB')).least_over).toBeUndefined();
  });

  test('is the same of merged parts', () => {
    const source = { program: '1', text: 'a', files: {}, params: {} };
    for (const memory of ['1GiB', '3.4GiB']) {
      const whole = caseOf(memory);
      const parts = [1, 2].map((index) => answerOf(whole, [], { source, shard: { index, of: 2 } }));
      const merged = mergeAnswers(parts);
      if ('problem' in merged) throw new Error(merged.problem);
      expect(merged.least_over).toBe(Math.min(...parts.map(({ least_over: least = Infinity }) => least)));
    }
  });
});

describe('the search for a change with which a row fits', () => {
  const tight = caseOf('3.4GiB');
  const none = answerOf(tight);
  const request = { ...tight, limits: [], leftOut: undefined, given: [] };
  const found = (most: number | undefined, world: Parameters<typeof worldOf>[0] = {}): Promise<PlanAnswer> =>
    withChange(request, none, worldOf(world).io, most === undefined ? {} : { most });

  test('ends after a fixed amount of work, however slow the clock is', async () => {
    const all = await found(undefined);
    expect(all.would_fit).toContain('it fits: ');
    expect(all.would_fit_cut).toBeUndefined();
    expect(await found(undefined, { slow: 1_000_000 })).toEqual(all);
  });

  test('says when it was ended, with what was found until then', async () => {
    const cut = await found(3);
    expect(cut.would_fit_cut).toBe(3);
    expect(cut.would_fit).toBeUndefined();
    expect((await found(undefined, { interrupted: true })).would_fit_cut).toBe(1);
    const late = await withChange(request, none, worldOf({ slow: 1 }).io, { until: 3 });
    expect(late.would_fit_cut).toBeLessThan(4);
    // The first value that helps is known before others are tried.
    const later = await found(20);
    expect(later.would_fit).toContain('it fits: ');
    expect(later.would_fit_cut).toBeGreaterThan(19);
  });

  test('counts operations, too', async () => {
    const many = shaped
      .replace('memory = 24GiB', 'memory = 3.4GiB')
      .replace('microbatches = 16', 'microbatches = 16000');
    const long = { ...sweepCase(over, { text: many }), limits: [], leftOut: undefined, given: [] };
    const cut = await withChange(long, answerOf(long), worldOf().io, { most: 20 });
    expect(cut.would_fit_cut).toBeLessThan(15);
  });

  test('is said on the screen', async () => {
    const files = { 'a.pipe': shaped.replace('memory = 24GiB', 'memory = 3.4GiB') };
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1'];
    const { out } = await call(args, { files });
    expect(out.replaceAll(/\s+/gu, ' ')).toContain('it fits: ');
    // The clock is at a second for each look: the search of four rows takes fewer than the one for a change.
    const { out: cut } = await call([...args, '--time', '60s'], { files, slow: 1_000 });
    expect(cut.replaceAll(/\s+/gu, ' ')).toMatch(
      /with which a row fits was ended after \d+ rows?: further changes were not tried\./u,
    );
  });
});
