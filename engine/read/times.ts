/** Durations of single operations: `time(F, s, j) = time(F, s) * if(mod(j, 4) == 0, 2, 1)`. */
import type { ScheduleNumbers } from '../definitions/schedule.ts';
import type { LayerTimes } from '../definitions/scheduleEvaluator.ts';
import type { Entry, Expression } from '../../grammar/syntax.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import { phraseOf } from '../language/units.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import type { OperationTimes } from '../values/plan.ts';
import { letters } from '../values/program.ts';
import { show } from '../basics/quantities.ts';
import type { NumberCode } from '../sequences/code.ts';
import { countsEach, type Frame, outside } from '../sequences/frame.ts';
import { compileNumber } from '../sequences/operands.ts';
import { type CompiledSchedule, slotsOf, tooDeep } from '../sequences/schedule.ts';
import type { ReadContext } from './context.ts';

/** The durations of one kind. */
export interface TimeEntry {
  readonly entry: Entry;
  readonly value: Expression;
  /** Number of `program.ts`. */
  readonly kind: number;
  readonly code: NumberCode;
  /** Slots of the frame. */
  readonly stage: number;
  readonly microbatch: number;
  /** Only in a schedule that cuts sequences. */
  readonly part?: number;
}

/** One for each entry; `undefined` where one is wrong, which has been reported. */
export function readTimes(
  context: ReadContext,
  compiled: CompiledSchedule,
  keys: Keys,
): readonly TimeEntry[] | undefined {
  const times = new Map<number, TimeEntry>();
  let wrong = false;
  for (const entry of keys.all('time')) {
    const found = readTime(context, compiled, entry, keys.find('parts') !== undefined);
    const earlier = found === undefined ? undefined : times.get(found.kind);
    if (found === undefined) wrong = true;
    else if (earlier === undefined) times.set(found.kind, found);
    else {
      const related = [{ place: context.report.place(earlier.entry.key), message: 'This one is used.' }];
      const key = `time(${letters[found.kind]})`;
      context.report.report(
        'key/duplicate',
        entry.key,
        { key, block: 'schedule' },
        { related, hint: { kind: 'remove' } },
      );
    }
  }
  return wrong ? undefined : [...times.values()];
}

function readTime(
  context: ReadContext,
  { names }: CompiledSchedule,
  entry: Entry,
  hasParts: boolean,
): TimeEntry | undefined {
  const [kindName, ...rest] = entry.parameters ?? [];
  const value = valueOf(entry);
  const kind = kindName?.kind === 'name' ? letters.findIndex((letter) => letter === kindName.text) : -1;
  const slots = slotsOf(names, rest);
  const [stage, microbatch, part] = slots;
  const most = hasParts ? 3 : 2;
  const isOdd = rest.length < 2 || rest.length > most;
  if (isOdd || slots.length !== rest.length || new Set(slots).size < slots.length || kindName?.kind !== 'name') {
    if (rest.length === 3 && !hasParts && kindName?.kind === 'name')
      context.report.report('type/mismatch', rest[2], {
        expected: 'only a stage and a microbatch, as `time(F, s, j)`; to name a part, cut sequences with `parts = 4`',
        found: 'a third name',
      });
    else if (rest.every((each) => each.kind !== 'missing') && kindName?.kind !== 'missing')
      context.report.report('type/mismatch', entry.key, {
        expected: hasParts
          ? 'an operation and two or three names, as `time(F, s, j)` or `time(F, s, j, a)`'
          : 'an operation and two names, as `time(F, s, j)`',
        found: `${rest.length} ${rest.length === 1 ? 'name' : 'names'} after the operation`,
      });
    return undefined;
  }
  const code = value === undefined ? undefined : compileNumber(names, value);
  if (value === undefined || code === undefined || kind < 0 || tooDeep(names, value, code)) return undefined;
  if (code.dimension !== 'time') return wrongDimension(context, value, 'time', phraseOf[code.dimension]);
  return { entry, value, kind, code, stage, microbatch, ...(part === undefined ? {} : { part }) };
}

/**
 * The durations that differ from what the layers take, as shares of that; `undefined` where one is wrong for these numbers
 * (reported).
 */
export function operationTimes(
  frame: Frame,
  entries: readonly TimeEntry[],
  { microbatches, iterations = 1 }: ScheduleNumbers,
  layers: LayerTimes,
): readonly OperationTimes[] | undefined {
  const times: OperationTimes[] = [];
  for (const { kind, code, stage, microbatch, part, value } of entries) {
    if (!countsEach(frame, value, layers.stages.length * microbatches * iterations)) return undefined;
    for (const [index, number] of layers.stages.entries()) {
      const seconds = layers.seconds[kind][index];
      frame.slots[stage] = number;
      if (part !== undefined) frame.slots[part] = layers.parts[index];
      frame.layers = (of, other) => layers.seconds[of][other === number ? index : layers.stages.indexOf(other)];
      const factors = new Array<number>(microbatches * iterations);
      for (let j = 0; j < factors.length; j += 1) {
        frame.slots[microbatch] = j;
        const found = code.at(frame);
        if (frame.failed) return undefined;
        factors[j] = factorOf(frame, value, { found, seconds, name: `${number}${letters[kind]}${j}` });
        if (frame.failed) return undefined;
      }
      if (factors.some((factor) => factor !== 1)) times.push({ kind, stage: index, factors });
    }
  }
  return times;
}

function factorOf(
  frame: Frame,
  at: Expression,
  { found, seconds, name }: { readonly found: number; readonly seconds: number; readonly name: string },
): number {
  if (found === seconds) return 1;
  if (!(found >= 0 && Number.isFinite(found)))
    return outside(
      frame,
      at,
      `The time of ${name}`,
      Number.isNaN(found) ? 'not a number' : show(found, 'time'),
      'at least 0 s',
    );
  if (seconds > 0) return found / seconds;
  return outside(frame, at, `The time of ${name}`, show(found, 'time'), '0 s: by its layers it takes no time');
}
