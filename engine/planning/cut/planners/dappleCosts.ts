import type { DappleProblem } from './dappleProblem.ts';
import { runSeconds } from '../stageRuns.ts';
import { runningSums } from './layers.ts';

/** Seconds of stages and transfers. */
export interface DappleCosts {
  /** Of one microbatch: layers `from` to `to` (exclusive) on `replicas` machines. */
  forward(from: number, to: number, replicas: number): number;
  backward(from: number, to: number, replicas: number): number;
  /** Both at least, also of a stage that starts earlier. */
  least(from: number, to: number, replicas: number): number;
  /** The exchange of their gradients, a ring over the replicas. */
  exchange(from: number, to: number, replicas: number): number;
  /** A transfer before layer `at`, in one direction, between `pairs` pairs of machines. */
  transfer(at: number, pairs: number): number;
}

export function dappleCosts({ layers, data, link }: DappleProblem): DappleCosts {
  const [forward, gradients, all] = [
    layers.forward,
    layers.gradients,
    layers.forward.map((time, layer) => time + layers.backward[layer]),
  ].map(runningSums);
  const backward = runSeconds(layers.backward, layers.recomputed);
  return {
    forward: (from, to, replicas) => (forward[to] - forward[from]) / replicas,
    backward: (from, to, replicas) => backward(from, to) / replicas,
    least: (from, to, replicas) => (all[to] - all[from]) / replicas,
    exchange(from, to, replicas) {
      const ring = replicas * data;
      return 2 * (ring - 1) * (link.latency + (gradients[to] - gradients[from]) / ring / link.bandwidth);
    },
    transfer: (at, pairs) => link.latency + layers.crossing[at] / link.bandwidth / (link.alone ? pairs : 1),
  };
}
