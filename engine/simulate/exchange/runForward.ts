/** The first forward of a stage, layer by layer: it waits for tensors, and steps each layer before it runs. */
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

export interface LayerGraph {
  /** Seconds of each layer, without its share of the optimizer's step. */
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

/** By lane and tensor, seconds. */
export type Arrivals = readonly Float64Array[];

/** Seconds: when the device of a first forward is free for it, and when the results are there that it needs from other stages. */
export interface ForwardTimes {
  readonly from: number;
  readonly input: number;
}

interface Listener {
  /** The tensor must be there at that time, so that nothing is later. */
  reached(needed: NeededTensor, at: number): void;
  /** The device has all but that tensor. */
  waited(needed: NeededTensor, from: number, to: number): void;
  /** The device has nothing to do until then: it waits for the tensor, or for results of other stages. */
  rested?(needed: NeededTensor | undefined, until: number): void;
}

const nobody: Listener = { reached: () => undefined, waited: () => undefined };

/**
 * Seconds: when the forward starts. Its waits and steps are moved ahead of it, so it ends when its last layer does. A layer steps just
 * before it runs. Until the results of other stages arrive, the device steps the layers in turn whose tensors are there. It never rests
 * while there is something to do in that order, so steps at other moments give the same end.
 */
export function runForward(
  forward: FirstForward,
  arrival: Arrivals,
  { from, input }: ForwardTimes,
  listener: Listener = nobody,
): number {
  if (forward.graph !== undefined) return runGraph(forward, forward.graph, arrival, { from, input }, listener);
  const { tensors } = forward;
  const { ahead, now: stepped } = stepAhead(tensors, arrival, { from, input }, listener);
  let now = Math.max(stepped, input);
  // What is stepped ahead is late if its step, or one of those behind it, ends after the results are there.
  let behind = tensors.reduce((sum, { step }, at) => (at < ahead ? sum + step : sum), 0);
  const begin = now;
  let passed = 0;
  for (const [at, needed] of tensors.entries()) {
    const { lane, tensor, before, step } = needed;
    now = now + before - passed;
    passed = before;
    listener.reached(needed, at < ahead && behind > 0 ? begin - behind : now);
    if (at < ahead) {
      behind -= step;
      continue;
    }
    const there = arrival[lane][tensor];
    if (there > now) {
      listener.waited(needed, now, there);
      listener.rested?.(needed, there);
      now = there;
    }
    now += step;
  }
  return now - passed;
}

/** Tensors, from the first on, whose layers step before the results of other stages are there. */
function stepAhead(
  tensors: readonly NeededTensor[],
  arrival: Arrivals,
  { from, input }: ForwardTimes,
  listener: Listener,
): { readonly ahead: number; readonly now: number } {
  let now = from;
  let ahead = 0;
  for (const needed of tensors) {
    const { lane, tensor, step } = needed;
    const start = Math.max(now, arrival[lane][tensor]);
    if (start >= input) break;
    if (start > now) listener.rested?.(needed, start);
    now = start + step;
    ahead += 1;
  }
  if (input > now) listener.rested?.(undefined, input);
  return { ahead, now };
}

/** Layers run as they get ready. A gap before a layer is a wait for its own tensor: what else it needs ended before the gap. */
function runGraph(
  { tensors, seconds: whole }: FirstForward,
  { compute, needs, tensors: own }: LayerGraph,
  arrival: Arrivals,
  { from, input }: ForwardTimes,
  listener: Listener,
): number {
  const thereAt = ({ lane, tensor }: NeededTensor): number => arrival[lane][tensor];
  const byArrival = tensors.toSorted((a, b) => thereAt(a) - thereAt(b));
  const { ahead, now: stepped } = stepAhead(byArrival, arrival, { from, input }, listener);
  const done = new Set(byArrival.slice(0, ahead));
  const begin = Math.max(stepped, input);
  const left = own.map((each) => each.map((index) => tensors[index]).filter((needed) => !done.has(needed)));
  const seconds = compute.map((each, layer) => left[layer].reduce((sum, { step }) => sum + step, each));
  const there = Float64Array.from(left, (each) =>
    each.reduce((latest, needed) => Math.max(latest, thereAt(needed)), begin),
  );
  const ends = runAsReady({ compute: seconds, needs }, there);
  let now = begin;
  for (const layer of Array.from(ends, (_, each) => each).sort((a, b) => ends[a] - ends[b] || a - b)) {
    const start = ends[layer] - seconds[layer];
    for (const index of own[layer]) listener.reached(tensors[index], Math.min(now, start));
    const last = left[layer].toSorted((a, b) => thereAt(b) - thereAt(a))[0];
    if (start > now && last !== undefined) {
      listener.waited(last, now, start);
      listener.rested?.(last, start);
    }
    now = ends[layer];
  }
  return ends.reduce((latest, each) => Math.max(latest, each), -Infinity) - whole;
}

/** Seconds of a first forward from the step of a tensor's layer on, all steps behind it included. */
export function secondsFrom({ tensors, seconds, graph }: FirstForward, lane: number, tensor: number): number {
  const at = tensors.findIndex((each) => each.lane === lane && each.tensor === tensor);
  if (graph === undefined) {
    const steps = tensors.slice(at).reduce((sum, { step }) => sum + step, 0);
    return seconds - tensors[at].before + steps;
  }
  // Only layers that need this one, through others too, come after it.
  const after = graph.tensors.map((own) => own.includes(at));
  graph.needs.forEach((needed, layer) => {
    after[layer] ||= needed.some((each) => after[each]);
  });
  return graph.compute.reduce(
    (sum, each, layer) =>
      after[layer] ? sum + each + graph.tensors[layer].reduce((all, index) => all + tensors[index].step, 0) : sum,
    0,
  );
}
