import type { Codes } from './codes.ts';
import type { Precedence } from './precedence.ts';

/** Room for the rules of one device; reused by all. */
export interface WindowScratch {
  readonly sorted: Int32Array;
  readonly cursor: Int32Array;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly sizes: Float64Array;
  readonly raised: Float64Array;
  readonly latest: Float64Array;
}

export function windowScratch({ groups }: Codes, microbatches: number): WindowScratch {
  const codes = groups.reduce((most, { length }) => Math.max(most, length), 0);
  const array = (): Float64Array => new Float64Array(codes * microbatches);
  return {
    sorted: new Int32Array(codes * microbatches),
    cursor: new Int32Array(codes),
    ...{ starts: array(), ends: array(), sizes: array(), raised: array(), latest: array() },
  };
}

/**
 * The operations of one device do not overlap. Raises earliest starts: by the operations known to be before, packed from their
 * earliest starts, and by edge finding. With `mirrored`, the time axis runs down from `last`, and latest ends fall. False if a
 * set of operations has no room in its window. O(n²) for n operations.
 */
export function tightenWindows(
  { groups, ticks }: Codes,
  { before, base }: Precedence,
  scratch: WindowScratch,
  windows: { readonly microbatches: number; readonly est: Float64Array; readonly lft: Float64Array },
  device: number,
  last: number,
  mirrored: boolean,
): boolean {
  const { starts, ends, sizes, raised, sorted } = scratch;
  const { microbatches: m, est, lft } = windows;
  const group = groups[device];
  const chains = group.length;
  const n = chains * m;
  for (let chain = 0; chain < chains; chain += 1)
    for (let j = 0; j < m; j += 1) {
      const [at, operation] = [chain * m + j, group[chain] * m + j];
      starts[at] = mirrored ? last - lft[operation] : est[operation];
      ends[at] = mirrored ? last - est[operation] : lft[operation];
      sizes[at] = ticks[group[chain]];
    }
  mergeByStart(scratch, m, chains, mirrored);
  for (let chain = 0; chain < chains; chain += 1)
    for (let j = 0; j < m; j += 1) {
      let end = 0;
      for (let rank = 0; rank < n; rank += 1) {
        const at = sorted[rank];
        const otherChain = (at / m) | 0;
        const other = at - otherChain * m;
        const isBefore =
          otherChain === chain
            ? mirrored
              ? other > j
              : other < j
            : mirrored
              ? before[base[device] + (chain * chains + otherChain) * m + other] > j
              : before[base[device] + (otherChain * chains + chain) * m + j] > other;
        if (isBefore) end = (end > starts[at] ? end : starts[at]) + sizes[at];
      }
      const at = chain * m + j;
      raised[at] = Math.max(starts[at], end);
      if (raised[at] + sizes[at] > ends[at]) return false;
    }
  starts.set(raised.subarray(0, n));
  mergeByStart(scratch, m, chains, mirrored);
  if (!findEdges(scratch, n)) return false;
  for (let chain = 0; chain < chains; chain += 1)
    for (let j = 0; j < m; j += 1) {
      const [at, operation] = [chain * m + j, group[chain] * m + j];
      if (raised[at] + sizes[at] > ends[at]) return false;
      if (mirrored) lft[operation] = last - raised[at];
      else est[operation] = raised[at];
    }
  return true;
}

/**
 * Edge finding: an operation that cannot be among those that end by a deadline comes after them. Baptiste, Le Pape, Nuijten,
 * "Constraint-Based Scheduling" (2001), section 2.1.4. Raises `raised`, which holds the starts. False if the operations of a deadline do not fit.
 */
function findEdges({ starts, ends, sizes, raised, sorted, latest }: WindowScratch, n: number): boolean {
  for (let by = 0; by < n; by += 1) {
    const deadline = ends[by];
    let total = 0;
    let packed = -Infinity;
    for (let rank = n - 1; rank >= 0; rank -= 1) {
      const at = sorted[rank];
      if (ends[at] <= deadline) {
        total += sizes[at];
        if (starts[at] + total > packed) packed = starts[at] + total;
        if (packed > deadline) return false;
      }
      latest[rank] = packed;
    }
    let head = -Infinity;
    for (let rank = 0; rank < n; rank += 1) {
      const at = sorted[rank];
      const start = starts[at];
      if (ends[at] <= deadline) {
        if (start + total > head) head = start + total;
        total -= sizes[at];
        continue;
      }
      if (start + total + sizes[at] > deadline && latest[rank] > raised[at]) raised[at] = latest[rank];
      if (head + sizes[at] > deadline && packed > raised[at]) raised[at] = packed;
    }
  }
  return true;
}

/** Merges the chains of the codes, which ascend, by their earliest starts. */
function mergeByStart({ sorted, cursor, starts }: WindowScratch, m: number, chains: number, descending: boolean): void {
  cursor.fill(descending ? m - 1 : 0);
  for (let rank = 0; rank < chains * m; rank += 1) {
    let first = -1;
    for (let chain = 0; chain < chains; chain += 1) {
      const next = cursor[chain];
      if (next < 0 || next >= m) continue;
      if (first < 0 || starts[chain * m + next] < starts[first * m + cursor[first]]) first = chain;
    }
    sorted[rank] = first * m + cursor[first];
    cursor[first] += descending ? -1 : 1;
  }
}
