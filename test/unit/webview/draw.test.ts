import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { paletteFrom, themeFrom } from '../../../webview/view/scene/theme.ts';
import { hit } from '../../../webview/picture/columns.ts';
import type { Columns } from '../../../webview/picture/columns.ts';
import { colouringOf } from '../../../webview/worker/colouring.ts';
import { draw } from '../../../webview/worker/draw.ts';
import { hueColours, versionColours } from '../../../webview/worker/palette.ts';
import { buildPyramid } from '../../../webview/worker/pyramid.ts';
import { columnsFrom, plainRows } from './columns.ts';
import type { FrameView } from '../../../webview/worker/frame.ts';

const theme = themeFrom('dark', () => '');
const palette = paletteFrom(theme, 'operation', new Uint8Array(64));
const pyramidOf = (columns: Columns, colours = palette) => buildPyramid(columns, colouringOf(columns, colours));
const view = (t0: number, t1: number, rowHeight: number, top = 0): FrameView => ({
  t0,
  t1,
  top,
  rowHeight,
  bandTop: 1,
  bandHeight: rowHeight - 2,
  radius: 0,
  notch: 0,
});

describe('draw', () => {
  it('shows at each pixel what happens at that time, where blocks are wide', () => {
    fc.assert(
      fc.property(plainRows(12), fc.boolean(), (rows, recompute) => {
        const columns = columnsFrom(rows, recompute);
        const perTick = 20;
        const width = columns.makespan * perTick;
        const height = rows.length * 8;
        const pixels = draw(view(0, columns.makespan, 8), width, height, columns, pyramidOf(columns), palette);
        rows.forEach((row, device) => {
          const line = (device * 8 + 4) * width;
          let time = 0;
          for (const { kind, gap, length } of row) {
            for (let tick = 0; tick < gap; tick += 1)
              expect(pixels[line + (time + tick) * perTick + 9]).toBe(palette.background);
            time += gap;
            const colours =
              kind === 1
                ? recompute
                  ? [
                      [0.05, 3],
                      [0.3, 1],
                      [0.8, 2],
                    ]
                  : [
                      [0.3, 1],
                      [0.8, 2],
                    ]
                : [[0.5, kind === 0 ? 0 : kind === 2 ? 1 : 2]];
            for (const [share, colour] of colours) {
              expect(pixels[line + Math.floor((time + length * share) * perTick)]).toBe(palette.colours[colour]);
            }
            time += length;
          }
        });
      }),
      { numRuns: 40 },
    );
  });

  it('keeps a pixel between rows and between neighbours', () => {
    const columns = columnsFrom([
      [
        { kind: 0, gap: 0, length: 5 },
        { kind: 0, gap: 0, length: 5 },
      ],
      [{ kind: 0, gap: 0, length: 10 }],
    ]);
    const pixels = draw(view(0, 10, 10), 100, 20, columns, pyramidOf(columns), palette);
    expect(pixels[5 * 100 + 48]).toBe(palette.colours[0]);
    expect(pixels[5 * 100 + 49]).toBe(palette.background);
    expect(pixels[5 * 100 + 50]).toBe(palette.colours[0]);
    expect(pixels[9 * 100 + 20]).toBe(palette.background);
    expect(pixels[10 * 100 + 20]).toBe(palette.background);
  });

  it.each(['microbatch', 'version'] as const)(
    'says the kind by the shape where colours say the %s: backwards have a notch, weight gradients fill the lower half',
    (by) => {
      const row = [0, 1, 2, 3].map((kind) => ({ kind, gap: 0, length: 2 }));
      const plain = columnsFrom([row]);
      const versions = {
        read: Int32Array.of(0, 0, 0, 0),
        used: Int32Array.of(5, 5, 5, 5),
        made: new Int32Array(4),
        home: Int32Array.of(0),
      };
      const columns = { ...plain, versions };
      const coloured = paletteFrom(theme, by, new Uint8Array(1));
      const tick = 20;
      const width = columns.makespan * tick;
      const shape = { ...view(0, columns.makespan, 22), notch: 7 };
      const pixels = draw(shape, width, 22, columns, pyramidOf(columns), coloured);
      const at = (x: number, y: number) => pixels[y * width + x];
      const [forward, backward, input, weight] = [0, 1, 2, 3].map((index) =>
        by === 'microbatch'
          ? coloured.colours[hueColours + index]
          : coloured.colours[versionColours + (index === 0 ? 0 : 1)],
      );
      // Blocks are 40 pixels long, the last of them a gap; lines 1 to 20 are theirs.
      expect(at(38, 1)).toBe(forward);
      for (const [start, colour] of [
        [40, backward],
        [80, input],
      ] as const) {
        for (let line = 0; line < 9; line += 1) {
          const cut = Math.max(0, 7 - line);
          expect(at(start + 38 - cut, 1 + line)).toBe(colour);
          if (cut > 0) expect(at(start + 39 - cut, 1 + line)).toBe(coloured.background);
        }
        expect(at(start + 38, 20)).toBe(colour);
      }
      expect(at(140, 10)).toBe(coloured.background);
      expect(at(140, 11)).toBe(weight);
    },
  );

  it('stays inside its buffer and returns it, for any view', () => {
    fc.assert(
      fc.property(
        plainRows(60, 40),
        fc.double({ min: -50, max: 50, noNaN: true }),
        fc.double({ min: 1e-6, max: 500, noNaN: true }),
        fc.double({ min: 0.01, max: 60, noNaN: true }),
        fc.double({ min: -30, max: 900, noNaN: true }),
        fc.constantFrom('operation', 'microbatch', 'chunk' as const),
        (rows, t0, length, rowHeight, top, by) => {
          const columns = columnsFrom(rows);
          const out = new Uint32Array(64 * 48);
          const shape = { ...view(t0, t0 + length, rowHeight, top), bandHeight: rowHeight, radius: 2 };
          const drawn = draw(
            shape,
            64,
            48,
            columns,
            pyramidOf(columns),
            { ...paletteFrom(theme, by, new Uint8Array(64)), border: 0xff0000ff },
            out,
          );
          expect(drawn).toBe(out);
          expect(drawn.every((pixel) => pixel >>> 24 === 255)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('draws nothing of an empty timeline', () => {
    const columns = columnsFrom([]);
    expect(
      draw(view(0, 1, 10), 8, 8, columns, pyramidOf(columns), palette).every((pixel) => pixel === palette.background),
    ).toBe(true);
  });
});

describe('hit', () => {
  it('finds what a search through all blocks finds', () => {
    fc.assert(
      fc.property(
        plainRows(20),
        fc.double({ min: -1, max: 300, noNaN: true }),
        fc.integer({ min: -1, max: 7 }),
        (rows, time, row) => {
          const columns = columnsFrom(rows);
          let expected = -1;
          for (let block = columns.offsets[row] ?? 0; block < (columns.offsets[row + 1] ?? 0); block += 1) {
            if (row >= 0 && columns.start[block] <= time && time < columns.end[block]) expected = block;
          }
          expect(hit(columns, time, row)).toBe(expected);
        },
      ),
    );
  });
});
