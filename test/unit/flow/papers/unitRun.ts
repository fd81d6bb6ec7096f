/** A schedule of an example on unit layers: F = 1 ms, B = 2 ms, free transfers. Orders and starts by the names of operations. */
import type { Run } from '../../../../engine/schedule/evaluation.ts';
import type { letters } from '../../../../engine/values/program.ts';
import { startAt } from '../../../../engine/values/timeline.ts';
import { runOf } from '../../../support/analyse.ts';
import { exampleText } from '../../../support/example.ts';
import { namesOf } from '../../schedule/bruteForce.ts';

interface Shape {
  readonly devices: number;
  readonly microbatches: number;
  readonly stages?: number;
  /** What the pipeline's key `schedule` says. */
  readonly use: string;
  /** A policy to run in its place. */
  readonly builtIn?: string;
  /** More entries of the schedule. */
  readonly more?: string;
  /** R takes as long as F. */
  readonly recompute?: boolean;
}

export interface UnitRun {
  readonly run: Run;
  readonly order: readonly (readonly string[])[];
  /** In forwards, by device and operation. */
  readonly starts: readonly ReadonlyMap<string, number>[];
  readonly iteration: number;
}

const unit = 1e-3;

/** The block of a schedule in the text of an example. */
function blockOf(example: string, schedule: string): string {
  const [found] = new RegExp(`^schedule ${schedule} \\{[^]*?^\\}`, 'm').exec(exampleText(example)) ?? [];
  if (found === undefined) throw new Error(`${example} has no schedule ${schedule}`);
  return found;
}

export function unitRun(
  example: string,
  { devices, microbatches, use, builtIn = use, more = '', stages = devices, recompute = false }: Shape,
): UnitRun {
  const { run } = runOf(`${blockOf(example, use.replace(/\(.*/, '')).replace(/\}$/, `${more}}`)}
device d { memory = 999GiB  host = 1000GB/s }
cluster box { gpu[${devices}] = d  link = 1000GB/s + 0us }
model toy { layer block[${stages}] { forward = 1ms  backward = 2ms } }
pipeline train {
  model = toy  devices = box  stages = balance(${stages})  microbatches = ${microbatches}  schedule = ${builtIn}
  recompute = ${recompute ? 'full' : 'none'}
}`);
  const order = namesOf(run.program);
  const { offsets } = run.program;
  const inForwards = (seconds: number): number => Math.round((seconds / unit) * 1e6) / 1e6;
  const starts = order.map(
    (row, device) => new Map(row.map((name, at) => [name, inForwards(startAt(run.timeline, offsets[device] + at))])),
  );
  return { run, order, starts, iteration: inForwards(run.report.iteration) };
}

/** Only operations of one kind, in order. */
export const only = (row: readonly string[], letter: (typeof letters)[number]): readonly string[] =>
  row.filter((name) => name.includes(letter));
