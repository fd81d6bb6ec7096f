/** How the first forwards of an iteration wait for tensors of the one before. */
import type { LaneTiming } from '../../values/exchangeTimeline.ts';
import { F, kindOfRow, microbatchOf, type Program, rowOf } from '../../values/program.ts';
import { arrivalAt, endAt, type Timeline } from '../../values/timeline.ts';
import type { TensorWait } from './exposed.ts';
import {
  type Arrivals,
  type FirstForward,
  type ForwardTimes,
  type LayerGraph,
  type NeededTensor,
  runForward,
} from './runForward.ts';

/** First positions of all stages that need tensors, in the order of devices. `optimizer`: seconds of each device's step. */
export function firstForwards(
  program: Program,
  lanes: readonly LaneTiming[],
  duration: Float64Array,
  optimizer: Float64Array,
): readonly FirstForward[] {
  const { offsets, order, devices, stages, placement } = program;
  const needed = new Map<number, Omit<NeededTensor, 'step'>[]>();
  // A device steps what it holds: each tensor takes its share of the bytes.
  const bytes = new Float64Array(devices);
  lanes.forEach(({ plan, users }, lane) => {
    users.forEach((all, tensor) => {
      const counted = new Set<number>();
      for (const stage of all) {
        const device = placement[stage];
        const known = needed.get(stage);
        const entry = { lane, tensor, before: plan.tensors[tensor].before * duration[F * stages + stage] };
        if (known === undefined) needed.set(stage, [entry]);
        else known.push(entry);
        if (!counted.has(device)) bytes[device] += plan.tensors[tensor].bytes;
        counted.add(device);
      }
    });
  });
  const found: FirstForward[] = [];
  for (let device = 0; device < devices; device += 1) {
    const seen = new Set<number>();
    for (let position = offsets[device]; position < offsets[device + 1]; position += 1) {
      const row = rowOf(program, order[position]);
      const stage = row % stages;
      const tensors = needed.get(stage);
      if (kindOfRow(stages, row) !== F || tensors === undefined || seen.has(stage)) continue;
      seen.add(stage);
      const stepped = tensors
        .toSorted((a, b) => a.before - b.before)
        .map((each) => ({
          ...each,
          step:
            bytes[device] > 0
              ? (optimizer[device] * lanes[each.lane].plan.tensors[each.tensor].bytes) / bytes[device]
              : 0,
        }));
      const graph = graphOf(lanes, stage, stepped, duration[row]);
      found.push({
        ...{ stage, device, position, seconds: duration[row], tensors: stepped },
        ...(graph === undefined ? {} : { graph }),
      });
      if (seen.size === needed.size) break;
    }
  }
  return found;
}

/**
 * When the forwards of each stage may start, by row: no layer of the first one runs before its tensors are there. An operation that
 * waits within it ends as if it started later. `free`: when each device has ended the iteration before. `timesOf`: more about a first
 * forward, if it is known.
 */
export function releasesAfter(
  { stages, placement }: Program,
  rows: number,
  forwards: readonly FirstForward[],
  arrival: Arrivals,
  free: Float64Array,
  timesOf: (forward: FirstForward) => ForwardTimes | undefined = () => undefined,
): Float64Array {
  const release = new Float64Array(rows);
  for (let stage = 0; stage < stages; stage += 1) release[F * stages + stage] = free[placement[stage]];
  for (const forward of forwards) {
    const { stage, device } = forward;
    const times = timesOf(forward) ?? { from: -Infinity, input: -Infinity };
    const from = Math.max(free[device], times.from);
    const start = runForward(forward, arrival, { ...times, from });
    release[F * stages + stage] = Math.max(free[device], start);
  }
  return release;
}

/** When what a first forward needs from other stages is there, and its device is free, by the ends of a timeline. */
export function timesIn(timeline: Timeline, { stage, device, position }: FirstForward, free: number): ForwardTimes {
  const { program, timing } = timeline;
  const row = F * program.stages + stage;
  let input = -Infinity;
  for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
    const at = arrivalAt(timeline, need, microbatchOf(program, program.order[position]));
    if (at > input) input = at;
  }
  return { from: position > program.offsets[device] ? endAt(timeline, position - 1) : free, input };
}

/** Waits of each device for tensors, and when it reaches each tensor's layer if it does not wait for that tensor. */
export interface ForwardWaits {
  readonly device: number;
  readonly lane: number;
  readonly wait: TensorWait;
}

/**
 * Waits of the first forwards of an iteration, with `arrival` and `free` in its own time. `reached` hears when each tensor must be there
 * so that nothing is later.
 */
export function waitsOfForwards(
  timeline: Timeline,
  forwards: readonly FirstForward[],
  arrival: Arrivals,
  free: Float64Array,
  reached: (lane: number, tensor: number, at: number) => void,
): readonly ForwardWaits[] {
  const waits: ForwardWaits[] = [];
  for (const forward of forwards) {
    const { device } = forward;
    runForward(forward, arrival, timesIn(timeline, forward, free[device]), {
      reached: ({ lane, tensor }, at) => reached(lane, tensor, at),
      waited: ({ lane, tensor }, from, to) => waits.push({ device, lane, wait: { from, to, tensor } }),
    });
  }
  return waits;
}

/** The layers of a stage where its lane says which need which. */
function graphOf(
  lanes: readonly LaneTiming[],
  stage: number,
  tensors: readonly NeededTensor[],
  seconds: number,
): LayerGraph | undefined {
  const [first] = tensors;
  const { plan, users } = lanes[first.lane];
  const graph = plan.graphs?.find((each) => each.tensors.flat().some((tensor) => users[tensor].includes(stage)));
  if (graph === undefined) return undefined;
  const numbers = new Map(tensors.map(({ tensor }, index) => [tensor, index]));
  const own = graph.tensors.map((each) => each.flatMap((tensor) => numbers.get(tensor) ?? []));
  return {
    compute: Float64Array.from(graph.shares, (share) => share * seconds),
    needs: graph.needs,
    tensors: own,
  };
}
