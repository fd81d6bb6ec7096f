/** Copies and parts of stages: a stage on several devices (bidirectional schedules, replicas), or cut along the sequence. */
import { gcd } from '../../basics/gcd.ts';
import { scaleTraffic } from '../../costs/collectives.ts';
import { scaleParts } from '../../costs/layerPart.ts';
import { copiesMeet } from '../../order/copyTurns.ts';
import type { EdgePlan, OffloadedPlan, StageCopy, StagePlan } from '../../values/plan.ts';

/** Names of the stages of a program. A stage with several copies or parts gets numbered names. */
export function copyNames(names: readonly string[], copies: readonly StageCopy[]): readonly string[] {
  const next = new Int32Array(names.length);
  const total = new Int32Array(names.length);
  for (const { stage } of copies) total[stage] += 1;
  return copies.map(({ stage }) => (total[stage] === 1 ? names[stage] : `${names[stage]}[${next[stage]++}]`));
}

/**
 * Edges between copies that share microbatches and, if the sequence is cut, the segment. A segment's forward needs the keys and
 * values of the segment before it on the same stage, and its backward needs the segment after it. These edges carry no bytes.
 */
export function copyEdges(edges: readonly EdgePlan[], copies: readonly StageCopy[]): readonly EdgePlan[] {
  const of = new Map<number, number[]>();
  for (const [index, { stage }] of copies.entries()) of.set(stage, [...(of.get(stage) ?? []), index]);
  const found: EdgePlan[] = [];
  for (const { from, to, bytes, back } of edges) {
    for (const a of of.get(from) ?? []) {
      for (const b of of.get(to) ?? []) {
        const divisor = gcd(copies[a].every, copies[b].every);
        if (!copiesMeet(copies[a], copies[b], divisor) || copies[a].segment !== copies[b].segment) continue;
        // Nothing waits for a spare copy, and it sends no gradients back.
        if (copies[a].spare === true) continue;
        const length = lengthOf(copies[a]);
        found.push({
          from: a,
          to: b,
          bytes: bytes * length,
          ...(back === undefined ? {} : { back: back * length }),
          ...(copies[b].spare === true || copies[a].forwardOnly === true ? { back: 0, forwardOnly: true } : {}),
        });
      }
    }
  }
  for (const [index, { stage, segment }] of copies.entries()) {
    if (segment === undefined) continue;
    // The parts of a copy are next to each other.
    const next = copies.at(index + 1);
    if (next?.stage === stage && next.segment === segment + 1) found.push({ from: index, to: index + 1, bytes: 0 });
  }
  return found.sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Index of a stage's first copy or part. */
export const firstCopy = (copies: readonly StageCopy[], stage: number): number =>
  copies.findIndex((copy) => copy.stage === stage);

/** Share of a segment of the sequence, and of the time of its stage. */
const lengthOf = ({ share, segments = 1 }: StageCopy): number => share ?? 1 / segments;
const timeOf = (copy: StageCopy): number => copy.time ?? lengthOf(copy);

/** What a copy runs at a time: the share of a microbatch, cut into `parts`, that its segment takes. */
export const pieceOf = (
  copy: StageCopy | undefined,
  parts: number,
): { readonly bytes: number; readonly seconds: number } => ({
  bytes: (copy === undefined ? 1 : lengthOf(copy)) / parts,
  seconds: (copy === undefined ? 1 : timeOf(copy)) / parts,
});

/**
 * The plan of a stage as one of its copies or parts. A segment computes its share of the sequence and keeps its share of the
 * activations; the weights are there once, with the first segment, and only where they are at home. If microbatches are cut into `parts`, each part takes its
 * share. Except for buffers, the figures of `stage` are already for one of its `split` replicas.
 */
export function copyPlan(stage: StagePlan, copy: StageCopy | undefined, parts: number, split: number): StagePlan {
  const whole = parts === 1 && (copy?.segments ?? 1) === 1;
  const owns = (copy?.segment ?? 0) === 0 && copy?.away !== true;
  return {
    ...stage,
    ...(copy === undefined ? {} : { copy }),
    ...(whole ? {} : shares(stage, copy, parts)),
    // Buffers are as large as what the edges carry: a segment's and a part's share already, of all replicas together.
    buffers: stage.buffers / split,
    ...(owns ? {} : { parameters: 0, weights: 0, gradients: 0, optimizer: 0, gradientCopies: undefined }),
    ...(owns || stage.trainable === undefined ? {} : { trainable: 0 }),
    ...(copy?.spare === true ? { ...forwardsOnly, spareFlops: stage.forwardFlops } : {}),
    ...(copy?.forwardOnly === true ? { ...forwardsOnly, optimizer: 0 } : {}),
  };
}

/**
 * A spare copy runs no backward, so it adds up no gradients, and what it computes is not the model's work. It has weights and
 * optimizer state, as in Bamboo's code (`init_redundancy`). What its ranks exchange is not listed.
 */
const forwardsOnly: Partial<StagePlan> = {
  gradients: 0,
  gradientCopies: undefined,
  backwardInput: 0,
  backwardWeight: 0,
  recompute: 0,
  backwardFlops: undefined,
  traffic: undefined,
};

function shares(stage: StagePlan, copy: StageCopy | undefined, parts: number): Partial<StagePlan> {
  const time = copy === undefined ? 1 : timeOf(copy);
  const length = copy === undefined ? 1 : lengthOf(copy);
  return {
    forwardFlops: (stage.forwardFlops * time) / parts,
    ...(stage.spareFlops === undefined ? {} : { spareFlops: (stage.spareFlops * time) / parts }),
    ...(stage.backwardFlops === undefined ? {} : { backwardFlops: (stage.backwardFlops * time) / parts }),
    forward: (stage.forward * time) / parts,
    backwardInput: (stage.backwardInput * time) / parts,
    backwardWeight: (stage.backwardWeight * time) / parts,
    recompute: (stage.recompute * time) / parts,
    activation: (stage.activation * length) / parts,
    ...(stage.activationParts === undefined
      ? {}
      : { activationParts: scaleParts(stage.activationParts, length / parts) }),
    activationForWeight: (stage.activationForWeight * length) / parts,
    recomputed: (stage.recomputed * length) / parts,
    ...(stage.recomputedWhole === undefined ? {} : { recomputedWhole: (stage.recomputedWhole * length) / parts }),
    workspace: (stage.workspace * length) / parts,
    ...(stage.offloaded === undefined
      ? {}
      : { offloaded: scaleOffloaded(stage.offloaded, length / parts, time / parts) }),
    // As the time that it is part of.
    ...(stage.traffic === undefined ? {} : { traffic: scaleTraffic(stage.traffic, time / parts) }),
  };
}

const scaleOffloaded = (offloaded: OffloadedPlan, bytes: number, seconds: number): OffloadedPlan => ({
  layers: offloaded.layers,
  bytes: offloaded.bytes * bytes,
  forWeight: offloaded.forWeight * bytes,
  busy: offloaded.busy * bytes,
  exposed: offloaded.exposed * seconds,
  split: offloaded.split * seconds,
});
