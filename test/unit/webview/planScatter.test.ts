/** The scatter of plans: its frame and scales, the line of the front, labels, looks and pixels. */
import { describe, expect, test } from 'vitest';
import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import { frameOf, isInside, iterationTicks, memoryTicks, scalesOf } from '../../../webview/view/plan/frame.ts';
import { frontLine } from '../../../webview/view/plan/frontLine.ts';
import { labelPlaces, overlap } from '../../../webview/view/plan/labelPlaces.ts';
import { hueOf, looksOf, shapeOf } from '../../../webview/view/plan/looks.ts';
import { shortLabels } from '../../../webview/view/plan/shortLabels.ts';
import { cornersOf, drawMarks, maskOf, shapes } from '../../../webview/view/plan/marks.ts';
import * as fc from '../../support/property.ts';

const gibibyte = 2 ** 30;
const point = (
  row: number,
  iteration: number,
  peak: number,
  settings: FoundPoint['settings'] = {},
  more: Partial<FoundPoint> = {},
): FoundPoint => ({
  row,
  settings,
  pipeline: 4,
  data: 1,
  microbatches: 8,
  iteration,
  peak,
  throughput: 1,
  bubble: 0.1,
  meets: true,
  ...more,
});

describe('the frame', () => {
  test('has all that matters, the limit, and points up to twice the fastest; others lie outside', () => {
    const front = [point(0, 10, 40 * gibibyte), point(1, 12, 20 * gibibyte)];
    const slow = point(2, 80, 30 * gibibyte);
    const near = point(3, 19, 30 * gibibyte);
    const frame = frameOf([...front, slow, near], front, 60 * gibibyte);
    if (frame === undefined) throw new Error('no frame');
    expect([...front, near].every((each) => isInside(frame, each))).toBe(true);
    expect(isInside(frame, slow)).toBe(false);
    expect(frame.memory[0]).toBeLessThan(20 * gibibyte);
    expect(frame.memory[1]).toBeGreaterThan(60 * gibibyte);
    // A limit that no row comes near would leave the drawing empty.
    expect(frameOf(front, front, 600 * gibibyte)?.memory[1]).toBeLessThan(60 * gibibyte);
  });

  test('holds one point, equal points, and none', () => {
    expect(frameOf([], [], 5)).toBeUndefined();
    const one = point(0, 3, gibibyte);
    for (const points of [[one], [one, one]]) {
      const frame = frameOf(points, points, undefined);
      if (frame === undefined) throw new Error('no frame');
      const { x, y } = scalesOf(frame, { left: 10, top: 20, width: 100, height: 50 });
      expect(x(one.peak)).toBeGreaterThan(10);
      expect(x(one.peak)).toBeLessThan(110);
      expect(y(one.iteration)).toBeGreaterThan(20);
      expect(y(one.iteration)).toBeLessThan(70);
    }
  });

  test('less memory is to the left, less time is below; the ends of the axes are the ends of the plot', () => {
    const { x, y } = scalesOf({ time: [5, 15], memory: [100, 300] }, { left: 10, top: 20, width: 100, height: 50 });
    expect([x(100), x(200), x(300)]).toEqual([10, 60, 110]);
    expect([y(15), y(10), y(5)]).toEqual([20, 45, 70]);
  });

  test('ticks are round sizes inside the frame, few enough for the width', () => {
    expect(memoryTicks([18 * gibibyte, 92 * gibibyte], 600).map(({ text }) => text)).toEqual([
      '20 GiB',
      '40 GiB',
      '60 GiB',
      '80 GiB',
    ]);
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e13, noNaN: true }),
        fc.double({ min: 1.01, max: 50, noNaN: true }),
        (low, times) => {
          const found = memoryTicks([low, low * times], 500);
          expect(found.length).toBeLessThanOrEqual(7);
          expect(new Set(found.map(({ text }) => text)).size).toBe(found.length);
          for (const { at } of found) expect(at >= low * (1 - 1e-6) && at <= low * times).toBe(true);
        },
      ),
    );
    expect(iterationTicks([9, 18], 540).map(({ text }) => text)).toEqual(
      Array.from({ length: 10 }, (_, at) => `${9 + at} s`),
    );
  });
});

test('the line of the front goes right to the next plan, then down: it never passes a place that a plan of the front beats', () => {
  expect(
    frontLine([
      { x: 9, y: 30 },
      { x: 4, y: 20 },
      { x: 1, y: 5 },
    ]),
  ).toEqual([
    { x: 1, y: 5 },
    { x: 4, y: 5 },
    { x: 4, y: 20 },
    { x: 9, y: 20 },
    { x: 9, y: 30 },
  ]);
  expect(frontLine([])).toEqual([]);
  expect(frontLine([{ x: 2, y: 3 }])).toEqual([{ x: 2, y: 3 }]);
});

describe('labels', () => {
  const bounds = { left: 0, top: 0, width: 400, height: 300 };
  const places = fc.array(
    fc.record({
      x: fc.integer({ min: 0, max: 400 }),
      y: fc.integer({ min: 0, max: 300 }),
      width: fc.integer({ min: 10, max: 90 }),
      height: fc.constant(13),
    }),
    { maxLength: 40 },
  );

  test('cover neither each other nor what is taken, and stay inside', () => {
    fc.assert(
      fc.property(places, (wanted) => {
        const taken = wanted.map(({ x, y }) => ({ left: x - 5, top: y - 5, width: 10, height: 10 }));
        const found = labelPlaces(wanted, taken, bounds).flatMap((place) => place ?? []);
        for (const [index, place] of found.entries()) {
          expect(place.left >= 0 && place.left + place.width <= 400).toBe(true);
          expect(place.top >= 0 && place.top + place.height <= 300).toBe(true);
          for (const other of [...taken, ...found.slice(index + 1)]) expect(overlap(place, other)).toBe(false);
        }
      }),
    );
  });

  test('the first has the best place; one without room has none', () => {
    const label = { x: 200, y: 100, width: 50, height: 13 };
    const found = labelPlaces([label, ...Array.from({ length: 12 }, () => label)], [], bounds);
    expect(found[0]).toEqual({ left: 141, top: 103, width: 50, height: 13 });
    expect(found.filter((place) => place !== undefined).length).toBeGreaterThan(3);
    expect(found.at(-1)).toBeUndefined();
  });

  test('name the ranks that differ, otherwise the setting that does', () => {
    const points = [
      point(0, 1, 1, { tensor: '8', schedule: '1f1b' }, { pipeline: 4, data: 2 }),
      point(1, 1, 1, { tensor: '4', schedule: 'zb_h1' }, { pipeline: 4, data: 4 }),
    ];
    // One of the two says it.
    expect(points.map(shortLabels(points, []))).toEqual(['t8', 't4']);
    const alike = [point(0, 1, 1, { schedule: '1f1b' }), point(1, 1, 1, { schedule: 'zb_h1' })];
    expect(alike.map(shortLabels(alike, []))).toEqual(['1f1b', 'zb_h1']);
    expect(shortLabels([alike[0]], [])(alike[0])).toBe('');
  });

  test('labels of points with other settings differ, and none has a setting that it could do without', () => {
    const settings = fc.record({
      tensor: fc.constantFrom('1', '8'),
      expert: fc.constantFrom('1', '8'),
      micro_batch: fc.constantFrom('1', '2'),
      schedule: fc.constantFrom('1f1b', 'zb_h1'),
      recompute: fc.constantFrom('none', 'full'),
    });
    const rows = fc.uniqueArray(settings, { selector: (each) => JSON.stringify(each), minLength: 1, maxLength: 14 });
    fc.assert(
      fc.property(rows, (all) => {
        const front = all.map((each, row) => point(row, row, 1, each));
        const labels = front.map(shortLabels(front, []));
        expect(new Set(labels).size).toBe(front.length);
        for (const [key, sign] of [
          ['tensor', 't1'],
          ['expert', 'e1'],
          ['schedule', '1f1b'],
        ] as const)
          // prettier-ignore
          if (new Set(all.map((each) => each[key])).size === 1)
            expect(labels.join(' ').split(' ')).not.toContain(sign);
      }),
    );
    // Rows of equal ranks, as a front of one cluster often has them.
    const ranks = { tensor: '8', expert: '8' };
    const alike = [
      point(0, 1, 9, { ...ranks, schedule: '1f1b', recompute: 'none' }),
      point(1, 2, 8, { ...ranks, schedule: 'zb_h1', recompute: 'none' }),
      point(2, 3, 7, { ...ranks, schedule: '1f1b', recompute: 'full' }),
    ];
    expect(alike.map(shortLabels(alike, []))).toEqual([
      '1f1b recompute none',
      'zb_h1 recompute none',
      '1f1b recompute full',
    ]);
    // The legend says of what `none` is.
    expect(alike.map(shortLabels(alike, ['recompute']))).toEqual(['1f1b none', 'zb_h1 none', '1f1b full']);
  });
});

describe('looks', () => {
  const axes = [
    { key: 'tensor', values: ['1', '2', '4'] },
    { key: 'schedule', values: ['1f1b', 'interleaved_1f1b(chunks = 2)', 'interleaved_1f1b(chunks = 4)'] },
    { key: 'recompute', values: ['none', 'full'] },
  ];
  const all = (keys: readonly string[]) =>
    axes.flatMap(({ key, values }) =>
      keys.includes(key) ? values.map((value) => point(0, 1, 1, { [key]: value })) : [],
    );

  test('shapes are schedules without their arguments; colours are recomputation, otherwise what varies most', () => {
    const found = looksOf(all(['tensor', 'schedule', 'recompute']), { axes });
    expect(found).toEqual({
      shape: { key: 'schedule', values: ['1f1b', 'interleaved_1f1b'] },
      colour: { key: 'recompute', values: ['none', 'full'] },
    });
    expect(shapeOf(found)(point(0, 1, 1, { schedule: 'interleaved_1f1b(chunks = 4)' }))).toBe(1);
    expect(hueOf(found)(point(0, 1, 1, { recompute: 'full' }))).toBe(1);
    expect(looksOf(all(['tensor', 'schedule']), { axes }).colour?.key).toBe('tensor');
    expect(looksOf([point(0, 1, 1, { schedule: '1f1b' })], { axes })).toEqual({ shape: undefined, colour: undefined });
  });

  test('of more values than looks the last look has all further ones', () => {
    const values = Array.from({ length: 12 }, (_, at) => `s${at}`);
    const points = values.map((schedule) => point(0, 1, 1, { schedule }));
    const found = looksOf(points, { axes: [{ key: 'schedule', values }] });
    expect(points.map(shapeOf(found))).toEqual([0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5]);
  });
});

describe('marks', () => {
  test.each(shapes)('the pixels of a %s cover as much as its corners enclose', (shape) => {
    const { cover, size } = maskOf(shape, 24);
    const corners = cornersOf(shape);
    const covered = cover.reduce((sum, share) => sum + share / 255, 0) / (size / 2) ** 2;
    const enclosed =
      corners === undefined
        ? Math.PI * 0.9
        : Math.abs(
            corners.reduce((sum, [x, y], index) => {
              const [nextX, nextY] = corners[(index + 1) % corners.length];
              return sum + (x * nextY - nextX * y) / 2;
            }, 0),
          );
    expect(Math.abs(covered / enclosed - 1)).toBeLessThan(0.08);
  });

  test('a point is where it belongs, in its colour; one outside changes nothing', () => {
    const frame = { width: 40, height: 30, data: new Uint8ClampedArray(40 * 30 * 4) };
    const mask = [maskOf('square', 8)];
    const at = (x: number, y: number) => Array.from(frame.data.slice((y * 40 + x) * 4, (y * 40 + x) * 4 + 4));
    const marks = (x: number, y: number, colour: number) => ({
      x: Float32Array.of(x),
      y: Float32Array.of(y),
      shape: Uint8Array.of(0),
      colour: Uint8Array.of(colour),
    });
    drawMarks(frame, marks(10, 12, 1), mask, [
      [1, 2, 3],
      [200, 100, 50],
    ]);
    expect(at(10, 12)).toEqual([200, 100, 50, 255]);
    expect(at(10, 20)).toEqual([0, 0, 0, 0]);
    const before = frame.data.slice();
    drawMarks(frame, marks(500, -300, 0), mask, [[1, 2, 3]]);
    expect(frame.data).toEqual(before);
    // Half in sight, at each edge.
    for (const [x, y] of [
      [0, 0],
      [39, 29],
    ])
      drawMarks(frame, marks(x, y, 0), mask, [[1, 2, 3]]);
    expect([at(0, 0), at(39, 29)]).toEqual([
      [1, 2, 3, 255],
      [1, 2, 3, 255],
    ]);
  });
});
