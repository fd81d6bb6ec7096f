import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { Columns } from '../../../webview/picture/columns.ts';
import { paletteFrom, themeFrom } from '../../../webview/view/scene/theme.ts';
import { colouringOf } from '../../../webview/worker/colouring.ts';
import { draw } from '../../../webview/worker/draw.ts';
import type { FrameView } from '../../../webview/worker/frame.ts';
import { cones, wordOf } from '../../../webview/worker/oklab.ts';
import { hueColours } from '../../../webview/worker/palette.ts';
import { buildPyramid } from '../../../webview/worker/pyramid.ts';
import { columnsFrom, plainRows, type PlainBlock } from './columns.ts';
import { sharesOf } from './shareOfTime.ts';

const theme = themeFrom('dark', () => '');
const palette = paletteFrom(theme, 'operation', new Uint8Array(64));
const pyramidOf = (columns: ReturnType<typeof columnsFrom>, colours = palette) =>
  buildPyramid(columns, colouringOf(columns, colours));
const view = (t0: number, t1: number, rowHeight: number): FrameView => ({
  t0,
  t1,
  top: 0,
  rowHeight,
  bandTop: 0,
  bandHeight: rowHeight,
  radius: 0,
  notch: 0,
});
const channels = (word: number) => [word & 255, (word >> 8) & 255, (word >> 16) & 255];
const long = (row: readonly PlainBlock[], length: number) => Array.from({ length }, (_, at) => row[at % row.length]);

/** OKLab with both of its matrices, there and back, as published (Ottosson 2020). */
function oklab(word: number): number[] {
  const [r, g, b] = channels(word).map((byte) =>
    byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4,
  );
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
function fromOklab([L, a, b]: readonly number[]): number[] {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((light) => {
    const share = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
    return 255 * Math.max(0, Math.min(1, share));
  });
}

/** Shares around pixel `x`, as they are smoothed: half pixels by [1 3 3 1], pixels by [1 4 6 4 1]. */
function smoothed(shares: (from: number, to: number) => number[], x: number, pixel: number): number[] {
  let sum: number[] | undefined;
  [1, 4, 6, 4, 1].forEach((outer, at) => {
    [1, 3, 3, 1].forEach((inner, cell) => {
      const from = (x + at - 2 + (cell - 1) / 2) * pixel;
      const part = shares(from, from + pixel / 2);
      sum = part.map((share, kind) => (sum?.[kind] ?? 0) + (share * outer * inner) / 128);
    });
  });
  return sum ?? [];
}

function mixture(shares: readonly number[], colours: readonly number[]): number[] {
  const ground = oklab(palette.background);
  const hues = colours.map(oklab);
  return fromOklab(
    ground.map((part, at) => shares.reduce((sum, share, kind) => sum + share * (hues[kind][at] - part), part)),
  );
}

describe('OKLab', () => {
  it('agrees with published values and gives every grey back', () => {
    // Red, green and blue as the CSS Color 4 specification lists them, to three digits.
    for (const [word, expected] of [
      [0xff0000ff, [0.628, 0.225, 0.126]],
      [0xff00ff00, [0.866, -0.234, 0.179]],
      [0xffff0000, [0.452, -0.032, -0.312]],
    ] as const) {
      oklab(word).forEach((part, at) => expect(part).toBeCloseTo(expected[at], 3));
    }
    const cone = new Float64Array(3);
    for (let grey = 0; grey < 256; grey += 1) {
      const word = (0xff000000 | (grey * 0x010101)) >>> 0;
      cones(word, cone, 0);
      expect(wordOf(cone[0], cone[1], cone[2])).toBe(word);
    }
  });
});

describe('rows of blocks too narrow to be drawn', () => {
  it('mix the colours of kinds and the background in OKLab by their shares of time, for devices and groups of devices', () => {
    fc.assert(
      fc.property(plainRows(12, 5), fc.integer({ min: 20, max: 90 }), fc.boolean(), (few, width, grouped) => {
        const rows = few.map((row) => long(row, 300));
        const columns = columnsFrom(rows);
        const spans = grouped ? Int32Array.of(0, rows.length) : undefined;
        const shape = { ...view(0, columns.makespan, 8), spans };
        for (const pyramid of [undefined, pyramidOf(columns)]) {
          const pixels = draw(shape, width, rows.length * 8, columns, pyramid, palette);
          const step = columns.makespan / width;
          for (const [at, members] of grouped ? [rows].entries() : rows.map((row) => [row]).entries()) {
            for (let x = at; x < width; x += 11) {
              const shares = smoothed((from, to) => sharesOf(members, from, to), x, step);
              const expected = mixture(shares, [...palette.colours.slice(0, 3)]);
              // Bins that lie in two cells are taken to be even: an edge may be off by a part of a bin.
              const tolerance = pyramid === undefined ? 2 : 8;
              channels(pixels[(at * 8 + 3) * width + x]).forEach((channel, part) =>
                expect(Math.abs(channel - expected[part])).toBeLessThanOrEqual(tolerance),
              );
            }
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  it('mix the hues of microbatches where these are the colours', () => {
    const hues = paletteFrom(theme, 'microbatch', new Uint8Array(1));
    const row = Array.from({ length: 800 }, () => ({ kind: 0, gap: 0, length: 1 }));
    const columns = columnsFrom([row]);
    // Two pixels hold a round of eight hues.
    const [width, step] = [200, 4];
    for (const pyramid of [undefined, pyramidOf(columns, hues)]) {
      const pixels = draw(view(0, columns.makespan, 8), width, 8, columns, pyramid, hues);
      for (let x = 4; x < width - 4; x += 5) {
        const shares = smoothed(
          (from, to) =>
            Array.from({ length: 8 }, (_, hue) => {
              let seconds = 0;
              for (let block = Math.max(0, Math.floor(from)); block < to; block += 1)
                if (block % 8 === hue) seconds += Math.min(to, block + 1) - Math.max(from, block);
              return seconds / (to - from);
            }),
          x,
          step,
        );
        const expected = mixture(shares, [...hues.colours.slice(hueColours, hueColours + 8)]);
        channels(pixels[3 * width + x]).forEach((channel, part) =>
          expect(Math.abs(channel - expected[part])).toBeLessThanOrEqual(2),
        );
      }
    }
  });

  it('show an even tone where a pattern repeats faster than the screen can show, whatever its length', () => {
    const pattern = [
      { kind: 0, gap: 0, length: 10 },
      { kind: 2, gap: 0, length: 11 },
      { kind: 3, gap: 0, length: 9 },
    ];
    const columns = columnsFrom([long(pattern, 6000)]);
    const pyramid = pyramidOf(columns);
    for (let period = 0.2; period <= 2; period *= 1.09) {
      const width = 300;
      const t0 = columns.makespan * 0.3;
      const shape = view(t0, Math.min(columns.makespan, t0 + (width * 30) / period), 8);
      const pixels = draw(shape, width, 8, columns, pyramid, palette);
      const inside = [...pixels.slice(3 * width + 10, 4 * width - 10)].map(channels);
      for (const part of [0, 1, 2]) {
        const values = inside.map((colour) => colour[part]);
        expect(Math.max(...values) - Math.min(...values), `period ${period} px`).toBeLessThanOrEqual(10);
      }
    }
  });

  it('move by whole pixels when the view does', () => {
    const columns = columnsFrom([
      long(
        [0, 1, 2, 3].map((kind) => ({ kind, gap: kind % 2, length: 2 + kind })),
        4000,
      ),
    ]);
    const [width, step] = [512, columns.makespan / 1024];
    const at = (first: number) =>
      draw(view(first * step, (first + width) * step, 10), width, 10, columns, pyramidOf(columns), palette);
    const [before, moved] = [at(0), at(32)];
    for (let x = 0; x < width - 32; x += 1) {
      const there = channels(before[5 * width + x + 32]);
      channels(moved[5 * width + x]).forEach((channel, part) =>
        expect(Math.abs(channel - there[part])).toBeLessThanOrEqual(1),
      );
    }
  });

  it('stack forwards, input gradients and weight gradients from below in lanes of 20 pixels, idle time on top', () => {
    fc.assert(
      fc.property(plainRows(12, 2), fc.integer({ min: 20, max: 60 }), (few, height) => {
        const rows = few.map((row) => long(row, 300));
        const columns = columnsFrom(rows);
        const width = 40;
        const pixels = draw(
          view(0, columns.makespan, height),
          width,
          rows.length * height,
          columns,
          undefined,
          palette,
        );
        rows.forEach((row, device) => {
          for (let x = 0; x < width; x += 3) {
            const shares = smoothed((from, to) => sharesOf([row], from, to), x, columns.makespan / width);
            let line = (device + 1) * height - 1;
            let sum = 0;
            shares.forEach((share, kind) => {
              sum += share;
              let lines = 0;
              // A row that is full to its top has the next row's colour over it.
              const isKind = () => line >= device * height && pixels[line * width + x] === palette.colours[kind];
              for (; isKind(); line -= 1) lines += 1;
              const foot = (device + 1) * height - 1 - line;
              expect(Math.abs(foot - sum * height)).toBeLessThanOrEqual(0.51);
              expect(Math.abs(lines - share * height)).toBeLessThanOrEqual(1.01);
            });
            for (; line >= device * height; line -= 1) expect(pixels[line * width + x]).toBe(palette.background);
          }
        });
      }),
      { numRuns: 8 },
    );
  });

  /** Whether rows of 24 pixels show blocks: all their lines are equal, where shares are stacked. */
  const inBlocks = (columns: Columns, perSecond: number, dpr = 1): readonly boolean[] => {
    const [width, row] = [Math.round(columns.makespan * perSecond), 24 * dpr];
    const shape = { ...view(0, columns.makespan, row), dpr };
    const pixels = draw(shape, width, columns.rows * row, columns, undefined, palette);
    const line = (y: number) => [...pixels.slice(y * width, (y + 1) * width)].join();
    return Array.from({ length: columns.rows }, (_, device) => line(device * row + 3) === line(device * row + row - 4));
  };

  it('become blocks all at once, by the mean length of the operations of all devices', () => {
    const columns = columnsFrom([
      long([{ kind: 0, gap: 1, length: 4 }], 40),
      long([{ kind: 1, gap: 1, length: 16 }], 10),
    ]);
    // 50 operations of 6.4 seconds on average.
    expect(inBlocks(columns, 0.25)).toEqual([true, true]);
    expect(inBlocks(columns, 0.22)).toEqual([false, false]);
  });

  it('become blocks from one and a half CSS pixels on', () => {
    const columns = columnsFrom([
      long(
        [
          { kind: 0, gap: 1, length: 4 },
          { kind: 1, gap: 1, length: 8 },
        ],
        40,
      ),
    ]);
    // Six seconds on average.
    expect(inBlocks(columns, 0.26)).toEqual([true]);
    expect(inBlocks(columns, 0.24)).toEqual([false]);
    expect(inBlocks(columns, 0.52, 2)).toEqual([true]);
    expect(inBlocks(columns, 0.48, 2)).toEqual([false]);
  });

  it('begin and end where they do, also between two pixels: a pixel has the colour of each block by its part', () => {
    const columns = columnsFrom([
      [
        { kind: 0, gap: 0, length: 3 },
        { kind: 2, gap: 2, length: 3 },
      ],
    ]);
    const pixels = draw(view(0, 8, 24), 6, 24, columns, undefined, palette);
    const of = (shares: readonly number[]) => mixture(shares, [...palette.colours.slice(0, 2)]);
    // Four thirds of a second for each pixel: the first block ends in the third, the second begins in the fourth.
    for (const [x, shares] of [
      [0, [1, 0]],
      [1, [1, 0]],
      [2, [0.25, 0]],
      [3, [0, 0.25]],
      [4, [0, 1]],
    ] as const)
      channels(pixels[12 * 6 + x]).forEach((channel, part) =>
        expect(Math.abs(channel - of(shares)[part]), `pixel ${x}`).toBeLessThanOrEqual(1),
      );
  });

  it('draw the first device for rows whose devices are alike, and the mean for other rows', () => {
    const columns = columnsFrom([
      [{ kind: 0, gap: 0, length: 10 }],
      [{ kind: 0, gap: 0, length: 10 }],
      [{ kind: 2, gap: 0, length: 10 }],
      [{ kind: 3, gap: 0, length: 10 }],
    ]);
    const shape = { ...view(0, 10, 8), spans: Int32Array.of(0, 2, 4), folded: Uint8Array.of(1, 0) };
    const pixels = draw(shape, 40, 24, columns, undefined, palette);
    expect(pixels[3 * 40 + 20]).toBe(palette.colours[0]);
    const expected = mixture([0, 0.5, 0.5], [...palette.colours.slice(0, 3)]);
    channels(pixels[11 * 40 + 20]).forEach((channel, part) =>
      expect(Math.abs(channel - expected[part])).toBeLessThanOrEqual(1),
    );
    expect(pixels[19 * 40 + 20]).toBe(palette.background);
  });
});
