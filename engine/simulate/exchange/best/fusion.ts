/** Buckets that are best for a lane that sends them as they get ready. */
import type { CallCost } from '../../../values/exchangePlan.ts';
import { leastFinish } from '../bound.ts';
import { leastSeconds } from '../callParts.ts';

/** Tensors of one stage and one kind of call, in the order in which they get ready: seconds and bytes. */
export interface FusionTensors {
  /** Ascending. */
  readonly ready: Float64Array;
  readonly bytes: Float64Array;
  /** What follows the arrival of each; absent with a barrier. */
  readonly tail?: Float64Array;
  /** Seconds of a bucket by its bytes. */
  readonly seconds: (bytes: number) => number;
  readonly cost: CallCost;
}

export interface Fusion {
  /** By tensor: 1 if a bucket closes with it. */
  readonly closes: Uint8Array;
  /** The last arrival; without a barrier the greatest arrival + tail. */
  readonly finish: number;
  /** No other fusion is better. */
  readonly exact: boolean;
  /** Elementary steps that the search took. */
  readonly steps: number;
}

/** Fusions are compared with this share of their finish: sums of the same times differ by rounding. */
const rounding = 1e-12;

/**
 * With a barrier, the fusion whose last bucket ends first. E(i) = min over j of max(E(j), r_i) + t(j + 1 … i) is the earliest end of the
 * first i tensors (Shi et al., MG-WFBP, arXiv:1811.11141). Of equal ones the one with the larger last bucket. n² / 2 steps.
 */
export function fuseForEnd({ ready, bytes, seconds }: FusionTensors): Fusion {
  const count = ready.length;
  const before = sums(bytes);
  const end = new Float64Array(count + 1).fill(Infinity);
  const from = new Int32Array(count + 1);
  end[0] = -Infinity;
  let steps = 0;
  for (let last = 1; last <= count; last += 1)
    for (let first = 0; first < last; first += 1) {
      const done = Math.max(end[first], ready[last - 1]) + seconds(before[last] - before[first]);
      steps += 1;
      if (!(done < end[last] - rounding * Math.abs(end[last])) && end[last] < Infinity) continue;
      end[last] = done;
      from[last] = first;
    }
  const closes = new Uint8Array(count);
  for (let last = count; last > 0; last = from[last]) closes[last - 1] = 1;
  return { closes, finish: end[count], exact: true, steps };
}

/** A fusion of the first tensors: the end of its last bucket, and the greatest arrival + tail. */
interface Prefix {
  readonly end: number;
  readonly finish: number;
  readonly tensors: number;
  readonly of: Prefix | undefined;
}

/** Steps after which fronts are thinned out. */
const mostSteps = 4_000_000;
const thinned = 16;

/**
 * Without a barrier, the fusion with the least max(arrival + tail). Of the first i tensors, it keeps every fusion that no other
 * beats in both its end and its finish. Ends before the next tensor is ready are equal, and so are finishes that the whole cannot be
 * under. Not exact only if the fronts get too long.
 */
export function fuseForTails(tensors: FusionTensors & { readonly tail: Float64Array }): Fusion {
  const { ready, bytes, tail, seconds, cost } = tensors;
  const count = ready.length;
  const before = sums(bytes);
  const all = before[count];
  const whole = leastSeconds(cost, all);
  const least = leastFinish({ ready, tail, seconds: bytes.map((each) => (whole * each) / all) });
  const fronts: (readonly Prefix[])[] = [[{ end: -Infinity, finish: least, tensors: 0, of: undefined }]];
  let steps = 0;
  let exact = true;
  for (let last = 1; last <= count; last += 1) {
    const next = last < count ? ready[last] : -Infinity;
    const made: Prefix[] = [];
    let longest = -Infinity;
    for (let first = last - 1; first >= 0; first -= 1) {
      longest = Math.max(longest, tail[first]);
      const length = seconds(before[last] - before[first]);
      for (const of of fronts[first]) {
        const arrival = Math.max(of.end, ready[last - 1]) + length;
        made.push({ end: Math.max(arrival, next), finish: Math.max(of.finish, arrival + longest), tensors: last, of });
      }
    }
    steps += made.length;
    let front = frontOf(made);
    if (steps > mostSteps && front.length > thinned) {
      exact = false;
      const step = (front.length - 1) / (thinned - 1);
      front = Array.from({ length: thinned }, (_, at) => front[Math.round(at * step)]);
    }
    fronts.push(front);
  }
  const best = fronts[count].reduce((least, each) => (each.finish < least.finish ? each : least));
  const closes = new Uint8Array(count);
  for (let each: Prefix | undefined = best; each !== undefined && each.tensors > 0; each = each.of)
    closes[each.tensors - 1] = 1;
  return { closes, finish: best.finish, exact, steps };
}

/** Those that no other beats: ends ascend, finishes descend. Of equal ones, the one with the smaller last bucket. */
function frontOf(made: Prefix[]): readonly Prefix[] {
  const front: Prefix[] = [];
  for (const each of made.sort((a, b) => a.end - b.end || a.finish - b.finish)) {
    const last = front.at(-1);
    if (last === undefined || each.finish < last.finish - rounding * Math.abs(last.finish)) front.push(each);
  }
  return front;
}

function sums(bytes: Float64Array): Float64Array {
  const before = new Float64Array(bytes.length + 1);
  bytes.forEach((each, at) => {
    before[at + 1] = before[at] + each;
  });
  return before;
}
