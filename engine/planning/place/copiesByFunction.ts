/** Copies of stages that follow from a function: the device of each stage and microbatch. */
import type { KeyPlace, OnRule, ScheduleDefinition, ScheduleNumbers } from '../../definitions/schedule.ts';
import { type Finding, finding } from '../../findings/finding.ts';
import { pack } from '../../basics/packed.ts';
import { count } from '../../basics/quantities.ts';
import type { StageCopy } from '../../values/plan.ts';
import type { Asking } from '../ownSchedule.ts';

/** Device of each stage or copy, or why the numbers do not fit. */
export type OwnPlacement = PlacedStages | Unfit;
export interface Unfit {
  readonly problem: string;
  /** Numbers of stages that fit; absent where none is known. */
  readonly values?: readonly number[];
}
export interface PlacedStages {
  /** Devices, some of which may idle; absent if each has a stage. */
  readonly devices?: number;
  readonly placement: Int32Array;
  readonly copies?: readonly StageCopy[];
}

/** A copy and its device. */
interface PlacedCopy extends StageCopy {
  readonly device: number;
}

/**
 * Placement by `on(s, j)`. Each device of a stage holds a copy for its microbatches. Devices that repeat after some microbatches do
 * so for all that follow. A function is also asked for microbatches behind the last, so that few microbatches give the same copies
 * as many. `undefined` where the function is wrong for these numbers (reported).
 */
export function copiesByFunction(
  { schedules, heard }: Asking,
  definition: ScheduleDefinition & { readonly on: OnRule },
  numbers: ScheduleNumbers,
): OwnPlacement | undefined {
  const { on: rule } = definition;
  const { devices, microbatches } = numbers;
  const refuse = (finding: Finding): undefined => heard({ value: undefined, findings: [finding] });
  const asked = microbatches + Math.max(4 * devices, microbatches);
  const answer = heard(schedules.stageDevices(definition, numbers, asked));
  if (answer === undefined) return undefined;
  const { devices: table, homes } = answer;
  const copies: PlacedCopy[] = [];
  for (const [stage, lists] of table.entries()) {
    for (const [place, list] of lists.entries()) {
      for (const copy of copiesOf(list, stage, microbatches))
        copies.push(place === 0 ? copy : { ...copy, spare: true });
    }
  }
  const gap = gapIn(table, microbatches);
  if (gap !== undefined) return { problem: gap };
  const used = new Set(copies.map(({ device }) => device));
  for (let device = 0; device < devices && !rule.idle; device += 1) {
    if (!used.has(device))
      return {
        problem: `\`on\` gives no stage to device ${device} of ${count(devices, 'device', 'devices')}; write \`idle = true\` if it is to idle`,
      };
  }
  const places = new Set<number>();
  for (const { stage, device, every, first } of copies) {
    const place = stage * devices + device;
    if (places.has(place)) {
      const twice = `stage ${stage} twice on device ${device}, for every ${every}th microbatch from ${first}`;
      return refuse(notOnce(rule.at, twice));
    }
    places.add(place);
  }
  for (const [stage, home] of homes?.entries() ?? []) {
    const runs = copies.filter((copy) => copy.stage === stage && copy.spare !== true).map(({ device }) => device);
    if (runs.includes(home)) continue;
    return refuse(notHome(rule.home ?? rule.at, stage, home, runs));
  }
  // Stages of one direction are next to each other, and spare copies come last.
  copies.sort((a, b) => Number(a.spare ?? false) - Number(b.spare ?? false) || a.first - b.first || a.stage - b.stage);
  const placement = Int32Array.from(copies, ({ device }) => device);
  const isWhole = copies.every(({ every, turns }) => every === 1 && turns === undefined);
  const idle = used.size < devices ? { devices } : {};
  if (copies.length === numbers.stages && isWhole) return { placement, ...idle };
  return {
    placement,
    ...idle,
    copies: copies.map(({ stage, every, first, turns, spare, device }) => ({
      stage,
      every,
      first,
      ...(turns && { turns }),
      ...(spare && { spare }),
      ...(homes !== undefined && spare !== true && homes[stage] !== device ? { away: true } : {}),
    })),
  };
}

const notOnce = ({ place, related }: KeyPlace, found: string): Finding =>
  finding('type/mismatch', place, { expected: 'each stage at most once on a device', found }, { related });

function notHome({ place, related }: KeyPlace, stage: number, device: number, runs: readonly number[]): Finding {
  const allowed = `a device that runs it: ${runs.join(', ')}`;
  const parameters = { what: `The home of stage ${stage}`, value: `device ${device}`, allowed };
  return finding('value/range', place, parameters, { related });
}

/**
 * What is wrong with stages that leave out microbatches, if anything: a microbatch goes through stages next to each other, because no
 * message passes a stage.
 */
function gapIn(table: readonly (readonly Int32Array[])[], microbatches: number): string | undefined {
  if (table.every(([list]) => !list.subarray(0, microbatches).includes(-1))) return undefined;
  for (const [stage, [list]] of table.entries())
    if (list.subarray(0, microbatches).every((device) => device === -1))
      return `stage ${stage} runs no microbatch: \`on\` gives it no device`;
  for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
    const runs = table.flatMap(([list], stage) => (list[microbatch] === -1 ? [] : [stage]));
    const [first] = runs;
    const last = runs.at(-1);
    if (first === undefined || last === undefined) return `microbatch ${microbatch} runs on no stage`;
    if (last - first + 1 > runs.length) {
      const left = runs.find((stage, index) => runs[index + 1] > stage + 1) ?? first;
      return `microbatch ${microbatch} leaves out stage ${left + 1} between stages that run it; it may leave out the first stages and the last`;
    }
  }
  return undefined;
}

/** Copies of a stage, one for each device. */
function copiesOf(list: Int32Array, stage: number, microbatches: number): readonly PlacedCopy[] {
  const whole = period(list);
  // A function that does not repeat is taken for the microbatches that there are.
  const known = 2 * whole <= list.length ? list : list.subarray(0, microbatches);
  const every = known === list ? whole : period(known);
  const turns = new Map<number, number[]>();
  for (let turn = 0; turn < every; turn += 1) {
    const here = turns.get(known[turn]);
    if (here === undefined) turns.set(known[turn], [turn]);
    else here.push(turn);
  }
  const copies: PlacedCopy[] = [];
  // What the stage does not run has no copy.
  turns.delete(-1);
  for (const [device, here] of turns) {
    const step = every / here.length;
    const [first] = here;
    const isEven = here.every((turn, index) => turn === first + index * step);
    copies.push(isEven ? { stage, device, every: step, first } : { stage, device, every, first, turns: pack(here) });
  }
  return copies;
}

/** The least number of items after which a list repeats; its length where it does not. Linear: the failure function of a string. */
function period(list: Int32Array): number {
  const fails = new Int32Array(list.length + 1);
  for (let at = 1, length = 0; at < list.length; at += 1) {
    while (length > 0 && list[at] !== list[length]) length = fails[length];
    if (list[at] === list[length]) length += 1;
    fails[at + 1] = length;
  }
  return list.length - fails[list.length];
}
