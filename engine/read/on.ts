/** Reads `on(s, j)` of a schedule, its `stages` and `spare`. */
import type { KeyPlace, OnRule, ScheduleNumbers } from '../definitions/schedule.ts';
import { createReporter } from '../findings/reporter.ts';
import type { Entry, Expression, Span } from '../../grammar/syntax.ts';
import { type Keys, notApplicable, valueOf, wordOrDefault } from '../language/keys.ts';
import { compileNumber } from '../sequences/operands.ts';
import { countsEach, type Frame, outside, tooManyOperations } from '../sequences/frame.ts';
import { type CompiledSchedule, slotsOf, tooDeep } from '../sequences/schedule.ts';
import type { NumberCode } from '../sequences/code.ts';
import type { ReadContext } from './context.ts';

/** The function as written. */
export interface OnText {
  readonly idle: boolean;
  readonly devices: DeviceCodes;
  /** Absent: as many as devices. */
  readonly stages?: Written;
  readonly home?: HomeCode;
}

/** What is written, or `wrong` where it has an error (reported). */
export function readOn(context: ReadContext, compiled: CompiledSchedule, keys: Keys): OnText | 'wrong' | undefined {
  const entry = keys.find('on');
  const spare = wordOrDefault<'true' | 'false'>(context, keys, 'spare');
  const idle = wordOrDefault<'true' | 'false'>(context, keys, 'idle');
  const stages = keys.find('stages');
  const homeEntry = keys.find('home');
  if (entry === undefined) {
    for (const key of ['stages', 'spare', 'home', 'idle'] as const) {
      const other = keys.find(key);
      if (other !== undefined) notApplicable(context, other, 'the schedule has no `on(s, j) = …`');
    }
    return undefined;
  }
  const written = keys.find('spare');
  if (written !== undefined && spare === 'true' && (keys.find('order') ?? keys.find('slot')) !== undefined) {
    context.report.report('type/mismatch', valueOf(written) ?? written.key, {
      expected: 'rows, because only they can say when spare copies run',
      found: keys.find('order') === undefined ? 'slots' : 'a rule',
    });
    return 'wrong';
  }
  const placement = keys.find('placement');
  if (placement !== undefined) notApplicable(context, placement, '`on` decides');
  const count = stages === undefined ? undefined : numberOf(compiled, stages);
  const devices = devicesOf(context, compiled, entry, spare === 'true');
  const home = homeEntry === undefined ? undefined : homeOf(context, compiled, homeEntry);
  if (devices === undefined || count === 'wrong' || home === 'wrong' || spare === undefined || idle === undefined)
    return 'wrong';
  return {
    idle: idle === 'true',
    devices,
    ...(count === undefined ? {} : { stages: count }),
    ...(home === undefined ? {} : { home }),
  };
}

/** What other rooms see of it. `where`: the place of findings about a text. */
export const onRule = ({ idle, devices, home }: OnText, where: (at: Span) => KeyPlace): OnRule => ({
  idle,
  at: where(devices.entry.key),
  ...(home === undefined ? {} : { home: where(home.value) }),
});

/** What `stages` gives for the devices of the frame; `undefined` where it is wrong (reported). */
export function stagesIn({ code, value }: Written, frame: Frame): number | undefined {
  const found = code.at(frame);
  if (!(Number.isSafeInteger(found) && found >= 1))
    outside(frame, value, '"stages"', String(found), 'a whole number of at least 1, from `devices` alone');
  return frame.failed ? undefined : found;
}

interface Written {
  readonly code: NumberCode;
  readonly value: Expression;
}

function numberOf({ names }: Pick<CompiledSchedule, 'names'>, entry: Entry): Written | 'wrong' {
  const value = valueOf(entry);
  const code = value === undefined ? undefined : compileNumber(names, value, 'number');
  return value === undefined || code === undefined || tooDeep(names, value, code) ? 'wrong' : { code, value };
}

interface HomeCode extends Written {
  readonly slot: number;
}

/** `home(s) = device`. */
function homeOf({ report }: ReadContext, { names }: CompiledSchedule, entry: Entry): HomeCode | 'wrong' | undefined {
  const [slot, second] = slotsOf(names, entry.parameters ?? []);
  if (slot === undefined || second !== undefined || entry.parameters?.length !== 1) {
    report.report('type/mismatch', entry.key, {
      expected: 'a stage, as `home(s) = …`',
      found: String(entry.parameters?.length ?? 0),
    });
    return 'wrong';
  }
  const written = numberOf({ names }, entry);
  return written === 'wrong' ? written : { ...written, slot };
}

/** The device of each stage where its weights are at home; `undefined` where one is wrong (reported). */
export function homesIn(
  { code, value, slot }: HomeCode,
  frame: Frame,
  { stages, devices }: ScheduleNumbers,
): readonly number[] | undefined {
  const homes: number[] = [];
  for (let stage = 0; stage < stages && !frame.failed; stage += 1) {
    frame.slots[slot] = stage;
    const device = code.at(frame);
    if (!(Number.isInteger(device) && device >= 0 && device < devices))
      outside(frame, value, `The home of stage ${stage}`, String(device), `a whole number from 0 to ${devices - 1}`);
    homes.push(device);
  }
  return frame.failed ? undefined : homes;
}

interface DeviceCodes {
  readonly entry: Entry;
  /** Of the stage and of the microbatch. */
  readonly slots: readonly [number, number];
  /** The stage's own device, then spare ones. */
  readonly items: readonly Written[];
}

function devicesOf(
  { report }: ReadContext,
  { names }: CompiledSchedule,
  entry: Entry,
  spare: boolean,
): DeviceCodes | undefined {
  const [stage, microbatch, ...more] = slotsOf(names, entry.parameters ?? []);
  const written = entry.parameters?.length ?? 0;
  if (stage === undefined || microbatch === undefined || more.length > 0 || stage === microbatch || written !== 2) {
    if (!(entry.parameters ?? []).some(({ kind }) => kind === 'missing'))
      report.report('type/mismatch', entry.key, {
        expected: 'a stage and a microbatch, as `on(s, j) = …`',
        found: `${written} ${written === 1 ? 'parameter' : 'parameters'}${written === 2 ? ' that are not two names' : ''}`,
      });
    return undefined;
  }
  const value = valueOf(entry);
  if (value === undefined) return undefined;
  const listed = value.kind === 'list' ? value.items : [value];
  if (value.kind === 'list' && !spare) {
    report.report('type/mismatch', value, {
      expected: 'one device; with `spare = true` also a list, of which those behind the first run forwards only',
      found: 'a list',
    });
    return undefined;
  }
  const items = listed.map((item) => {
    const code = compileNumber(names, item, 'number');
    return code === undefined || tooDeep(names, item, code) ? undefined : { code, value: item };
  });
  if (items.length === 0) {
    report.report('type/mismatch', value, {
      expected: 'a list that begins with the device of the stage',
      found: 'an empty list',
    });
    return undefined;
  }
  return items.every((item) => item !== undefined) ? { entry, slots: [stage, microbatch], items } : undefined;
}

/** Devices of all stages and microbatches; those behind the last only as far as they are devices. `undefined` where one is wrong (reported). */
export function devicesIn(
  { entry, slots: [stageSlot, microbatchSlot], items }: DeviceCodes,
  frame: Frame,
  { stages, devices, microbatches }: ScheduleNumbers,
  asked: number,
): readonly (readonly Int32Array[])[] | undefined {
  // Each stage runs two operations of each microbatch at least.
  const operations = 2 * stages * microbatches * items.length;
  if (operations > frame.operations) {
    tooManyOperations(frame, entry.key, operations);
    return undefined;
  }
  if (!countsEach(frame, entry, stages * asked)) return undefined;
  const silent: Frame = { ...frame, report: createReporter('', 0) };
  const lists: Int32Array[][] = [];
  for (let stage = 0; stage < stages; stage += 1) {
    const found = items.map(() => new Int32Array(asked));
    let known = asked;
    for (let microbatch = 0; microbatch < asked && microbatch < known; microbatch += 1) {
      const behind = microbatch >= microbatches;
      const on = behind ? silent : frame;
      on.slots[stageSlot] = stage;
      on.slots[microbatchSlot] = microbatch;
      for (const [place, { code, value }] of items.entries()) {
        const device = code.at(on);
        // A stage has no device for what it does not run.
        const least = place === 0 ? -1 : 0;
        const there = Number.isInteger(device) && device >= least && device < devices && !on.failed;
        if (there) found[place][microbatch] = device;
        else if (behind) known = microbatch;
        else refuseDevice(frame, value, { stage, microbatch, device, devices });
        if (frame.failed) return undefined;
      }
      silent.failed = false;
    }
    lists.push(found.map((list) => list.subarray(0, known)));
  }
  return lists;
}

function refuseDevice(
  frame: Frame,
  value: Expression,
  at: { readonly stage: number; readonly microbatch: number; readonly device: number; readonly devices: number },
): void {
  const what = `The device of stage ${at.stage} for microbatch ${at.microbatch}`;
  const some = at.devices === 1 ? '0, because there is one device' : `a whole number from 0 to ${at.devices - 1}`;
  const allowed = `${some}, or -1 if the stage does not run the microbatch`;
  outside(frame, value, what, String(at.device), allowed);
}
