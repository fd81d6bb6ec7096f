/** `--schedule NAME --devices 4 --microbatches 8`: a schedule on equal stages, without a pipeline. */
import type { UnitRequest } from '../engine/definitions/unitRequest.ts';
import { isValue } from '../engine/advice/compare.ts';
import { list } from '../engine/basics/quantities.ts';
import type { Resolution } from '../engine/language/resolution.ts';
import type { Arguments, OptionSpec } from './arguments.ts';

/** The numbers of a shape. */
export const shapeOptions: readonly OptionSpec[] = [
  { name: 'devices', value: 'COUNT', doc: 'With --schedule: devices of the shape.' },
  { name: 'microbatches', value: 'COUNT', doc: 'With --schedule: microbatches of the shape.' },
];

export const unitOptions: readonly OptionSpec[] = [
  {
    name: 'schedule',
    value: 'NAME',
    doc: 'Run the pipelines of the file under this schedule: --schedule "kfkb(k = 2)". With --devices and --microbatches: run it on equal stages, without a pipeline.',
  },
  ...shapeOptions,
];

/** The largest number of devices or microbatches: what is under it is left to the limit of operations. */
const most = 1_000_000;

/** The shape that a call gives; `undefined` if it gives none. `what`: the option that needs one. */
export function readShape(
  args: Arguments,
  what: string,
): Pick<UnitRequest, 'devices' | 'microbatches'> | { readonly problem: string } | undefined {
  const names = ['devices', 'microbatches'] as const;
  if (!names.some((name) => args.has(name))) return undefined;
  if (args.has('pipeline'))
    return {
      problem: '--pipeline is for a pipeline of the file; with --devices there is none: leave one of them out.',
    };
  const numbers: number[] = [];
  for (const name of names) {
    const text = args.value(name);
    if (text === undefined) return { problem: `${what} needs --${name} too: a number such as 8.` };
    if (!/^\d{1,7}$/u.test(text) || Number(text) < 1 || Number(text) > most)
      return { problem: `--${name} takes a whole number from 1 to ${most.toLocaleString('en-US')}, not "${text}".` };
    numbers.push(Number(text));
  }
  return { devices: numbers[0], microbatches: numbers[1] };
}

/** A schedule for the pipelines of a file, instead of the ones that they name. */
export type OtherSchedule = Pick<UnitRequest, 'schedule'>;

/** A schedule on equal stages. */
export const isUnit = (asked: UnitRequest | OtherSchedule | undefined): asked is UnitRequest =>
  asked !== undefined && 'devices' in asked;

/** The schedule that a call gives; `undefined` if it gives none. */
export function readSchedule(args: Arguments): OtherSchedule | { readonly problem: string } | undefined {
  const schedule = args.value('schedule');
  if (schedule === undefined || isValue(schedule)) return schedule === undefined ? undefined : { schedule };
  return { problem: `--schedule takes one schedule, such as kfkb or kfkb(k = 2), not "${schedule}".` };
}

/** The schedule that a call gives, with the shape if it gives one; `undefined` if it gives neither. */
export function readUnit(args: Arguments): UnitRequest | OtherSchedule | { readonly problem: string } | undefined {
  const schedule = readSchedule(args);
  const shape = readShape(args, '--schedule');
  if (shape !== undefined && 'problem' in shape) return shape;
  if (shape !== undefined && schedule === undefined)
    return { problem: '--devices and --microbatches are for --schedule: name the schedule too.' };
  return schedule === undefined || 'problem' in schedule ? schedule : { ...shape, ...schedule };
}

/** How the schedules of a file without a pipeline can be simulated; empty where it has none. */
export function unitAdvice({ schedules }: Pick<Resolution, 'schedules'>, option = '--schedule'): string {
  const names = schedules.map(({ name }) => name);
  return names.length === 0
    ? ''
    : ` It has the ${names.length === 1 ? 'schedule' : 'schedules'} ${list(names)}: simulate one on equal stages with ${option} ${names[0]} --devices 4 --microbatches 8.`;
}
