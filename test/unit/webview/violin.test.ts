import { describe, expect, it } from 'vitest';
import { horizonOf } from '../../../webview/picture/columns.ts';
import { figuresOf } from '../../../webview/session/figures.ts';
import { violinOf } from '../../../webview/session/violin.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { iterationTime } from '../../../engine/basics/quantities.ts';
import { runOf } from '../../support/analyse.ts';

const file = (keys: string, expected = ''): string => `
model m { layer l[8] { forward = 1ms  backward = 2ms } }
device d { memory = 1GiB }
cluster c { gpu[4] = d  link = 1GB/s }
pipeline train { model = m  devices = c  microbatches = 8  stages = balance(4)  schedule = 1f1b  ${keys} }
${expected === '' ? '' : `expect train { ${expected} }`}
`;
const shown = (keys: string, expected = '') => {
  const { plan, run } = runOf(file(keys, expected));
  return { plan, report: run.report, picture: pictureOf({ plan }, run, 1) };
};

describe('the spread of the iterations', () => {
  it('is as high as there are draws, and has a line at each percentile', () => {
    const { plan, report } = shown('jitter = 10%');
    const { jitter, iteration } = report;
    const violin = violinOf(plan, report);
    if (violin === undefined || jitter === undefined) throw new Error('no violin');
    const first = Math.min(jitter.least, iteration);
    const at = (seconds: number) => (seconds - first) / (jitter.most - first);
    expect(violin.marks.map((mark) => [mark.kind, mark.at])).toEqual([
      ['iteration', at(iteration)],
      ['p50', at(jitter.p50)],
      ['p95', at(jitter.p95)],
      ['p99', at(jitter.p99)],
    ]);
    expect(violin.marks[2].words).toBe(`p95 ${iterationTime(jitter.p95)}`);
    const heights = violin.outline.map(([, height]) => height);
    expect([heights[0], heights.at(-1), Math.max(...heights)]).toEqual([0, 0, 1]);
    expect(violin.outline[0][0]).toBeCloseTo(at(jitter.least), 12);
    expect(violin.outline.at(-1)?.[0]).toBeCloseTo(1, 12);
    // The widest place is near the median, and half of the area is to its left.
    const places = violin.outline.map(([place]) => place);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const area = (from: number, to: number) =>
      violin.outline.reduce((sum, [place, height]) => sum + (place >= from && place < to ? height : 0), 0);
    expect(area(0, at(jitter.p50)) / area(0, 1.1)).toBeGreaterThan(0.4);
    expect(area(0, at(jitter.p50)) / area(0, 1.1)).toBeLessThan(0.6);
    expect(area(at(jitter.p95), 1.1) / area(0, 1.1)).toBeLessThan(0.12);
  });

  it('smooths each count with its neighbours', () => {
    const { plan, report } = shown('jitter = 10%');
    const { jitter, ...rest } = report;
    if (jitter === undefined) throw new Error('no jitter');
    const drawn = { ...jitter, least: 1, most: 5, counts: [0, 8, 0, 4] };
    const { outline = [] } = violinOf(plan, { ...rest, iteration: 1, jitter: drawn }) ?? {};
    // (0 + 8, 16, 8 + 4, 8) / 4, of the highest, in the middle of intervals of a second.
    expect(outline).toEqual([
      [0, 0],
      [0.125, 0.5],
      [0.375, 1],
      [0.625, 0.75],
      [0.875, 0.5],
      [1, 0],
    ]);
  });

  it('has a line at each bound of a percentile that the file expects, if it is near', () => {
    const { report } = shown('jitter = 10%');
    const { p95 = NaN, most = NaN } = report.jitter ?? {};
    const ms = (seconds: number) => `${(seconds * 1e3).toFixed(4)}ms`;
    const { plan } = shown(
      'jitter = 10%',
      `p95(iteration) < ${ms(p95 * 0.999)} and p95(iteration) < ${ms(most)} and p99(iteration) < 10s and bubble < 90%`,
    );
    const marks = violinOf(plan, report)?.marks.slice(4) ?? [];
    expect(marks.map(({ kind }) => kind)).toEqual(['fails', 'holds']);
    expect(marks[0].words).toBe(`expect p95(iteration) < ${ms(p95 * 0.999)}`);
    expect(marks[0].at).toBeLessThan(marks[1].at);
  });

  it('is none of certain times', () => {
    for (const keys of ['', 'jitter = 0%']) {
      const { plan, report } = shown(keys);
      expect(violinOf(plan, report)).toBeUndefined();
    }
  });
});

describe('a percentile in the preview', () => {
  it('is a figure just as the report has it, with what the file expects of it', () => {
    const { plan, report, picture } = shown('jitter = 5%', 'p95(iteration) < 1us');
    const figure = figuresOf(plan, picture).find(({ key }) => key === 'p95');
    const { jitter } = report;
    if (jitter === undefined) throw new Error('no jitter');
    expect(figure).toMatchObject({
      value: iterationTime(jitter.p95),
      amount: expect.closeTo(jitter.p95 / (report.iteration * report.throughput), 12),
      over: true,
    });
    expect(figure?.note).toBe(
      `p50 ${iterationTime(jitter.p50)}, p99 ${iterationTime(jitter.p99)} of 1,000 draws; p95(iteration) < 1us: fails`,
    );
    expect(figuresOf(...partsOf(shown('jitter = 5%', 'p95(iteration) < 1s')))[1]).toMatchObject({ over: false });
    expect(figuresOf(...partsOf(shown(''))).some(({ key }) => key === 'p95')).toBe(false);
  });

  it('is on the axis, unless it is far beyond the end', () => {
    const { picture, report } = shown('jitter = 5%');
    const { makespan } = picture.columns;
    expect(report.jitter?.p95).toBeGreaterThan(makespan);
    expect(horizonOf(picture.columns)).toBeCloseTo((report.jitter?.p95 ?? NaN) * 1.01, 12);
    for (const keys of ['', 'jitter = 0%', 'jitter = 100%']) {
      const { columns } = shown(keys).picture;
      expect(horizonOf(columns)).toBe(columns.makespan);
    }
    expect(shown('jitter = 100%').report.jitter?.p95).toBeGreaterThan(1.25 * makespan);
  });
});

const partsOf = ({ plan, picture }: ReturnType<typeof shown>) => [plan, picture] as const;
