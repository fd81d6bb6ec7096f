/** What the lanes of an iteration have to send, and when. */
import { callSeconds } from '../../basics/callCost.ts';
import type { ExchangeTiming, LaneTiming } from '../../values/exchangeTimeline.ts';
import { F } from '../../values/program.ts';
import { startAt, type Timeline } from '../../values/timeline.ts';
import { gradientsReady, lastBackward } from '../gradients.ts';
import { settleLane, type SettledLane } from './best/settle.ts';
import type { LaneProblem } from './lane.ts';
import { pathsToEnd, waitsOfOperations } from './paths.ts';
import { type FirstForward, secondsFrom } from './runForward.ts';
import { timingAware, timingIndependent } from './tictac.ts';

/** Rules without `best`, and tails, from an iteration that waits for no tensor. By lane. */
export interface LaneSettings {
  readonly lanes: readonly SettledLane[];
  readonly tails: readonly Float64Array[];
  readonly pulls: readonly (Int32Array | undefined)[];
}

export function settleLanes(
  timeline: Timeline,
  { rule, lanes }: ExchangeTiming,
  forwards: readonly FirstForward[],
): LaneSettings {
  const tails = tailsOf(timeline, lanes, forwards, rule.barrier);
  const pulls = lanes.map((lane) =>
    rule.order === 'tio' || rule.order === 'tao' ? pullPlaces(timeline, lane, rule.order) : undefined,
  );
  return {
    tails,
    pulls,
    lanes: lanes.map((lane, index) => {
      const { ready, origin } = readiness(timeline, lane);
      return settleLane(lane.plan, rule, { ready, origin, tail: tails[index], pulls: pulls[index] });
    }),
  };
}

/** The problem of each lane in an iteration. Seconds from its start. */
export function laneProblems(
  timeline: Timeline,
  { lanes }: ExchangeTiming,
  settings: LaneSettings,
): readonly LaneProblem[] {
  return lanes.map((lane, index) => {
    const { plan } = lane;
    const { rule, closes } = settings.lanes[index];
    const pulls = settings.pulls[index];
    return {
      ...{ tensors: plan.tensors, calls: plan.calls, rule, closes, tail: settings.tails[index] },
      ...readiness(timeline, lane),
      ...(pulls === undefined ? {} : { pulls }),
    };
  });
}

function readiness(timeline: Timeline, { makers }: LaneTiming): Pick<LaneProblem, 'ready' | 'origin'> {
  const readyAt = gradientsReady(timeline);
  let origin = Infinity;
  const ready = Float64Array.from(makers, (each) => {
    let latest = 0;
    for (const maker of each) {
      latest = Math.max(latest, readyAt(maker));
      const last = lastBackward(timeline.program, maker.device, maker.stage);
      if (last >= 0) origin = Math.min(origin, startAt(timeline, last));
    }
    return latest;
  });
  return { ready, origin: origin === Infinity ? 0 : origin };
}

/**
 * By lane and tensor: the longest path from the first forward that needs it to the end of the iteration, what is left of the optimizer's
 * step included. With a barrier nothing follows.
 */
function tailsOf(
  timeline: Timeline,
  lanes: readonly LaneTiming[],
  forwards: readonly FirstForward[],
  barrier: boolean,
): readonly Float64Array[] {
  const tails = lanes.map(({ plan }) => new Float64Array(plan.tensors.length));
  if (barrier) return tails;
  const paths = pathsToEnd(waitsOfOperations(timeline));
  for (const forward of forwards) {
    const { position, seconds, tensors, graph } = forward;
    let step = 0;
    for (const each of tensors.toReversed()) {
      step += each.step;
      const tail = tails[each.lane];
      const path =
        graph === undefined
          ? paths[position] - each.before + step
          : paths[position] - seconds + secondsFrom(forward, each.lane, each.tensor);
      tail[each.tensor] = Math.max(tail[each.tensor], path);
    }
  }
  return tails;
}

/** TicTac's place of each tensor among the pulls of its lane. Layers of a stage without a graph are a chain. */
function pullPlaces({ program, timing }: Timeline, { plan }: LaneTiming, order: 'tio' | 'tao'): Int32Array {
  const compute: number[] = [];
  const pull: number[] = [];
  const needs: (readonly number[])[] = [];
  const nodeOf = new Int32Array(plan.tensors.length).fill(-1);
  const seconds = (tensor: number): number => {
    const { push, pull: back } = plan.calls[plan.tensors[tensor].call];
    return callSeconds(back ?? push, plan.tensors[tensor].bytes);
  };
  for (const stage of plan.stages) {
    const forward = timing.duration[F * program.stages + stage];
    const own = plan.tensors.flatMap((tensor, at) => (tensor.stage === stage ? [at] : []));
    const graph = plan.graphs?.find((each) => each.stage === stage) ?? chainOfTensors(plan.tensors, own);
    const base = compute.length;
    // Stages of a device follow each other.
    const before = base === 0 ? [] : [base - 1];
    graph.shares.forEach((share, layer) => {
      const tensors = graph.tensors[layer];
      compute.push(share * forward);
      pull.push(tensors.reduce((sum, tensor) => sum + seconds(tensor), 0));
      const needed = graph.needs[layer].map((each) => base + each);
      needs.push(needed.length === 0 ? before : needed);
      for (const tensor of tensors) nodeOf[tensor] = base + layer;
    });
  }
  const graph = { compute: Float64Array.from(compute), pull: Float64Array.from(pull), needs };
  const places = order === 'tio' ? timingIndependent(graph) : timingAware(graph);
  return nodeOf.map((node) => (node < 0 ? 0 : places[node]));
}

/** Each tensor's layer with the layers behind it up to the next tensor. */
function chainOfTensors(
  tensors: readonly { readonly before: number }[],
  own: readonly number[],
): {
  readonly shares: readonly number[];
  readonly needs: readonly (readonly number[])[];
  readonly tensors: readonly (readonly number[])[];
} {
  return {
    shares: own.map((tensor, at) => (at + 1 < own.length ? tensors[own[at + 1]].before : 1) - tensors[tensor].before),
    needs: own.map((_, at) => (at === 0 ? [] : [at - 1])),
    tensors: own.map((tensor) => [tensor]),
  };
}
