import { callSeconds } from '../../../callCost.ts';
import { closesBySize } from '../buckets.ts';
import { pieceOf } from '../items.ts';
import type { LaneProblem } from '../lane.ts';
import { fuseForEnd, fuseForTails, type FusionTensors } from './fusion.ts';
import { type Tried, tryFusions } from './tried.ts';

/** The buckets that are best for the rest of the rule. */
export function bestBuckets(problem: LaneProblem, barrier: boolean): Pick<Tried, 'closes' | 'exact'> {
  const { tensors, rule } = problem;
  // From the back to the front.
  const sent = tensors.flatMap(({ bytes }, at) => (bytes > 0 ? [at] : [])).toReversed();
  const none = new Uint8Array(tensors.length);
  if (sent.length === 0) return { closes: none, exact: true };
  const fused = oneAfterTheOther(problem, sent);
  const found = fused.map(({ closes }) => {
    const spread = none.slice();
    closes.forEach((each, at) => {
      spread[sent[at]] = each;
    });
    return spread;
  });
  const formula = barrier ? 0 : 1;
  if (isFormula(problem, sent)) return { closes: found[formula], exact: fused[formula].exact };
  const all = sent.reduce((sum, at) => sum + tensors[at].bytes, 0);
  const candidates = [none, closesBySize(tensors, 'layer'), ...found];
  for (let size = 1 << 20; size < all; size *= 2) candidates.push(closesBySize(tensors, size));
  return tryFusions({ ...problem, rule }, barrier, candidates);
}

/** Fusions for a lane that sends buckets as they get ready: with a barrier, and without one. */
function oneAfterTheOther({ tensors, calls, ready, tail, rule }: LaneProblem, sent: readonly number[]) {
  const { push: cost } = calls[tensors[sent[0]].call];
  const { partition } = rule;
  const seconds = (bytes: number): number => {
    if (typeof partition !== 'number') return callSeconds(cost, bytes);
    const pieces = Math.ceil(bytes / pieceOf(bytes, partition) - 1e-9);
    return (pieces - 1) * callSeconds(cost, partition) + callSeconds(cost, bytes - (pieces - 1) * partition);
  };
  const chain: FusionTensors & { readonly tail: Float64Array } = {
    ready: Float64Array.from(sent, (at) => ready[at]),
    bytes: Float64Array.from(sent, (at) => tensors[at].bytes),
    tail: Float64Array.from(sent, (at) => tail[at]),
    seconds,
    cost,
  };
  return [fuseForEnd(chain), fuseForTails(chain)] as const;
}

/** Whether buckets of one chain go over the lane one after the other, in the order in which they get ready. */
function isFormula({ tensors, calls, ready, rule }: LaneProblem, sent: readonly number[]): boolean {
  const { stage, call } = tensors[sent[0]];
  const inOrder = rule.credit === 'unlimited' || (rule.credit === 'piece' && rule.ack === 0);
  return (
    inOrder &&
    rule.order === 'ready' &&
    rule.halves === 'together' &&
    !rule.earlyStart &&
    calls[call].pull === undefined &&
    sent.every((at) => tensors[at].stage === stage && tensors[at].call === call) &&
    sent.every((at, place) => place === 0 || ready[at] >= ready[sent[place - 1]])
  );
}
