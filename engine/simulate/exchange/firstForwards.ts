/** How the first forwards of an iteration wait for tensors of the one before. */
import type { LaneTiming } from '../../exchangeTimeline.ts';
import { F, kindOfRow, type Program, rowOf } from '../../program.ts';
import { arrivalAt, endAt, type Timeline } from '../../timeline.ts';
import type { TensorWait } from './exposed.ts';
import { runAsReady } from './tictac.ts';

/** The first forward of a stage, and the tensors that it needs from the front layer on. */
export interface FirstForward {
  readonly stage: number;
  readonly device: number;
  /** Position in `order`. */
  readonly position: number;
  /** Seconds of the whole forward. */
  readonly seconds: number;
  readonly tensors: readonly NeededTensor[];
  /** If layers run as they get ready: which need which, and the needed tensors of each as numbers in `tensors`. */
  readonly graph?: LayerGraph;
}

interface LayerGraph {
  /** Seconds of each layer, its share of the optimizer's step included. */
  readonly compute: Float64Array;
  readonly needs: readonly (readonly number[])[];
  readonly tensors: readonly (readonly number[])[];
}

export interface NeededTensor {
  readonly lane: number;
  readonly tensor: number;
  /** Seconds of the forward before the layer, and seconds of its share of the optimizer's step, which comes just before it. */
  readonly before: number;
  readonly step: number;
}

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

/** By lane and tensor, seconds. */
export type Arrivals = readonly Float64Array[];

/**
 * When the forwards of each stage may start, by row: no layer of the first one runs before its tensors are there. An operation that
 * waits within it ends as if it started later. `free`: when each device has ended the iteration before. `previous`: when the operation
 * before a first forward ends, if that is known; shares of the step come after it.
 */
export function releasesAfter(
  { stages, placement }: Program,
  rows: number,
  forwards: readonly FirstForward[],
  arrival: Arrivals,
  free: Float64Array,
  previous: (forward: FirstForward) => number = () => -Infinity,
): Float64Array {
  const release = new Float64Array(rows);
  for (let stage = 0; stage < stages; stage += 1) release[F * stages + stage] = free[placement[stage]];
  for (const forward of forwards) {
    const { stage, device, seconds, tensors } = forward;
    const from = Math.max(free[device], previous(forward));
    if (forward.graph !== undefined) {
      const ends = endsAsReady(forward, forward.graph, arrival, from);
      release[F * stages + stage] = Math.max(free[device], latestOf(ends) - seconds);
      continue;
    }
    let now = from;
    let passed = 0;
    for (const { lane, tensor, before, step } of tensors) {
      now = Math.max(now + before - passed, arrival[lane][tensor]) + step;
      passed = before;
    }
    release[F * stages + stage] = Math.max(free[device], now - passed);
  }
  return release;
}

/** Waits of each device for tensors, and when it reaches each tensor's layer if it does not wait for that tensor. */
export interface ForwardWaits {
  readonly device: number;
  readonly lane: number;
  readonly wait: TensorWait;
}

/**
 * Waits of the first forwards of an iteration, with `arrival` and `free` in its own time. `reached` hears when the device comes to each
 * layer.
 */
export function waitsOfForwards(
  timeline: Timeline,
  forwards: readonly FirstForward[],
  arrival: Arrivals,
  free: Float64Array,
  reached: (lane: number, tensor: number, at: number) => void,
): readonly ForwardWaits[] {
  const { program, timing } = timeline;
  const { offsets, stages, microbatches, order, shift } = program;
  const waits: ForwardWaits[] = [];
  for (const forward of forwards) {
    const { stage, device, position, tensors } = forward;
    const microbatch = order[position] & ((1 << shift) - 1);
    const row = F * stages + stage;
    let now = position > offsets[device] ? endAt(timeline, position - 1) : free[device];
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
      const at = arrivalAt(timeline, need, microbatch % microbatches);
      if (at > now) now = at;
    }
    if (forward.graph !== undefined) {
      waits.push(...waitsAsReady(forward, forward.graph, arrival, now, reached));
      continue;
    }
    let passed = 0;
    for (const { lane, tensor, before, step } of tensors) {
      now += before - passed;
      reached(lane, tensor, now);
      const there = arrival[lane][tensor];
      if (there > now) {
        waits.push({ device, lane, wait: { from: now, to: there, tensor } });
        now = there;
      }
      now += step;
      passed = before;
    }
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
    compute: Float64Array.from(graph.shares, (share, layer) =>
      own[layer].reduce((sum, index) => sum + tensors[index].step, share * seconds),
    ),
    needs: graph.needs,
    tensors: own,
  };
}

function endsAsReady(
  { tensors }: FirstForward,
  { compute, needs, tensors: own }: LayerGraph,
  arrival: Arrivals,
  from: number,
): Float64Array {
  const there = Float64Array.from(own, (each) =>
    each.reduce((latest, index) => Math.max(latest, arrival[tensors[index].lane][tensors[index].tensor]), from),
  );
  return runAsReady({ compute, needs }, there);
}

/** A gap before a layer is a wait for its own tensor: what else it needs ended before the gap. */
function waitsAsReady(
  forward: FirstForward,
  graph: LayerGraph,
  arrival: Arrivals,
  from: number,
  reached: (lane: number, tensor: number, at: number) => void,
): readonly ForwardWaits[] {
  const ends = endsAsReady(forward, graph, arrival, from);
  const order = Array.from(ends, (_, layer) => layer).sort((a, b) => ends[a] - ends[b] || a - b);
  const waits: ForwardWaits[] = [];
  let now = from;
  for (const layer of order) {
    const start = ends[layer] - graph.compute[layer];
    const mine = graph.tensors[layer].map((index) => forward.tensors[index]);
    for (const { lane, tensor } of mine) reached(lane, tensor, Math.min(now, start));
    const last = mine.toSorted((a, b) => arrival[b.lane][b.tensor] - arrival[a.lane][a.tensor])[0];
    if (start > now && last !== undefined)
      waits.push({ device: forward.device, lane: last.lane, wait: { from: now, to: start, tensor: last.tensor } });
    now = ends[layer];
  }
  return waits;
}

const latestOf = (times: Float64Array): number => times.reduce((latest, each) => Math.max(latest, each), -Infinity);
