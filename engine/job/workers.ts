import type { Worker } from './worker.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { generate } from '../schedule/generate.ts';
import { F, type Program } from '../values/program.ts';
import { timingOf } from '../simulate/timing.ts';
import { freeEnds } from './freeRun.ts';
import { minibatchesInFlight } from './wave.ts';

/** The program of a worker that runs `minibatches` back to back; `undefined` if its schedule cannot take that number. */
export function programFor(plan: PipelinePlan, minibatches: number): Program | undefined {
  const generated = generate({ ...plan, iterations: minibatches });
  return 'program' in generated ? generated.program : undefined;
}

/**
 * Minibatches that a worker has in flight when as many are there as it wants. `undefined` where it has no program, or is still
 * filling with `most` minibatches.
 */
export function waveOf(plan: PipelinePlan, most: number): number | undefined {
  if (most < 1) return undefined;
  for (let minibatches = Math.min(most, 4 * plan.stages.length + 4); ; minibatches = Math.min(most, 2 * minibatches)) {
    const program = programFor(plan, minibatches);
    if (program === undefined) return undefined;
    const wave = minibatchesInFlight(program);
    if (wave < minibatches) return wave;
    if (minibatches >= most) return undefined;
  }
}

/** The last worker made of each plan: a job asks for one length twice, and again when only the job has changed. */
const made = new WeakMap<PipelinePlan, { readonly minibatches: number; readonly worker: Worker }>();

/** A worker that runs `minibatches` back to back. */
export function workerOf(plan: PipelinePlan, minibatches: number): Worker | undefined {
  const before = made.get(plan);
  if (before?.minibatches === minibatches) return before.worker;
  const program = programFor(plan, minibatches);
  if (program === undefined) return undefined;
  const timing = timingOf(plan, program);
  const entries = new Uint8Array(timing.duration.length);
  for (let stage = 0; stage < program.stages; stage += 1) {
    const row = F * program.stages + stage;
    entries[row] = timing.needOffsets[row + 1] === timing.needOffsets[row] ? 1 : 0;
  }
  const free = freeEnds(program, timing);
  const worker = { program, timing, entries, bytes: parameterBytes(plan), ...(free === undefined ? {} : { free }) };
  made.set(plan, { minibatches, worker });
  return worker;
}

/** Bytes of a worker's weights; its copies of a stage and its data ranks hold the same ones, its tensor ranks each a part. */
export function parameterBytes({ stages, tensor }: PipelinePlan): number {
  const counted = new Set<number>();
  let bytes = 0;
  for (const [index, { copy, weights }] of stages.entries()) {
    const stage = copy?.stage ?? index;
    if (counted.has(stage)) continue;
    counted.add(stage);
    bytes += weights;
  }
  return bytes * tensor;
}
