import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { timelineText } from '../../../cli/drawing/timeline.ts';
import { csv } from '../../../cli/output/csv.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { rowOfItems } from '../../../engine/schedule/rowItems.ts';
import type { RowItem } from '../../../engine/values/plan.ts';
import { recipePlan } from '../support/plans.ts';
import { columnsOf } from '../../../webview/worker/makeColumns.ts';

const item = (op: 'F' | 'B', stage: number, microbatch: number, fusedWithNext = false): RowItem => ({
  op,
  stage,
  microbatch,
  fusedWithNext,
  item: 0,
});

/** Two devices, F = 1 s and B = 2 s; device 0 runs F1 and B0 in one slot, from 4 s (B0's gradient) to 7 s. */
const plan = recipePlan({
  devices: 2,
  microbatches: 2,
  schedule: {
    kind: 'rows',
    name: 'fused',
    rows: [
      [item('F', 0, 0), item('F', 0, 1, true), item('B', 0, 0), item('B', 0, 1)],
      [item('F', 1, 0), item('B', 1, 0), item('F', 1, 1), item('B', 1, 1)],
    ].map((row) => rowOfItems(row)),
  },
});
const { run } = evaluate(plan, defaultOptions);
if (run === undefined) throw new Error('the plan does not run');

test('the table of operations gives both operations of a fused slot the times of the slot', () => {
  const lines = [...csv(run)].join('').split('\r\n');
  expect(lines).toContain('gpu[0],s0,F,1,4,7');
  expect(lines).toContain('gpu[0],s0,B,0,4,7');
});

test('the preview is given the times of the slot, and which half each operation is', () => {
  const { start, end, pair } = columnsOf(plan, run.timeline);
  expect([start[1], end[1], start[2], end[2]]).toEqual([4, 7, 4, 7]);
  expect(pair?.slice(0, 4)).toEqual(Uint8Array.of(0, 1, 2, 0));
});

test('the drawing shows one after the other, each with its own length', () => {
  const [, row] = timelineText(run, ['gpu[0]', 'gpu[1]'], 10 + 2 * 12, picocolors.createColors(false)).split('\n');
  expect(row).toBe('  gpu[0]  F0······F1B0──······B1──');
});
