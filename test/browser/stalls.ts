import type { PipelinePlan, SchedulePlan } from '../../engine/values/plan.ts';
import { rowOfItems } from '../../engine/schedule/rowItems.ts';
import { pipeline, type PlanShape } from './plans.ts';

type Rows = Extract<SchedulePlan, { kind: 'rows' }>['rows'];

/** `F0 B0 F1` as a row of operations of a stage. */
export const row = (stage: number, text: string): Rows[number] =>
  rowOfItems(
    text.split(' ').map((word, item) => ({
      op: word[0] === 'F' ? 'F' : 'B',
      stage,
      microbatch: Number(word.slice(1)),
      item,
    })),
  );

/** Rows of text, one for each device, that wait for each other. */
export const rowsPlan = (rows: readonly string[], shape: Partial<PlanShape> = {}): PipelinePlan =>
  pipeline({
    devices: rows.length,
    microbatches: new Set(rows.join(' ').match(/\d+/g)).size,
    latency: 0,
    schedule: { kind: 'rows', name: 'mine', rows: rows.map((text, stage) => row(stage, text)) },
    ...shape,
  });

/** Four devices of which the middle two wait for each other. */
export const stalled = rowsPlan(['F0 F1 B0 B1', 'F0 B0 F1 B1', 'F1 F0 B0 B1', 'F0 B0 F1 B1']);

/** Many devices that run a few microbatches in order; the two in the middle then wait for each other. */
export function longStall(devices: number, microbatches: number): PipelinePlan {
  const numbers = Array.from({ length: microbatches }, (_, index) => index);
  const plain = [...numbers.map((n) => `F${n}`), ...numbers.map((n) => `B${n}`)].join(' ');
  const half = Math.floor(devices / 2);
  const late = microbatches - 1;
  // It runs its first backward before its last forward, and the next device needs that forward first.
  const early = [
    ...numbers.slice(0, late).map((n) => `F${n}`),
    'B0',
    `F${late}`,
    ...numbers.slice(1).map((n) => `B${n}`),
  ];
  return rowsPlan(Array.from({ length: devices }, (_, device) => (device === half ? early.join(' ') : plain)));
}
