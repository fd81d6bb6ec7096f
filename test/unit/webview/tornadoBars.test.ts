import { describe, expect, it } from 'vitest';
import { sensitivityOf } from '../../../engine/analyze/sensitivity.ts';
import { tornadoRows } from '../../../engine/analyze/tornado.ts';
import { changeText, tornadoBars } from '../../../webview/session/tornadoBars.ts';
import { analyseExample } from '../../support/analyse.ts';

const row = (name: string, slower: number, faster: number, slack?: number) => ({
  name,
  slower,
  faster,
  ...(slack === undefined ? {} : { slack }),
  target: { kind: 'stage' as const, index: 0 },
});

describe('bars of a tornado', () => {
  it('are on one scale, shorter times to the left and longer ones to the right of no change', () => {
    const { bars, axis, folded } = tornadoBars([row('a', 3, 1), row('b', 1.5, 0), row('c', 0.0001, 0)], 1);
    expect(folded).toBe(1);
    // From −1 to 3.
    expect(axis).toBe(0.25);
    expect(bars.map(({ shorter, longer }) => [shorter, longer])).toEqual([
      [
        { from: 0, to: 0.25 },
        { from: 0.25, to: 1 },
      ],
      [
        { from: 0.25, to: 0.25 },
        { from: 0.25, to: 0.625 },
      ],
    ]);
  });

  it('go to the other side if a shorter time makes the iteration longer', () => {
    const { bars, axis } = tornadoBars([row('a', 3, -1)], 100);
    expect(axis).toBe(0);
    expect(bars[0].shorter).toEqual({ from: 0, to: 1 / 3 });
    expect(bars[0].longer).toEqual({ from: 0, to: 1 });
    expect([bars[0].shorterText, bars[0].longerText]).toEqual(['+1 %', '+3 %']);
  });

  it('have shares with signs, and all of it in words', () => {
    const [bar] = tornadoBars([row('s7', 0.0527, 0.0088, 0.016)], 1.04).bars;
    expect([bar.shorterText, bar.longerText]).toEqual(['−0.8 %', '+5.1 %']);
    expect(bar.words).toBe(
      's7. 10 % longer: +52.7 ms (+5.1 %); 10 % shorter: −8.8 ms (−0.8 %); slack 16 ms per microbatch',
    );
    expect(changeText(1e-12, 1)).toBe('no change');
  });

  it('are none where nothing changes the iteration', () => {
    expect(tornadoBars([row('a', 0, 0), row('b', 0, 0)], 1)).toEqual({ bars: [], axis: 0, folded: 2 });
    expect(tornadoBars([], 1)).toEqual({ bars: [], axis: 0, folded: 0 });
  });

  it('of an example add up to the figures of its report', () => {
    const [{ plan, run }] = analyseExample('quickstart.pipe').pipelines;
    if (run === undefined) throw new Error('quickstart does not run');
    const { iteration } = run.report;
    const report = sensitivityOf(plan, run.timeline);
    const { bars, axis } = tornadoBars(tornadoRows(plan, report), iteration);
    const scale = bars.reduce((most, { row: { slower } }) => Math.max(most, slower), 0) / (1 - axis);
    for (const { row: each, shorter, longer } of bars) {
      expect((longer.to - axis) * scale).toBeCloseTo(each.slower, 9);
      expect((axis - shorter.from) * scale).toBeCloseTo(each.faster, 9);
    }
    expect(bars.length).toBeGreaterThan(2);
  });
});
