/** Copies of a stage that are updated together: each exchanges its gradients with the others before it steps. */
import { B, type Program, U, W, resultOf } from '../values/program.ts';

/** Another copy of a stage, and how far its microbatch of the same round is from this copy's. */
export interface Peer {
  readonly stage: number;
  readonly shift: number;
}

/**
 * The copies that an update of each stage waits for; undefined if no update waits for another copy. Copies with the same `every`
 * run the same number of microbatches in every round. A copy's last is the last of its turns: `first` for every k-th microbatch.
 * If copy c ends a round with microbatch j, copy c′ ends it with j − last(c) + last(c′). With minibatches of one microbatch,
 * each copy has one in a round; otherwise a minibatch is a round.
 */
export function peersOf({ copies, weights, stages }: Program): readonly (readonly Peer[])[] | undefined {
  if (copies === undefined || weights === undefined || weights === 'flush') return undefined;
  const { stage, every, first, segment } = copies;
  const last = (copy: number): number => copies.turns?.[copy]?.lastIndexOf(1) ?? first[copy];
  const of = new Map<number, number[]>();
  for (let copy = 0; copy < stages; copy += 1) of.set(stage[copy], [...(of.get(stage[copy]) ?? []), copy]);
  const peers = Array.from({ length: stages }, (_, index): readonly Peer[] =>
    (of.get(stage[index]) ?? [])
      .filter(
        // The first part of a sequence is updated for all of them, and waits for all of the others.
        (other) => first[other] !== first[index] && every[other] === every[index] && segment[index] <= 0,
      )
      .map((other) => ({ stage: other, shift: last(other) - last(index) })),
  );
  return peers.some((list) => list.length > 0) ? peers : undefined;
}

/** Results of a peer's last backward that an update waits for: the input gradient, and the weight gradient of a split backward. */
export const peerResults: readonly number[] = [resultOf[B], resultOf[W]];
/** The result that an update leaves. */
export const updateResult = resultOf[U];
