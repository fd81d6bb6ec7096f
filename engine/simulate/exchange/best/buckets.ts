import { callSeconds } from '../../../basics/callCost.ts';
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
  const chain = oneAfterTheOther(problem, sent);
  const spread = (closes: Uint8Array): Uint8Array => {
    const all = none.slice();
    closes.forEach((each, at) => {
      all[sent[at]] = each;
    });
    return all;
  };
  if (isFormula(problem, sent)) {
    const { closes, exact } = barrier ? fuseForEnd(chain) : fuseForTails(chain);
    return { closes: spread(closes), exact };
  }
  const found = [fuseForEnd(chain), fuseForTails(chain)].map(({ closes }) => spread(closes));
  const all = sent.reduce((sum, at) => sum + tensors[at].bytes, 0);
  const candidates = [none, closesBySize(tensors, 'layer'), ...found];
  for (let size = 1 << 20; size < all; size *= 2) candidates.push(closesBySize(tensors, size));
  return tryFusions({ ...problem, rule }, barrier, candidates);
}

/** A lane that sends buckets as they get ready. */
function oneAfterTheOther(
  { tensors, calls, ready, tail, rule }: LaneProblem,
  sent: readonly number[],
): FusionTensors & { readonly tail: Float64Array } {
  const { push: cost } = calls[tensors[sent[0]].call];
  const { partition } = rule;
  const seconds = (bytes: number): number => {
    if (typeof partition !== 'number') return callSeconds(cost, bytes);
    const pieces = Math.ceil(bytes / pieceOf(bytes, partition) - 1e-9);
    return (pieces - 1) * callSeconds(cost, partition) + callSeconds(cost, bytes - (pieces - 1) * partition);
  };
  return {
    ready: Float64Array.from(sent, (at) => ready[at]),
    bytes: Float64Array.from(sent, (at) => tensors[at].bytes),
    tail: Float64Array.from(sent, (at) => tail[at]),
    seconds,
    cost,
  };
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
