/** Spreads the rows of a schedule out into operations, for one pipeline. Sizes are counted before anything is made. */
import { writtenLetters } from '../program.ts';
import type { RowsBody } from '../definitions/schedule.ts';
import type { Argument, Entry, Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { checked, evaluate, wholeNumber, type Variables } from '../language/expressions.ts';
import type { OperationLetter, RowItem } from '../plan.ts';
import { wholeRange } from '../language/values.ts';

/** One operation, or two in one slot. */
type Unit = readonly [Operation] | readonly [Operation, Operation];
interface Operation {
  readonly op: OperationLetter;
  /** −1: the device's own stage. */
  readonly stage: number;
  readonly microbatch: number;
}

/** A written expression, understood but not spread out. `size` counts units. */
type Segment =
  | {
      readonly kind: 'run';
      readonly size: number;
      readonly op: OperationLetter;
      readonly stage: number;
      readonly first: number;
    }
  | { readonly kind: 'zip'; readonly size: number; readonly parts: readonly Segment[] }
  | { readonly kind: 'repeat'; readonly size: number; readonly times: number; readonly parts: readonly Segment[] }
  | { readonly kind: 'fused'; readonly size: number; readonly left: Segment; readonly right: Segment };

/** A `row(d)` (with `parameter`) or `row(0)`, as written in the tree. */
export interface Row {
  readonly entry: Entry;
  readonly parameter?: string;
  readonly items: readonly Expression[];
}

/** Rows of a schedule: one for all devices, and rows of single devices. */
export interface Rows {
  readonly general?: Row;
  readonly byDevice: ReadonlyMap<number, Row>;
}

/** Operations of each device; `undefined` where a row is wrong or they are over the limit (reported in the schedule's file). */
export function expandRows(
  context: ReadContext,
  { general, byDevice }: Rows,
  { stages, devices, microbatches, stagesOf }: Parameters<RowsBody['expand']>[0],
): ReturnType<RowsBody['expand']> {
  const rows: (readonly RowItem[])[] = [];
  let left = context.options.limits.operations;
  for (let device = 0; device < devices; device += 1) {
    const row = byDevice.get(device) ?? general;
    if (row === undefined) {
      rows.push([]);
      continue;
    }
    const variables = new Map([
      ['stages', stages],
      ['devices', devices],
      ['microbatches', microbatches],
    ]);
    if (row.parameter !== undefined) variables.set(row.parameter, device);
    const items: RowItem[] = [];
    for (const [item, expression] of row.items.entries()) {
      const segment = read(context, expression, variables, 0);
      if (segment === undefined) return undefined;
      // An empty run costs its reading, too.
      left -= Math.max(1, segment.size);
      if (left < 0) {
        tooLarge(context, expression, context.options.limits.operations - left);
        return undefined;
      }
      for (const unit of spread(segment)) {
        for (const [index, slot] of unit.entries()) {
          const stage = slot.stage >= 0 ? slot.stage : ownStage(context, expression, stagesOf[device]);
          if (stage === undefined) return undefined;
          const base: RowItem = { op: slot.op, stage, microbatch: slot.microbatch, item };
          items.push(index + 1 < unit.length ? { ...base, fusedWithNext: true } : base);
        }
      }
    }
    rows.push(items);
  }
  return rows;
}

function tooLarge(context: ReadContext, at: Expression, figure: number): void {
  context.report.report('limit/too-large', at, {
    what: 'Operations of the rows',
    figure: figure.toLocaleString('en-US'),
    limit: context.options.limits.operations.toLocaleString('en-US'),
    setting: 'pipewright.limits.operations',
  });
}

function ownStage(context: ReadContext, at: Expression, stages: readonly number[] | undefined): number | undefined {
  if (stages?.length === 1) return stages[0];
  context.report.report('type/mismatch', at, {
    expected: 'operations that name their stage, such as `F[0, stage = 2]`',
    found:
      stages === undefined || stages.length === 0
        ? 'a device without a stage'
        : `a device with ${stages.length} stages`,
  });
  return undefined;
}

const letters: readonly string[] = writtenLetters;

function read(context: ReadContext, expression: Expression, variables: Variables, depth: number): Segment | undefined {
  if (depth > 200) return undefined;
  const inner = (nested: Expression) => read(context, nested, variables, depth + 1);
  switch (expression.kind) {
    case 'missing':
      return undefined;
    case 'group':
      return inner(expression.inner);
    case 'list':
      return sequence(expression.items.map(inner), 1);
    case 'index':
      return operation(context, expression, variables);
    case 'call': {
      if (!context.links.has(expression.callee)) return undefined;
      const values = expression.arguments.map((argument) => argument.value);
      if (expression.callee.text === 'zip') {
        const parts = values.map(inner);
        if (!parts.every((part) => part !== undefined)) return undefined;
        return { kind: 'zip', size: sizeOf(parts), parts };
      }
      if (expression.callee.text === 'repeat') {
        const [first, ...rest] = values;
        if (first === undefined) return wrong(context, expression, '`repeat(n, …)`');
        const times = wholeNumber(context, first, 'The number of times', { variables });
        const parts = rest.map(inner);
        return times === undefined ? undefined : sequence(parts, times);
      }
      if (expression.callee.text === 'fused') return fused(context, expression, values, inner);
      return wrong(context, expression, 'operations');
    }
    default:
      if (expression.kind === 'name' && !context.links.has(expression)) return undefined;
      return wrong(context, expression, 'operations such as `F[0..<microbatches]` or `zip(…)`');
  }
}

function wrong(context: ReadContext, at: Expression, expected: string): undefined {
  const text = context.syntax.text.slice(at.start, Math.min(at.end, at.start + 40));
  context.report.report('type/mismatch', at, { expected, found: `\`${text}\`` });
  return undefined;
}

const sizeOf = (parts: readonly Segment[]): number => parts.reduce((sum, part) => sum + part.size, 0);

function sequence(parts: readonly (Segment | undefined)[], times: number): Segment | undefined {
  if (!parts.every((part) => part !== undefined)) return undefined;
  return { kind: 'repeat', size: sizeOf(parts) * times, times, parts };
}

function fused(
  context: ReadContext,
  expression: Expression,
  values: readonly Expression[],
  inner: (nested: Expression) => Segment | undefined,
): Segment | undefined {
  const [left, right] = values.map(inner);
  if (values.length !== 2) return wrong(context, expression, '`fused(F[i], B[j])`');
  if (left === undefined || right === undefined) return undefined;
  if (left.kind !== 'run' || right.kind !== 'run' || left.size !== right.size) {
    return wrong(context, expression, 'two operations, or two runs of the same length, in `fused(…)`');
  }
  return { kind: 'fused', size: left.size, left, right };
}

function operation(
  context: ReadContext,
  expression: Expression & { kind: 'index' },
  variables: Variables,
): Segment | undefined {
  const { target } = expression;
  if (!context.links.has(target)) return undefined;
  if (!letters.includes(target.text)) return wrong(context, expression, '`F[…]`, `B[…]`, `I[…]` or `W[…]`');
  const [first, second, third] = expression.arguments;
  if (first === undefined || first.name !== undefined || third !== undefined)
    return wrong(context, expression, 'a microbatch, and at most a `stage = …`');
  const stage = second === undefined ? -1 : stageArgument(context, second, variables);
  const value = evaluate(context, first.value, variables);
  if (stage === undefined || value === undefined) return undefined;
  const op = target.text as OperationLetter;
  if (value.kind !== 'range') {
    const microbatch = checked(
      context,
      first.value,
      value,
      { kind: 'quantity', dimension: 'number', integer: true, min: 0 },
      'The microbatch',
    );
    return microbatch === undefined ? undefined : { kind: 'run', size: 1, op, stage, first: microbatch };
  }
  const range = wholeRange(value);
  if (range === undefined) return wrong(context, first.value, 'a range of whole numbers');
  if (range.last < range.first) return { kind: 'run', size: 0, op, stage, first: 0 };
  if (range.first >= 0) return { kind: 'run', size: range.last - range.first + 1, op, stage, first: range.first };
  context.report.report('value/range', first.value, {
    what: 'The first microbatch',
    value: String(range.first),
    allowed: 'at least 0',
  });
  return undefined;
}

function stageArgument(context: ReadContext, argument: Argument, variables: Variables): number | undefined {
  if (argument.name?.text === 'stage') return wholeNumber(context, argument.value, 'The stage', { variables });
  context.report.report('key/unknown', argument.name ?? argument, {
    key: argument.name?.text ?? '',
    block: 'operation',
    nearest: 'stage',
  });
  return undefined;
}

function spread(segment: Segment): readonly Unit[] {
  const out: Unit[] = [];
  if (segment.kind === 'run') {
    const { op, stage, first } = segment;
    for (let i = 0; i < segment.size; i += 1) out.push([{ op, stage, microbatch: first + i }]);
  } else if (segment.kind === 'fused') {
    const right = spread(segment.right);
    for (const [index, [slot]] of spread(segment.left).entries()) out.push([slot, right[index][0]]);
  } else {
    const parts = segment.parts.filter((part) => part.size > 0).map(spread);
    if (segment.kind === 'repeat') {
      for (let i = 0; parts.length > 0 && i < segment.times; i += 1)
        for (const part of parts) for (const unit of part) out.push(unit);
    } else {
      let active = parts;
      for (let i = 0; active.length > 0; i += 1) {
        for (const part of active) out.push(part[i]);
        if (active.some((part) => part.length === i + 1)) active = active.filter((part) => part.length > i + 1);
      }
    }
  }
  return out;
}
