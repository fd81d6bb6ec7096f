/** Spreads the rows of a schedule out into operations, for one pipeline. Sizes are counted before anything is made. */
import type { PlacedNumbers, StagesOf } from '../definitions/scheduleEvaluator.ts';
import type { Entry, Expression, Span } from '../../grammar/syntax.ts';
import { pack, packEnds } from '../basics/packed.ts';
import type { RowPlan } from '../values/plan.ts';
import type { NumberCode, SequenceCode } from '../sequences/code.ts';
import { compileSequence } from '../sequences/operands.ts';
import { type Frame, outside, pays, tooManyOperations } from '../sequences/frame.ts';
import type { Names } from '../sequences/names.ts';
import { clear, type OperationList } from '../sequences/operationList.ts';
import { slotsOf, tooDeep } from '../sequences/schedule.ts';

/** A `row(d)`, `row(0)` or `row(devices - 1)`, compiled. */
export interface Row {
  readonly entry: Entry;
  /** Of the parameter; absent for the row of one device. */
  readonly slot?: number;
  /** The device, where it follows from the numbers of the pipeline. */
  readonly device?: { readonly code: NumberCode; readonly at: Expression };
  readonly items: readonly { readonly code: SequenceCode; readonly expression: Expression }[];
}

/** Rows of a schedule: one for all devices, and rows of single devices. */
export interface Rows {
  readonly general?: Row;
  readonly byDevice: ReadonlyMap<number, Row>;
  /** Rows of devices that follow from the numbers of the pipeline. */
  readonly computed: readonly Row[];
}

/** Rows as the order of a schedule. */
export interface RowsText {
  readonly kind: 'rows';
  readonly rows: Rows;
}

/** Rows of a pipeline, whose devices are known. */
export type RowsOn = Pick<Rows, 'general' | 'byDevice'>;

/** The device of each row. A device that two rows are for runs the one that is written first; one that is not there is reported. */
export function rowsOn(frame: Frame, { general, byDevice, computed }: Rows, devices: number): RowsOn {
  const allowed = devices === 1 ? '0: there is one device' : `from 0 to ${devices - 1}`;
  const refuse = (at: Span, device: number) => outside(frame, at, 'The number of the device', String(device), allowed);
  for (const [device, { entry }] of byDevice) if (device >= devices) refuse(entry.parameters?.[0] ?? entry.key, device);
  if (computed.length === 0) return { general, byDevice };
  const rows = new Map(byDevice);
  for (const row of computed) {
    if (row.device === undefined) continue;
    const device = row.device.code.at(frame);
    if (!(Number.isSafeInteger(device) && device >= 0 && device < devices)) refuse(row.device.at, device);
    const earlier = rows.get(device);
    if (earlier === undefined || row.entry.start < earlier.entry.start) rows.set(device, row);
  }
  return { general, byDevice: rows };
}

/** The row; `undefined` where it is wrong, which has been reported. */
export function compileRow(names: Names, entry: Entry): Row | undefined {
  const [slot] = slotsOf(names, entry.parameters ?? []);
  const items = (entry.values ?? []).map((expression) => ({ expression, code: compileSequence(names, expression) }));
  const sound = items.flatMap(({ expression, code }) =>
    code === undefined || tooDeep(names, expression, code) ? [] : [{ expression, code }],
  );
  return sound.length === items.length ? { entry, ...(slot === undefined ? {} : { slot }), items: sound } : undefined;
}

/** Operations of each device; `undefined` where a row is wrong or they are over the limit (reported in the schedule's file). */
export function expandRows(
  frame: Frame,
  written: Rows,
  { devices, stagesOf }: PlacedNumbers,
): readonly RowPlan[] | undefined {
  const on = rowsOn(frame, written, devices);
  if (frame.failed) return undefined;
  const rows: RowPlan[] = [];
  let total = 0;
  for (let device = 0; device < devices; device += 1) {
    const row = enterRow(frame, on, device, stagesOf);
    const ends: number[] = [];
    for (const item of row?.items ?? []) {
      total += writeItem(frame, item, total);
      if (frame.failed) return undefined;
      ends.push(frame.out.length);
    }
    const written = rowPlan(frame.out, ends, frame.overlap ?? 0);
    rows.push(frame.keeper === undefined ? written : { ...written, keeper: frame.keeper });
  }
  return rows;
}

/** Writes an expression of a row behind `before` operations, if all are within the limit. Answers how many it may have written. */
export function writeItem(frame: Frame, { code, expression }: Row['items'][number], before = 0): number {
  // An empty run costs its reading, too.
  const size = Math.max(1, code.size(frame));
  if (!(before + size <= frame.operations)) tooManyOperations(frame, expression, before + size);
  pays(frame, size);
  if (!frame.failed) code.emit(frame);
  return size;
}

/** The row of a device, on a frame that is ready to write it. */
export function enterRow(
  frame: Frame,
  { general, byDevice }: RowsOn,
  device: number,
  { all, running }: StagesOf,
): Row | undefined {
  const row = byDevice.get(device) ?? general;
  clear(frame.out);
  if (row?.slot !== undefined) frame.slots[row.slot] = device;
  frame.stagesOf = all[device] ?? [];
  frame.device = device;
  frame.keeper = undefined;
  frame.running = running === undefined ? undefined : (microbatch) => running(device, microbatch);
  return row;
}

/** What was written, as plain data. `ends`: where each written expression ends. */
function rowPlan(out: OperationList, ends: readonly number[], overlap: number): RowPlan {
  const { kinds, stages, microbatches, fused, length } = out;
  const row = {
    kinds: pack(kinds, length),
    stages: pack(stages, length),
    microbatches: pack(microbatches, length),
    items: packEnds(ends),
  };
  if (!out.anyFused) return row;
  const positions = new Int32Array(length);
  let pairs = 0;
  for (let position = 0; position < length; position += 1) if (fused[position] === 1) positions[pairs++] = position;
  return { ...row, fused: pack(positions, pairs), ...(overlap === 0 ? {} : { overlap }) };
}
