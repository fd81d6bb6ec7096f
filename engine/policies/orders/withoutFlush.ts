/** Orders of asynchronous policies: minibatch after minibatch without a flush, each stage updated after its minibatch's last backward. */
import { gcd } from '../../basics/gcd.ts';
import type { OperationSink, Policy, Shape, ShapeFault } from '../policy.ts';

/** Which microbatches a run of a stage (or of one of its replicas) has: `first`, `first + every`, … below `microbatches`. */
export interface Run {
  readonly stage: number;
  readonly first: number;
  readonly every: number;
  /** Of all iterations. */
  readonly microbatches: number;
  /** Microbatches of one update. */
  readonly minibatch: number;
  /** Forwards before the first backward, at least 1. */
  readonly warmup: number;
}

/** `warmup` forwards, then a backward and a forward in turn, then the remaining backwards; an update after each minibatch. */
export function alternateWithoutFlush(
  { stage, first, every, microbatches, minibatch, warmup }: Run,
  out: OperationSink,
): void {
  const last = Math.min(microbatches, first + warmup * every);
  for (let forward = first; forward < last; forward += every) out.forward(stage, forward);
  for (let backward = first; backward < microbatches; backward += every) {
    out.backward(stage, backward);
    const next = backward + every;
    if (next >= microbatches || Math.floor(next / minibatch) !== Math.floor(backward / minibatch))
      out.update(stage, backward);
    if (backward + warmup * every < microbatches) out.forward(stage, backward + warmup * every);
  }
}

/**
 * The same on one device for each stage, with as many forwards before each backward as `ahead` says: what it asks for beyond the
 * last microbatch is not there.
 */
export function runAhead(
  { stage, microbatches, minibatch }: Pick<Run, 'stage' | 'microbatches' | 'minibatch'>,
  ahead: (microbatch: number) => number,
  out: OperationSink,
): void {
  let forward = 0;
  for (let backward = 0; backward < microbatches; backward += 1) {
    const last = Math.min(microbatches, ahead(backward));
    while (forward < last) {
      out.forward(stage, forward);
      forward += 1;
    }
    out.backward(stage, backward);
    if ((backward + 1) % minibatch === 0) out.update(stage, backward);
  }
}

/** All microbatches that run back to back. */
export const microbatchesOfRun = (shape: Shape): number => shape.microbatches * shape.iterations;

/** The order where each stage is on one device and runs every microbatch; `warmup` as above, by stage. */
export const withoutFlush =
  (warmup: (shape: Shape, stage: number) => number): Policy['order'] =>
  (shape, device, out) =>
    alternateWithoutFlush(
      {
        stage: device,
        first: 0,
        every: 1,
        microbatches: microbatchesOfRun(shape),
        minibatch: shape.microbatches,
        warmup: warmup(shape, device),
      },
      out,
    );

/** Replicas take turns, so that each must have as many microbatches of a minibatch as the others (or minibatches are one microbatch). */
export function replicaFaults({ microbatches, replicas }: Shape): readonly ShapeFault[] {
  if (microbatches === 1) return [];
  const uneven = Array.from(replicas).findIndex((count) => microbatches % count !== 0);
  if (uneven < 0) return [];
  const turns = Array.from(replicas).reduce((multiple, count) => (multiple / gcd(multiple, count)) * count, 1);
  const below = microbatches - (microbatches % turns);
  return [
    {
      message: `${microbatches} microbatches of an update do not divide evenly among the ${replicas[uneven]} replicas of stage ${uneven}`,
      fix: { input: 'microbatches', values: below > 0 ? [below, below + turns] : [1, turns] },
    },
  ];
}
