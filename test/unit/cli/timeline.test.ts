import type { Run } from '../../../engine/schedule/evaluation.ts';
import * as fc from '../../support/property.ts';
import picocolors from 'picocolors';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cellsOf } from '../../../cli/drawing/cells.ts';
import { laneOf, type Lane } from '../../../cli/drawing/lane.ts';
import { scaleOf } from '../../../cli/drawing/scale.ts';
import { roundStep, rowText, ruler, timelineText } from '../../../cli/drawing/timeline.ts';
import { width } from '../../../cli/drawing/width.ts';
import { equal, runOf, type Wanted } from './drawn.ts';

const plain = picocolors.createColors(false);
const bright = picocolors.createColors(true);
const letters = ['F', 'B', 'I', 'W'];

/** What runs on a device at an instant, found by looking at every operation: letter and microbatch, or nothing. */
function runsAt(lane: Lane, at: number): string | undefined {
  for (let position = 0; position < lane.word.length; position += 1) {
    if (lane.start[position] <= at && at < lane.end[position])
      return `${letters[lane.kind(position)]}${lane.microbatch(position)}`;
  }
  return undefined;
}

/** Reads a row without colours back: for each character the operation that it belongs to; the number may be missing. */
function read(row: string): (string | undefined)[] {
  let current: string | undefined;
  return [...row.matchAll(/([FBIW])(\d*)(─*)|([·~=])/g)].flatMap(([all, letter, number]) => {
    current = letter === undefined ? undefined : `${letter}${number}`;
    return Array.from({ length: all.length }, () => current);
  });
}

const rowsOf = (run: Run, columns: number) =>
  run.report.devices.map((_, device) => {
    const lane = laneOf(run, device);
    const scale = scaleOf(run, columns);
    return { lane, scale, text: rowText(cellsOf(lane, scale), lane, scale, plain) };
  });

const times = (stages: number) => fc.array(fc.integer({ min: 1, max: 9 }), { minLength: stages, maxLength: stages });
const wanted: fc.Arbitrary<Wanted> = fc
  .tuple(
    fc.constantFrom('gpipe', '1f1b', 'eager_1f1b', 'zb_h1', 'zb_h2'),
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 1, max: 20 }),
  )
  .chain(([policy, stages, microbatches]) =>
    fc.record({
      policy: fc.constant(policy),
      microbatches: fc.constant(microbatches),
      forward: times(stages),
      backwardInput: times(stages),
      backwardWeight: times(stages),
      latency: fc.constantFrom(0, 0.3, 2),
      sync: fc.constantFrom(0, 3),
      optimizer: fc.constantFrom(0, 2),
    }),
  );

describe('the drawn timeline', () => {
  test('a character shows what runs at the middle of its interval', () => {
    fc.assert(
      fc.property(wanted, fc.integer({ min: 10, max: 400 }), (one, columns) => {
        for (const { lane, scale, text } of rowsOf(runOf(one), columns)) {
          expect(text.length).toBe(scale.cells);
          if (scale.compressed) continue;
          read(text).forEach((shown, cell) => {
            // Just after it: sums of times are not exact.
            const truth = runsAt(lane, (cell + 0.5 + 1e-6) * scale.cell);
            expect(shown?.[0]).toBe(truth?.[0]);
            if (shown !== undefined && shown.length > 1) expect(shown).toBe(truth);
          });
        }
      }),
    );
  });

  test('uncompressed, every operation has a character of its own', () => {
    fc.assert(
      fc.property(wanted, fc.integer({ min: 10, max: 600 }), (one, columns) => {
        for (const { lane, scale } of rowsOf(runOf(one), columns)) {
          if (scale.compressed) continue;
          const seen = new Set(
            cellsOf(lane, scale).flatMap(({ position }) => (position === undefined ? [] : [position])),
          );
          expect(seen.size).toBe(lane.word.length);
        }
      }),
    );
  });

  test('an operation as wide as a character that begins at the middle of one has a character', () => {
    // Found by chance: at multiples of 0.3 the sum of times puts the end just under the next middle.
    const run = runOf({
      policy: 'zb_h2',
      microbatches: 12,
      forward: [3, 2, 7, 9, 1, 1],
      backwardInput: [1, 7, 9, 8, 1, 1],
      backwardWeight: [1, 1, 1, 4, 1, 1],
      latency: 0.3,
      sync: 0,
      optimizer: 0,
    });
    for (const { lane, scale } of rowsOf(run, 265)) {
      expect(scale.compressed).toBe(false);
      expect(new Set(cellsOf(lane, scale).map(({ position }) => position)).size - 1).toBe(lane.word.length);
    }
  });

  test('compressed, a character shows the one kind that runs in most of its interval, or x for several', () => {
    fc.assert(
      fc.property(wanted, (one) => {
        for (const { lane, scale, text } of rowsOf(runOf(one), 10)) {
          if (!scale.compressed) continue;
          [...text].forEach((shown, cell) => {
            const share = { F: 0, B: 0, I: 0, W: 0, '~': 0, '=': 0, '·': 0 };
            const samples = 400;
            for (let k = 0; k < samples; k += 1) {
              const at = (cell + (k + 0.5) / samples) * scale.cell;
              const after = at < lane.last || at >= lane.stepEnd ? '·' : at < lane.syncEnd ? '~' : '=';
              share[(runsAt(lane, at)?.[0] ?? after) as keyof typeof share] += 1 / samples;
            }
            // Sampling is off by at most a sample for each border within the interval.
            const off = (2 * (lane.word.length + 2)) / samples;
            const { '~': sync, '=': step, '·': still, ...kinds } = share;
            const busy = Object.values(kinds).reduce((sum, value) => sum + value, 0);
            const others = Math.max(sync, step, still);
            if ('~=·'.includes(shown)) return expect(share[shown as '·']).toBeGreaterThan(Math.max(busy, others) - off);
            expect(busy).toBeGreaterThan(others - off);
            const second = Object.values(kinds).toSorted((a, b) => b - a)[1];
            // Of what runs, an eighth is the least that counts.
            if (shown === 'x') return expect(second).toBeGreaterThan(busy / 8 - off);
            expect(second).toBeLessThan(busy / 8 + off);
            return expect(kinds[shown as 'F']).toBeGreaterThan(Math.max(...Object.values(kinds)) - off);
          });
        }
      }),
      { numRuns: 30 },
    );
  });

  test('compressed, 1F1B alternates until it drains, and GPipe turns once', () => {
    const rows = (policy: string) => rowsOf(runOf(equal(policy, 4, 64)), 50).map(({ text }) => text);
    for (const row of rows('1f1b')) expect(row).toMatch(/^[F·]{0,3}B?x{40,}B{0,3}·?$/u);
    expect(rows('1f1b')[3]).toMatch(/^·x{40,}B?·$/u);
    for (const row of rows('gpipe')) expect(row).toMatch(/^·?F{14,}·*x?·*B{28,}·?$/u);
  });

  test('the legend names what a mixture has, and colours keep the width', () => {
    const run = runOf(equal('1f1b', 4, 64));
    const names = ['a', 'b', 'c', 'd'];
    expect(timelineText(run, names, 57, plain)).toContain('  x F and B');
    const coloured = stripVTControlCharacters(timelineText(run, names, 57, bright)).split('\n');
    const uncoloured = timelineText(run, names, 57, plain).split('\n');
    for (const row of [1, 2, 3, 4]) {
      expect(coloured[row]).toHaveLength(uncoloured[row].length);
      expect(coloured[row].indexOf('▞')).toBe(uncoloured[row].indexOf('x'));
    }
    expect(timelineText(runOf(equal('1f1b', 4, 4)), names, 57, plain)).not.toContain(' x ');
  });

  test('equal stages: the idle characters of 1F1B are (p − 1)(F + B) on each device', () => {
    for (const [p, m] of [
      [2, 4],
      [4, 8],
      [6, 6],
    ] as const) {
      const rows = rowsOf(runOf(equal('1f1b', p, m)), 3 * (m + p - 1));
      for (const { text } of rows) expect([...text].filter((name) => name === '·')).toHaveLength(3 * (p - 1));
    }
  });

  test('a terminal shows the same with colours: as wide, the numbers of the microbatches in order', () => {
    const run = runOf(equal('1f1b', 4, 8));
    const lane = laneOf(run, 0);
    const scale = scaleOf(run, 66);
    const row = rowText(cellsOf(lane, scale), lane, scale, bright);
    const shown = stripVTControlCharacters(row);
    expect(shown).toHaveLength(66);
    expect(row).not.toBe(shown);
    expect(shown.match(/\d+/g)?.map(Number)).toEqual(Array.from(lane.word, (_, position) => lane.microbatch(position)));
  });

  test('no line is wider than the columns, whatever they are', () => {
    fc.assert(
      fc.property(wanted, fc.integer({ min: 40, max: 200 }), fc.boolean(), (one, columns, colour) => {
        const run = runOf(one);
        const names = run.report.devices.map(({ name }) => name);
        const text = timelineText(run, names, columns, colour ? bright : plain);
        const rows = text.split('\n').slice(0, 1 + names.length);
        for (const row of rows) expect(width(stripVTControlCharacters(row))).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test('the ruler ends, whatever the times', () => {
    const scale = scaleOf(runOf(equal('1f1b', 4, 8)), 80);
    for (const cell of [0, 5e-324, 1e-310, 1e-300, 1e-9, 1, 1e300, 1e308, Infinity, NaN])
      expect(ruler({ ...scale, cell }).length).toBeLessThanOrEqual(scale.cells);
  });

  test('the ruler steps by 1, 2 or 5 times a power of ten', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (least) => {
        const step = roundStep(least);
        expect(step).toBeGreaterThanOrEqual(least * (1 - 1e-9));
        expect(step).toBeLessThan(2.5 * least * (1 + 1e-9));
        expect(step.toExponential(6)).toMatch(/^[125]\.0+e/);
      }),
    );
  });
});
