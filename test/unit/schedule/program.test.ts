/** Words, rows and slots of a program are taken apart as they are put together. */
import { expect, test } from 'vitest';
import * as fc from '../../support/property.ts';
import {
  B,
  I,
  kindOf,
  kindOfRow,
  kinds,
  microbatchOf,
  resultRowOf,
  resultRows,
  resultSlotOf,
  rowOf,
  shiftFor,
  stageOf,
  wordOf,
} from '../../../engine/values/program.ts';

const operation = fc
  .record({ stages: fc.integer({ min: 1, max: 40 }), microbatches: fc.integer({ min: 1, max: 5000 }) })
  .chain(({ stages, microbatches }) =>
    fc.record({
      stages: fc.constant(stages),
      microbatches: fc.constant(microbatches),
      kind: fc.integer({ min: 0, max: kinds - 1 }),
      stage: fc.integer({ min: 0, max: stages - 1 }),
      microbatch: fc.integer({ min: 0, max: microbatches - 1 }),
    }),
  );

test('a word gives back the kind, stage and microbatch that it was made of', () => {
  fc.assert(
    fc.property(operation, ({ stages, microbatches, kind, stage, microbatch }) => {
      const program = { stages, microbatches, shift: shiftFor(microbatches) };
      const word = wordOf(program, kind, stage, microbatch);
      expect([kindOf(program, word), stageOf(program, word), microbatchOf(program, word)]).toEqual([
        kind,
        stage,
        microbatch,
      ]);
      expect(kindOfRow(stages, rowOf(program, word))).toBe(kind);
    }),
  );
});

test('B and I share a result; every other kind, stage and microbatch has a slot to itself', () => {
  const program = { stages: 3, microbatches: 5, shift: shiftFor(5), extended: true };
  const makers = new Map<number, Set<string>>();
  for (let kind = 0; kind < kinds; kind += 1)
    for (let stage = 0; stage < 3; stage += 1)
      for (let microbatch = 0; microbatch < 5; microbatch += 1) {
        const slot = resultSlotOf(program, wordOf(program, kind, stage, microbatch));
        const maker = `${kind === I ? B : kind} ${stage} ${microbatch}`;
        makers.set(slot, (makers.get(slot) ?? new Set()).add(maker));
      }
  // Seven results of three stages and five microbatches, without a gap.
  expect([...makers.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 7 * 3 * 5 }, (_, slot) => slot));
  expect([...makers.values()].filter((names) => names.size > 1)).toEqual([]);
});

test('the table of result rows has the four kinds that files write, or all', () => {
  expect([...resultRows({ stages: 2 })]).toEqual([0, 1, 2, 3, 2, 3, 4, 5]);
  expect(resultRows({ stages: 2, extended: true })).toHaveLength(2 * kinds);
  expect(resultRowOf(2, 2 * kinds - 1)).toBe(2 * 7 - 1);
});
