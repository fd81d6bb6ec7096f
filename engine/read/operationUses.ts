/** What the operations that a schedule declares cost and wait for, for the rows of one pipeline. */
import type { PlacedNumbers, StagesOf, UsedOperations } from '../definitions/scheduleEvaluator.ts';
import type { Expression } from '../../grammar/syntax.ts';
import { createReporter } from '../findings/reporter.ts';
import { unpack } from '../basics/packed.ts';
import type { RowPlan, RuleExpression } from '../values/plan.ts';
import { show } from '../basics/quantities.ts';
import type { SequenceCode } from '../sequences/code.ts';
import { counts, type Frame, outside, tooManyOperations, tooManyWaits } from '../sequences/frame.ts';
import type { RuleCode } from '../sequences/guards.ts';
import { clear } from '../sequences/operationList.ts';
import type { DeclaredOperation, OperationKey, OperationParameter } from './operations.ts';

/** One operation of a row. */
interface Place {
  readonly operation: DeclaredOperation;
  readonly device: number;
  readonly stage: number;
  readonly microbatch: number;
}

/** By a rule, `rows` list the operations that it runs. `none` where rows write none of them; `undefined` where an expression is wrong for these numbers (reported). */
export function operationUses(
  frame: Frame,
  declared: readonly DeclaredOperation[],
  rows: readonly RowPlan[],
  { stages, microbatches, iterations = 1, stagesOf }: PlacedNumbers,
  by: 'rows' | 'rule' = 'rows',
): UsedOperations | 'none' | undefined {
  const costs = new Map<string, CostByNumber>();
  const waits: number[] = [];
  const total = microbatches * iterations;
  const { parts } = frame;
  for (const place of placesOf(declared, rows)) {
    const { operation, device, stage, microbatch } = place;
    // What does not exist is reported as an operation of its row.
    if (stage >= stages * parts || microbatch >= total) continue;
    const at: Readonly<Record<OperationParameter, number>> = {
      d: device,
      s: Math.trunc(stage / parts),
      j: microbatch,
    };
    frame.stagesOf = stagesOf.all[device] ?? [];
    const { running } = stagesOf;
    frame.running = running === undefined ? undefined : (asked) => running(device, asked);
    frame.slots[operation.stage] = at.s;
    const key = `${operation.kind} ${device} ${stage}`;
    if (!costs.has(key)) {
      const time = cost(frame, operation.time, at);
      const [holds, sends] = [cost(frame, operation.holds, at), cost(frame, operation.sends, at)];
      const to = operation.to === undefined ? undefined : deviceOf(frame, operation.to, at);
      const place = { operation: operation.kind, device, stage };
      const times = byNumber(operation) ? { times: new Map<number, RuleExpression>() } : {};
      costs.set(key, { ...place, time, holds, sends, ...times, ...(to === undefined ? {} : { to }) });
    }
    costs.get(key)?.times?.set(microbatch, cost(frame, operation.time, at));
    for (const which of ['after', 'before'] as const) {
      const named = operation[which];
      if (named === undefined) continue;
      collect(frame, named, at, { stages: stages * parts, microbatches: total });
      const { out } = frame;
      for (let index = 0; index < out.length; index += 1) {
        waits.push(operation.kind, stage, microbatch, device);
        waits.push(out.kinds[index], out.stages[index], out.microbatches[index], which === 'after' ? 1 : 0);
      }
      if (tooManyWaits(frame, named.at, waits.length / 8)) return undefined;
    }
    if (frame.failed) return undefined;
  }
  if (by === 'rows')
    reportUnwritten(frame, declared, rows, { stages: stages * parts, microbatches: total, running: stagesOf.running });
  if (costs.size === 0) return 'none';
  return { names: declared.map(({ name }) => name), costs: [...costs.values()].map(written), waits };
}

type Cost = UsedOperations['costs'][number];
type CostByNumber = Omit<Cost, 'times'> & { readonly times?: Map<number, RuleExpression> };

/** Whether the time of an operation differs by its number. */
const byNumber = ({ time }: DeclaredOperation): boolean => time?.slots.some(([, of]) => of === 'j') === true;

const written = ({ times, ...cost }: CostByNumber): Cost =>
  times === undefined ? cost : { ...cost, times: [...times].map(([number, time]) => ({ number, time })) };

function* placesOf(declared: readonly DeclaredOperation[], rows: readonly RowPlan[]): Generator<Place, void> {
  const byKind = new Map(declared.map((operation) => [operation.kind, operation]));
  for (const [device, row] of rows.entries()) {
    const [stages, microbatches] = [row.stages, row.microbatches].map(unpack);
    for (const [index, kind] of unpack(row.kinds).entries()) {
      const operation = byKind.get(kind);
      if (operation !== undefined) yield { operation, device, stage: stages[index], microbatch: microbatches[index] };
    }
  }
}

/** Warns of operations that others are to wait for, and that no row runs: nothing waits for them. */
function reportUnwritten(
  frame: Frame,
  declared: readonly DeclaredOperation[],
  rows: readonly RowPlan[],
  most: { readonly stages: number; readonly microbatches: number; readonly running: StagesOf['running'] },
): void {
  const written = new Map<string, { readonly place: Place; readonly numbers: Set<number> }>();
  const kinds = new Set<number>();
  for (const place of placesOf(declared, rows)) {
    const key = `${place.operation.kind} ${place.device} ${place.stage}`;
    const known = written.get(key) ?? { place, numbers: new Set() };
    known.numbers.add(place.microbatch);
    written.set(key, known);
    kinds.add(place.operation.kind);
  }
  const report = (at: Expression, reason: string): void =>
    frame.report.report('key/not-applicable', at, { key: 'before', reason });
  for (const { name, kind, used, before } of declared)
    if (used && before !== undefined && !kinds.has(kind))
      report(before.at, `no row runs the operation "${name}" with these numbers, so nothing waits for it`);
  // Out of range is what a first or last number names: it has no one to wait for it.
  const quiet: Frame = { ...frame, report: createReporter('', 0) };
  for (const { place, numbers } of written.values()) {
    const { operation, device, stage } = place;
    const { name, before } = operation;
    if (before?.slots.some(([, of]) => of === 'j') !== true) continue;
    const [first] = numbers;
    for (let number = 0; number < most.microbatches; number += 1) {
      if (numbers.has(number)) continue;
      // Another copy of the stage runs that microbatch.
      if (most.running?.(device, number).includes(Math.trunc(stage / frame.parts)) === false) continue;
      quiet.failed = false;
      quiet.slots[operation.stage] = Math.trunc(stage / frame.parts);
      collect(quiet, before, { d: device, s: Math.trunc(stage / frame.parts), j: number }, most);
      if (quiet.failed || quiet.out.length === 0) continue;
      const of = `at stage ${Math.trunc(stage / frame.parts)}`;
      const out = 'add it to a row, or leave it out of `before` with `if`';
      report(
        before.at,
        `rows run ${name}[${first}] ${of}, but not ${name}[${number}], so nothing waits for that; ${out}`,
      );
      break;
    }
  }
}

function set({ slots }: Frame, key: OperationKey<unknown>, at: Readonly<Record<OperationParameter, number>>): void {
  for (const [slot, of] of key.slots) slots[slot] = at[of];
}

function cost(
  frame: Frame,
  key: OperationKey<RuleCode> | undefined,
  at: Readonly<Record<OperationParameter, number>>,
): RuleExpression {
  if (key === undefined) return 0;
  set(frame, key, at);
  const found = key.code.at(frame);
  if (typeof found === 'number' && !(found >= 0 && Number.isFinite(found)))
    outside(frame, key.at, 'The value', show(found, key.code.dimension), 'at least 0');
  return found;
}

function deviceOf(
  frame: Frame,
  key: OperationKey<RuleCode>,
  at: Readonly<Record<OperationParameter, number>>,
): number | undefined {
  set(frame, key, at);
  const found = key.code.at(frame);
  const [, devices] = frame.slots;
  if (typeof found === 'number' && Number.isInteger(found) && found >= 0 && found < devices) return found;
  const value = typeof found === 'number' ? String(found) : 'known only with the layers';
  outside(frame, key.at, 'The device', value, `a whole number from 0 to ${devices - 1}`);
  return undefined;
}

/** Writes the named operations into the frame; those that do not exist are reported. */
function collect(
  frame: Frame,
  key: OperationKey<SequenceCode>,
  at: Readonly<Record<OperationParameter, number>>,
  most: { readonly stages: number; readonly microbatches: number },
): void {
  clear(frame.out);
  set(frame, key, at);
  if (!counts(frame, key.at)) return;
  const size = key.code.size(frame);
  if (size > frame.operations) tooManyOperations(frame, key.at, size);
  if (!frame.failed && !tooManyWaits(frame, key.at, size)) key.code.emit(frame);
  const { out } = frame;
  for (let index = 0; index < out.length && !frame.failed; index += 1) {
    below(frame, key.at, 'The microbatch', out.microbatches[index], most.microbatches);
    below(frame, key.at, 'The stage', Math.trunc(out.stages[index] / frame.parts), most.stages / frame.parts);
  }
}

function below(frame: Frame, at: Expression, what: string, found: number, count: number): void {
  if (found >= count) outside(frame, at, what, String(found), `from 0 to ${count - 1}`);
}
