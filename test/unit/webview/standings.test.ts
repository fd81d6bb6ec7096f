import { describe, expect, it } from 'vitest';
import { bestVariants, joinEqual, standings, type Runner } from '../../../webview/session/standings.ts';
import { deltaWords, raceSentence, rowSentence } from '../../../webview/session/raceWords.ts';
import type { RaceFigures } from '../../../webview/worker/messages.ts';

const gib = 2 ** 30;
const figures = (iteration: number, peak: number, bubble = 0.2): RaceFigures => ({
  iteration,
  throughput: 8 / iteration,
  makespan: iteration,
  bubble,
  causes: { fill_drain: bubble, imbalance: 0, communication: 0, memory: 0, sync: 0, order: 0 },
  fullest: 'gpu[0]',
  peak: peak * gib,
  capacity: 16 * gib,
  fits: peak <= 16,
  rows: 4,
  blocks: 64,
});
let count = 0;
const runner = (name: string, result?: Runner['result']): Runner => {
  count += 1;
  return { id: count, name, note: '', ...(result === undefined ? {} : { result }) };
};

describe('a comparison', () => {
  it('has differences of peaks in the unit in which the peaks are read', () => {
    const words = (peak: number) => deltaWords({ seconds: 0, relative: 0, bubble: 0, peak }, 5 * gib).peak;
    expect(words(-1022 * 2 ** 20)).toBe('−0.998 GiB');
    expect(words(512 * 2 ** 20)).toBe('+512 MiB');
    expect(words(0)).toBe('± 0');
  });

  const base = runner('1f1b', figures(1.384, 12, 0.325));
  const best = runner('zb_v', figures(1.043, 12.25, 0.104));
  const faster = runner('zb_h2', figures(1, 20, 0.05));
  const dead = runner('mine', { reason: 'Deadlock.' });
  const waiting = runner('gpipe');
  const all = [base, dead, waiting, best, faster];

  it('has gains draw by draw if times are random, against the baseline that is chosen', () => {
    const drawn = (name: string, ...draws: readonly number[]) =>
      runner(name, { ...figures(draws[0], 12), draws: Float64Array.from(draws) });
    const [a, b] = [drawn('a', 4, 5, 8, 4), drawn('b', 3, 4, 10, 2)];
    const of = (baseline: number) =>
      standings([a, b, best], 'iteration', baseline).rows.map(({ deltas }) => deltas?.paired?.faster);
    // b is shorter in three of four draws.
    expect(of(a.id)).toEqual([undefined, 0.75, undefined]);
    expect(of(b.id)).toEqual([undefined, undefined, 0.25]);
    const [, row] = standings([a, b], 'iteration', a.id).rows.toSorted((x, y) => x.runner.id - y.runner.id);
    expect(rowSentence(row, standings([a, b], 'iteration', a.id).baseline)).toContain(
      'It is faster in 75 % of draws; gain −25…50 %.',
    );
  });

  it('joins equal figures only if they are equal in every draw', () => {
    const drawn = (name: string, ...draws: readonly number[]) =>
      runner(name, { ...figures(1, 12), draws: Float64Array.from(draws) });
    const joined = joinEqual([drawn('a', 1, 2), drawn('b', 1, 2), drawn('c', 1, 3), runner('d', figures(1, 12))], []);
    expect(joined.map(({ name, equal }) => [name, equal])).toEqual([
      ['a', ['b']],
      ['c', undefined],
      ['d', undefined],
    ]);
  });

  it('is sorted by iteration; what does not run comes last', () => {
    expect(standings(all, 'iteration', base.id).rows.map(({ runner: { name } }) => name)).toEqual([
      'zb_h2',
      'zb_v',
      '1f1b',
      'gpipe',
      'mine',
    ]);
    expect(
      standings(all, 'peak', base.id)
        .rows.map(({ runner: { name } }) => name)
        .slice(0, 3),
    ).toEqual(['1f1b', 'zb_v', 'zb_h2']);
  });

  it('is won by the shortest that fits, never by one over the limit', () => {
    const { winner, rows } = standings(all, 'iteration', base.id);
    expect(winner?.runner).toBe(best);
    expect(rows.filter((row) => row.winner)).toHaveLength(1);
    expect(standings([faster, runner('gpipe', figures(0.5, 40))], 'iteration', faster.id).winner).toBeUndefined();
  });

  it('has one winner where two are equal, and none alone', () => {
    const twin = runner('zb_v(x)', figures(1.043, 12));
    const two = standings([base, best, twin], 'iteration', base.id);
    expect(two.rows.filter((row) => row.winner)).toHaveLength(1);
    expect(standings([base], 'iteration', base.id).winner).toBeUndefined();
  });

  it('states differences to the baseline', () => {
    const found = standings(all, 'iteration', base.id);
    const deltas = found.winner?.deltas;
    expect(deltas?.seconds).toBeCloseTo(-0.341, 12);
    expect(deltas?.relative).toBeCloseTo(1.043 / 1.384 - 1, 12);
    expect(deltas?.bubble).toBeCloseTo(-0.221, 12);
    expect(deltas?.peak).toBe(0.25 * gib);
    expect(found.baseline?.deltas).toBeUndefined();
    expect(deltas && deltaWords(deltas, 12 * gib)).toEqual({
      iteration: '−24.6 %',
      bubble: '−22.1 pt',
      peak: '+256 MiB',
      tones: { iteration: 'better', bubble: 'better', peak: 'worse' },
    });
    expect(raceSentence(found)).toBe('zb_v is 341 ms (24.6 %) shorter than 1f1b and needs 256 MiB more.');
  });

  it('counts activations where there is no model', () => {
    const unit = (iteration: number, peak: number) => ({ ...figures(iteration, 0), peak, unitTimes: true as const });
    const [mine, other] = [runner('mine', unit(33, 4)), runner('other', unit(30, 7))];
    const found = standings([mine, other], 'iteration', mine.id);
    const { deltas } = found.rows.find(({ runner: { id } }) => id === other.id) ?? {};
    expect(deltas && deltaWords(deltas, 4, true).peak).toBe('+3 activations');
    expect(deltas && deltaWords({ ...deltas, peak: 0 }, 4, true).peak).toBe('± 0');
    expect(raceSentence(found)).toBe('other is 3 s (9.1 %) shorter than mine and needs 3 activations more.');
  });

  it('has no colour for a difference under half a percent', () => {
    const words = deltaWords({ seconds: 0.001, relative: 0.004, bubble: -0.004, peak: 0 }, gib);
    expect(words.tones).toEqual({ iteration: 'same', bubble: 'same', peak: 'same' });
    expect(words.peak).toBe('± 0');
  });

  it('says so where nothing fits, and where the baseline is the best', () => {
    const over = runner('gpipe', figures(0.5, 40));
    expect(raceSentence(standings([faster, over], 'iteration', over.id))).toBe(
      'None of these timelines fits into memory.',
    );
    expect(raceSentence(standings([best, base], 'iteration', best.id))).toBe('zb_v is the shortest that fits.');
    expect(raceSentence(standings([base, best, faster], 'iteration', faster.id))).toBe(
      'zb_v is the shortest that fits: 43 ms (4.3 %) longer than zb_h2, which does not fit.',
    );
  });

  it('has one row for figures that are equal to the last digit', () => {
    const dapple = runner('dapple', figures(1.384 * (1 + 1e-13), 12, 0.325));
    const near = runner('near', figures(1.384 * (1 + 1e-6), 12, 0.325));
    const larger = runner('larger', figures(1.384, 12.5, 0.325));
    const second = runner('second', figures(1.043, 12.25, 0.104));
    const names = (runners: readonly Runner[]) => runners.map(({ name, equal = [] }) => [name, ...equal].join(' = '));
    expect(names(joinEqual([dapple, waiting, base, best, dead, near, larger, second], [base.id]))).toEqual([
      'gpipe',
      '1f1b = dapple',
      'zb_v = second',
      'mine',
      'near',
      'larger',
    ]);
    // The file's schedule and the baseline both keep their row.
    expect(names(joinEqual([base, dapple], [base.id, dapple.id]))).toEqual(['1f1b', 'dapple']);
  });

  it('shows of the variants of a policy the shortest that fits', () => {
    const two = runner('interleaved_1f1b(chunks = 2)', figures(1.2, 14));
    const four = runner('interleaved_1f1b(chunks = 4)', figures(1.1, 18));
    const eight = runner('interleaved_1f1b(chunks = 8)', { reason: 'Too few layers.' });
    expect(bestVariants([base, two, four, eight], [base.id])).toEqual([base, two]);
    expect(bestVariants([base, four, eight], [base.id])).toEqual([base, four]);
    expect(bestVariants([base, eight], [base.id])).toEqual([base, eight]);
    const own = runner('1f1b', figures(1.384, 12));
    expect(bestVariants([base, own], [base.id])).toEqual([base, own]);
  });
});
