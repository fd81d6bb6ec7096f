import {
  B,
  F,
  I,
  kindOf,
  kindOfRow,
  kinds,
  microbatchesOf,
  type Program,
  R,
  resultRow,
  rowOf,
  W,
} from '../values/program.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import { staticBytes } from '../simulate/memory.ts';
import { linkSecondsByGroup } from '../simulate/sharing/linkSeconds.ts';
import { leastExposed } from '../simulate/gradients.ts';
import { leastHosted } from '../simulate/hostStep.ts';
import { leastWithDeclared } from './declaredBound.ts';
import { occupancyOf, secondsOf, type SingleTimes, type Timing } from '../values/timeline.ts';

/**
 * A makespan that no order of these operations can be under, seconds. For each device, it is the sum of three parts. It cannot
 * begin before the first forward has come down to one of its stages (head). It must then do all its work. After its last
 * operation the backward must still go up to the first stage (tail; 0 if a weight gradient may come last), or its step must run.
 * A second bound is the time of one microbatch down and up, of the longest where they differ. With `memory`, a third compares the byte-seconds of activations with
 * the available bytes: a microbatch is held at least from its F to the end of its input gradient. A copy of a stage has the work
 * of its microbatches. If operations of one slot overlap, at most all of the forwards or all of the backwards hide.
 * With `split`, orders that split the backwards into I and W are included. A link that stages share must carry what they exchange.
 *
 * `open`: iterations follow without a barrier. A device still ends its own iteration before the next, and the first stage waits for
 * its last backward. After its last input gradient, a stage waits for backwards up to the first stage, then for forwards down to
 * itself. Only weight gradients fit in between.
 */
export function leastMakespan(
  plan: PipelinePlan,
  program: Program,
  timing: Timing,
  options: { readonly split: boolean; readonly memory: boolean; readonly open?: boolean },
): number {
  const { stages, devices, placement, overlap = 0 } = program;
  const { duration } = timing;
  // A path takes at least the shortest operations of its rows.
  const least = timing.single?.least ?? duration;
  const back = options.split ? I : B;
  const head = new Float64Array(stages);
  const tail = new Float64Array(stages);
  const below = new Float64Array(stages);
  const occupancy = timing.sizes?.least ?? timing.needOccupancy;
  const delay = (need: number) => occupancy[need] + timing.needLatency[need];

  for (let stage = 0; stage < stages; stage += 1) {
    head[stage] = options.open === true ? 0 : (timing.release?.[F * stages + stage] ?? 0);
    for (
      let need = timing.needOffsets[F * stages + stage];
      need < timing.needOffsets[F * stages + stage + 1];
      need += 1
    ) {
      // What operations of the schedule add to the wait is left out: the bound holds without them.
      if (timing.needs[need] >= stages) continue;
      const from = timing.needs[need] % stages;
      head[stage] = Math.max(head[stage], head[from] + least[F * stages + from] + delay(need));
    }
    const row = back * stages + stage;
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
      if (timing.needs[need] % stages === stage || timing.needs[need] >= 2 * stages) continue;
      const after = timing.needs[need] % stages;
      tail[after] = Math.max(tail[after], delay(need) + least[row] + tail[stage]);
    }
  }
  // Down and back below a stage: the transfer down is a need of the lower F, the transfer up one of this stage's backward.
  for (let stage = stages - 1; stage >= 0; stage -= 1) {
    const up = back * stages + stage;
    for (let need = timing.needOffsets[up]; need < timing.needOffsets[up + 1]; need += 1) {
      if (timing.needs[need] % stages === stage || timing.needs[need] >= 2 * stages) continue;
      const after = timing.needs[need] % stages;
      const down = needOf(timing, F * stages + after, resultRow(stages, F, stage));
      const around =
        (down < 0 ? 0 : delay(down)) + least[F * stages + after] + below[after] + least[back * stages + after];
      below[stage] = Math.max(below[stage], around + delay(need));
    }
  }

  const longestPath =
    plan.lengths === undefined || timing.single === undefined ? 0 : pathOfLongest(program, timing, timing.single, back);
  const recomputed = recomputedApart(program, duration);
  const { open = false } = options;
  let earliest = Infinity;
  const leastOfRows = program.declared === undefined || open ? 0 : leastWithDeclared(program, timing, options.split);
  let bound = Math.max(leastOfRows, longestPath);
  for (let device = 0; device < devices; device += 1) {
    let first = Infinity;
    let after = Infinity;
    let forwards = 0;
    let backwards = 0;
    let weightLast = false;
    let weights = 0;
    let held = 0;
    for (const stage of stagesOn(placement, device)) {
      first = Math.min(first, head[stage]);
      // Where nothing runs backwards, what follows a stage is the way down from it.
      after = Math.min(after, program.forwardOnly === true ? below[stage] : tail[stage]);
      weightLast ||= options.split && duration[W * stages + stage] > 0;
      const microbatches = microbatchesOf(program, stage);
      if (options.split) weights += microbatches * duration[W * stages + stage];
      forwards += microbatches * duration[F * stages + stage];
      backwards += microbatches * duration[B * stages + stage] + (recomputed[stage] ?? 0);
      const around = least[F * stages + stage] + below[stage] + least[back * stages + stage];
      bound = Math.max(bound, head[stage] + around + tail[stage]);
      held +=
        microbatches *
        plan.stages[stage].activation *
        (program.forwardOnly === true ? least[F * stages + stage] : around);
    }
    if (timing.single !== undefined) [forwards, backwards] = singleWork(program, timing, device);
    const work = forwards + backwards - overlap * Math.min(forwards, backwards);
    if (work === 0) continue;
    if (open) {
      bound = Math.max(bound, work, first + work - weights + after);
      if (options.memory && program.partner === undefined) bound = Math.max(bound, leastForMemory(plan, device, held));
      continue;
    }
    earliest = Math.min(earliest, first + work);
    const step = leastStep(program, timing, device);
    bound = Math.max(bound, first + work + Math.max(weightLast ? 0 : after, step));
    // Activations may be elsewhere where they are evicted.
    const stays = program.partner === undefined;
    if (options.memory && stays) bound = Math.max(bound, first + leastForMemory(plan, device, held));
  }
  if (timing.sharing === undefined || open) return bound;
  // Links that stages share carry all bytes; buckets may go before the last operation.
  const groups = linkSecondsByGroup(timing);
  const full = timing.sharing.links.reduce(
    (most, _, link) =>
      Math.max(
        most,
        groups.reduce((sum, { seconds }) => sum + seconds[link], 0),
      ),
    0,
  );
  return Math.max(bound, timing.buckets === undefined ? earliest + full : full);
}

/** Seconds after a device's last operation until its weights are updated, in any order of its operations, split or not. */
export const leastStep = (program: Program, timing: Timing, device: number): number =>
  Math.max(
    leastExposed(program, timing, device) + timing.sync[device] + timing.optimizer[device],
    leastHosted(program, timing, device),
  );

/** Seconds that byte-seconds of activations take in the memory of a device; 0 if it has no room for any. */
function leastForMemory(plan: PipelinePlan, device: number, held: number): number {
  const room = plan.devices[device].memory - plan.devices[device].reserved - staticBytes(plan, device);
  return room > 0 ? held / room : 0;
}

/** Seconds of a device's forwards, and of its other operations, where operations of a row take different times. */
function singleWork(program: Program, timing: Timing, device: number): [number, number] {
  const work: [number, number] = [0, 0];
  for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1) {
    const word = program.order[at];
    const kind = kindOf(program, word);
    // What the schedule declares is counted apart.
    if (kind < kinds) work[kind === F ? 0 : 1] += secondsOf(timing, program, word);
  }
  return work;
}

/** Seconds of each stage's recomputation that is separate from the backward. */
function recomputedApart(program: Program, duration: Float64Array): Float64Array {
  const { apart, stages, order } = program;
  const seconds = new Float64Array(apart === undefined ? 0 : stages);
  for (let at = 0; apart !== undefined && at < order.length; at += 1) {
    const row = rowOf(program, order[at]);
    if (kindOfRow(stages, row) === R) seconds[row % stages] += duration[row];
  }
  return seconds;
}

function needOf(timing: Timing, row: number, result: number): number {
  for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1)
    if (timing.needs[need] === result) return need;
  return -1;
}

/**
 * Seconds of the microbatch whose operations take longest: down to the last stage and up again, as far as rows wait for each other. 0 with
 * copies of stages, where a microbatch runs on one copy only.
 */
function pathOfLongest(
  { stages, microbatches, copies, forwardOnly }: Program,
  timing: Timing,
  { seconds }: SingleTimes,
  back: number,
): number {
  if (copies !== undefined) return 0;
  const kindsOfPath = forwardOnly === true ? [F] : [F, back];
  const total = (microbatch: number): number => {
    let sum = 0;
    for (const kind of kindsOfPath)
      for (let stage = 0; stage < stages; stage += 1)
        sum += seconds[(kind * stages + stage) * microbatches + microbatch];
    return sum;
  };
  let longest = 0;
  for (let microbatch = 1; microbatch < microbatches; microbatch += 1)
    if (total(microbatch) > total(longest)) longest = microbatch;
  // Ends of results of F and of the backward. Forwards need earlier stages, backwards later ones and the forward of their stage.
  const end = new Float64Array(2 * stages);
  let path = 0;
  for (const kind of kindsOfPath) {
    for (let at = 0; at < stages; at += 1) {
      const stage = kind === F ? at : stages - 1 - at;
      const row = kind * stages + stage;
      let start = 0;
      for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
        const result = timing.needs[need];
        if (result >= 2 * stages || (timing.needShift?.[need] ?? 0) !== 0) continue;
        const delay = occupancyOf(timing, microbatches, need, longest) + timing.needLatency[need];
        start = Math.max(start, end[result] + delay);
      }
      const result = (kind === F ? 0 : stages) + stage;
      end[result] = start + seconds[row * microbatches + longest];
      path = Math.max(path, end[result]);
    }
  }
  return path;
}
