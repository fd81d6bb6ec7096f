/** Reads `placement` of a schedule. Parameters of the schedule may be in it, so it is read for each set of arguments. */
import { type ScheduleDefinition, unknownNumbers } from '../definitions/schedule.ts';
import type { Reporter } from '../findings/reporter.ts';
import type { Call, Entry, Expression } from '../../grammar/syntax.ts';
import { checked, evaluate, type Variables } from '../language/expressions.ts';
import { valueOf } from '../language/keys.ts';
import { describe, wholeRange, type Value } from '../language/values.ts';
import type { PlacementRule } from '../values/plan.ts';
import { compileNumber } from '../sequences/operands.ts';
import { type Frame, outside } from '../sequences/frame.ts';
import { type CompiledSchedule, frameOf } from '../sequences/schedule.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';

type Placement = NonNullable<ScheduleDefinition['placement']>;

/** The placement with arguments; `undefined` where none is written. */
export type PlacementReader = (args: Arguments, report: Reporter) => Placement | undefined | 'wrong';

/** A whole number with arguments. */
export type CountReader = (args: Arguments, report: Reporter) => number | 'wrong';

type Arguments = ReadonlyMap<string, number>;

export function placementReader(
  context: ReadContext,
  compiled: CompiledSchedule,
  entry: Entry | undefined,
): PlacementReader {
  const value = entry === undefined ? undefined : valueOf(entry);
  if (entry === undefined) return () => undefined;
  if (value === undefined) return () => 'wrong';
  if (value.kind === 'name') {
    const placement = named(context, value);
    return () => placement ?? 'wrong';
  }
  if (value.kind === 'call') return rounds(context, compiled, value);
  return (args, report) => {
    const frame = frameOf(compiled, unknownNumbers, args, report);
    const reading = { ...context, report };
    const found = evaluate(reading, value, numbersOf(compiled, frame));
    if (found === undefined || frame.failed) return 'wrong';
    if (found.kind === 'list') return listed(reading, value, found.items) ?? 'wrong';
    report.report('type/mismatch', value, {
      expected: 'a placement such as `linear`, `loop(2)` or `[[0, 3], [1, 2]]`',
      found: describe(found),
    });
    return 'wrong';
  };
}

/** Values of the parameters by name; without those that need a number of the pipeline. */
function numbersOf({ parameters }: CompiledSchedule, frame: Frame): Variables {
  const found = new Map<string, number>();
  for (const { name, value } of parameters) {
    const number = value(frame);
    if (!Number.isNaN(number)) found.set(name, number);
  }
  return found;
}

/** `loop(v)`, `wave(w)`. */
function rounds(context: ReadContext, compiled: CompiledSchedule, call: Call): PlacementReader {
  const { text } = call.callee;
  if (!context.links.has(call.callee) || (text !== 'loop' && text !== 'wave')) return () => 'wrong';
  const argument = bindArguments(context, call, text, [text === 'loop' ? 'v' : 'w']);
  const [first] = argument?.values() ?? [];
  if (argument !== undefined && first === undefined) chunksMissing(context, call, text);
  if (first === undefined) return () => 'wrong';
  const count = countReader(compiled, first.value, text === 'loop' ? 'Stages of each device' : 'Waves');
  return (args, report) => {
    const found = count(args, report);
    return found === 'wrong' ? found : { rule: text, chunks: text === 'loop' ? found : 2 * found };
  };
}

/** A whole number from 1 that follows from the parameters alone. */
export function countReader(
  compiled: CompiledSchedule,
  expression: Expression,
  what: string,
  most = Infinity,
): CountReader {
  const number = compileNumber(compiled.names, expression, 'number');
  if (number === undefined) return () => 'wrong';
  return (args, report) => {
    const frame = frameOf(compiled, unknownNumbers, args, report);
    const count = number.at(frame);
    if (Number.isNaN(count) && !frame.failed) {
      report.report('type/mismatch', expression, {
        expected: 'a number that does not depend on `stages`, `devices` or `microbatches`',
        found: 'one that depends on them',
      });
      return 'wrong';
    }
    const allowed = most === Infinity ? 'a whole number of at least 1' : `a whole number from 1 to ${most}`;
    if (!Number.isSafeInteger(count) || count < 1 || count > most)
      outside(frame, expression, what, String(count), allowed);
    return frame.failed ? 'wrong' : count;
  };
}

function chunksMissing(context: ReadContext, at: Expression, rule: 'loop' | 'wave'): undefined {
  const [key, block] = rule === 'loop' ? ['v', 'loop'] : ['w', 'wave'];
  context.report.report('key/missing', at, { key, block, example: `${rule}(2)` });
  return undefined;
}

function named(context: ReadContext, name: Expression & { kind: 'name' }): Placement | undefined {
  switch (name.text) {
    case 'linear':
    case 'bidirectional':
      return { rule: name.text, chunks: 1 };
    case 'v_shape':
      return { rule: 'v_shape', chunks: 2 };
    case 'loop':
    case 'wave':
      return chunksMissing(context, name, name.text);
    default:
      return undefined;
  }
}

/** `[[0, 7], [1, 6]]`: the stages of each device. */
function listed(context: ReadContext, at: Expression, items: readonly Value[]): Placement | undefined {
  const rule: number[][] = [];
  for (const item of items) {
    const stages: number[] = [];
    for (const value of item.kind === 'list' ? item.items : [item]) {
      const range = value.kind === 'range' ? wholeRange(value) : undefined;
      if (
        value.kind === 'range' &&
        (range === undefined || range.first < 0 || range.last - range.first >= context.options.limits.elements)
      ) {
        context.report.report('type/mismatch', at, { expected: 'numbers of stages', found: 'a range' });
        return undefined;
      }
      if (range !== undefined) for (let i = range.first; i <= range.last; i += 1) stages.push(i);
      else {
        const stage = checked(
          context,
          at,
          value,
          { kind: 'quantity', dimension: 'number', integer: true, min: 0 },
          'The number of a stage',
        );
        if (stage === undefined) return undefined;
        stages.push(stage);
      }
    }
    rule.push(stages);
  }
  if (rule.length === 0) {
    context.report.report('type/mismatch', at, {
      expected: 'a list with the stages of each device',
      found: 'an empty list',
    });
    return undefined;
  }
  return { rule: rule satisfies PlacementRule, chunks: 0 };
}
