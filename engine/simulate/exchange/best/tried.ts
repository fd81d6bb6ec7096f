/** Buckets and pieces that are found by running the lane. */
import type { LaneProblem, LaneRun, SettledRule } from '../lane.ts';
import { runLane } from '../lane.ts';

/** Seconds: the last arrival; without a barrier the greatest arrival + tail. */
export function finishOf({ arrival }: Pick<LaneRun, 'arrival'>, tail: Float64Array, barrier: boolean): number {
  let latest = -Infinity;
  for (let tensor = 0; tensor < arrival.length; tensor += 1)
    latest = Math.max(latest, barrier ? arrival[tensor] : arrival[tensor] + tail[tensor]);
  return latest;
}

export interface Tried {
  readonly closes: Uint8Array;
  readonly finish: number;
  /** All fusions were tried. */
  readonly exact: boolean;
  /** Tensors of all lanes that were run. */
  readonly steps: number;
}

const mostForAll = 14;
/** Tensors of lanes to run. */
const mostSteps = 100_000;

/** The better of two, and of equal ones the first. */
const better = (finish: number, than: number): boolean => finish < than - 1e-12 * Math.abs(than);

/**
 * The fusion under which the rule's order does best. Up to 14 tensors all fusions are tried. Of more, prefixes of the backward are
 * extended by a bucket each time. MG-WFBP does that with a formula; here the lane runs. From that fusion, and from the best of the
 * `candidates`, one border is moved at a time, as long as that helps.
 */
export function tryFusions(problem: LaneProblem, barrier: boolean, candidates: readonly Uint8Array[]): Tried {
  const { tensors } = problem;
  const sent = tensors.flatMap(({ bytes }, at) => (bytes > 0 ? [at] : [])).toReversed();
  let steps = 0;
  const finish = (closes: Uint8Array, from = 0): number => {
    steps += tensors.length - from;
    return finishOf(runLane(suffix({ ...problem, closes }, from)), problem.tail.subarray(from), barrier);
  };
  let best = candidates[0];
  let least = Infinity;
  const offer = (closes: Uint8Array): boolean => {
    const value = finish(closes);
    if (!better(value, least) && least < Infinity) return false;
    [best, least] = [closes.slice(), value];
    return true;
  };
  for (const closes of candidates) offer(closes);
  if (sent.length <= mostForAll) {
    const closes = new Uint8Array(tensors.length);
    for (let set = 0; set < 1 << Math.max(0, sent.length - 1); set += 1) {
      sent.forEach((tensor, at) => {
        closes[tensor] = (set >> at) & 1;
      });
      offer(closes);
    }
    return { closes: best, finish: least, exact: true, steps };
  }
  improve();
  if (sent.length ** 3 / 3 <= mostSteps) {
    // From another start: the better of both counts.
    const [before, value] = [best, least];
    least = Infinity;
    offer(byPrefixes());
    improve();
    if (better(value, least)) [best, least] = [before, value];
  }
  return { closes: best, finish: least, exact: false, steps };

  function byPrefixes(): Uint8Array {
    const known: Uint8Array[] = [new Uint8Array(tensors.length)];
    for (let last = 1; last <= sent.length; last += 1) {
      const from = sent[last - 1];
      let [found, value] = [known[0], Infinity];
      for (let first = 0; first < last; first += 1) {
        const closes = known[first].slice();
        closes[from] = 1;
        const tried = finish(closes, from);
        if (better(tried, value) || value === Infinity) [found, value] = [closes, tried];
      }
      known.push(found);
    }
    return known[sent.length];
  }

  function improve(): void {
    for (let changed = true; changed && steps < mostSteps;) {
      changed = false;
      for (const tensor of sent) {
        if (steps >= mostSteps) return;
        const closes = best.slice();
        closes[tensor] = 1 - closes[tensor];
        if (offer(closes)) changed = true;
      }
    }
  }
}

/** The tensors that the backward reaches before it comes to those before `from`. */
const suffix = (problem: LaneProblem, from: number): LaneProblem =>
  from === 0
    ? problem
    : {
        ...problem,
        tensors: problem.tensors.slice(from),
        closes: problem.closes.subarray(from),
        ready: problem.ready.subarray(from),
        tail: problem.tail.subarray(from),
        ...(problem.pulls === undefined ? {} : { pulls: problem.pulls.subarray(from) }),
      };

const smallest = 256 * 1024;

/**
 * Pieces of 256 KiB times powers of two up to the largest bucket, or whole ones, and credit for 1, 2 or 4 of them, by running the
 * lane with each. `partition` and `credit` are those that are given. Of equal ones the larger pieces, then less credit. A credit of
 * one piece, however large, is tried too: where tensors go whole, a size holds several small ones, and these block the front layer.
 */
export function tryPieces(
  problem: LaneProblem,
  barrier: boolean,
  partition: SettledRule['partition'] | 'best',
  credit: SettledRule['credit'] | 'best',
): Pick<SettledRule, 'partition' | 'credit'> & { readonly finish: number } {
  const largest = largestBucket(problem);
  const sizes: SettledRule['partition'][] = [];
  if (partition === 'best') {
    for (let size = smallest; size < largest; size *= 2) sizes.unshift(size);
    sizes.unshift('whole');
  } else sizes.push(partition);
  let best: (Pick<SettledRule, 'partition' | 'credit'> & { readonly finish: number }) | undefined;
  for (const size of sizes)
    for (const each of credit === 'best' ? creditsFor(typeof size === 'number' ? size : largest) : [credit]) {
      const rule = { ...problem.rule, partition: size, credit: each };
      const finish = finishOf(runLane({ ...problem, rule }), problem.tail, barrier);
      if (best === undefined || better(finish, best.finish)) best = { partition: size, credit: each, finish };
    }
  return best ?? { partition: 'whole', credit: 'unlimited', finish: Infinity };
}

const creditsFor = (size: number): readonly SettledRule['credit'][] => [size, 2 * size, 4 * size, 'piece'];

function largestBucket({ tensors, closes }: LaneProblem): number {
  const held = new Map<string, number>();
  let largest = 0;
  for (let at = tensors.length - 1; at >= 0; at -= 1) {
    const { stage, call, bytes } = tensors[at];
    const key = `${stage} ${call}`;
    const sum = (held.get(key) ?? 0) + bytes;
    largest = Math.max(largest, sum);
    held.set(key, closes[at] === 1 ? 0 : sum);
  }
  return largest;
}
