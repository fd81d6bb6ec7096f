import type { Codes } from './codes.ts';
import type { Precedence } from './precedence.ts';

/** Room for the rules of one device; reused by all. */
export interface WindowScratch {
  /** By place of a chain and number in it. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly raised: Float64Array;
  /** By place of a chain: how far the merge is, and how many of its operations come before the one that is looked at. */
  readonly cursor: Int32Array;
  readonly ahead: Int32Array;
  /** By rank: the place and the step of its chain, and what it has. The loops over ranks are the longest, so they read in order. */
  readonly sorted: Int32Array;
  readonly chain: Int32Array;
  readonly step: Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly size: Float64Array;
  readonly latest: Float64Array;
}

export function windowScratch({ groups }: Codes, microbatches: number): WindowScratch {
  const codes = groups.reduce((most, { length }) => Math.max(most, length), 0);
  const numbers = (): Float64Array => new Float64Array(codes * microbatches);
  const places = (): Int32Array => new Int32Array(codes * microbatches);
  return {
    ...{ starts: numbers(), ends: numbers(), raised: numbers() },
    ...{ cursor: new Int32Array(codes), ahead: new Int32Array(codes) },
    ...{ sorted: places(), chain: places(), step: places() },
    ...{ start: numbers(), end: numbers(), size: numbers(), latest: numbers() },
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
  const { starts, ends, raised, cursor: at, ahead } = scratch;
  const { microbatches: m, est, lft } = windows;
  const group = groups[device];
  const chains = group.length;
  const n = chains * m;
  for (let chain = 0; chain < chains; chain += 1)
    for (let j = 0; j < m; j += 1) {
      const operation = group[chain] * m + j;
      starts[chain * m + j] = mirrored ? last - lft[operation] : est[operation];
      ends[chain * m + j] = mirrored ? last - est[operation] : lft[operation];
    }
  mergeByStart(scratch, ticks, group, m, mirrored);
  for (let chain = 0; chain < chains; chain += 1) {
    const size = ticks[group[chain]];
    at.fill(0);
    for (let j = 0; j < m; j += 1) {
      // What comes before is the beginning of each chain; with `mirrored`, its end.
      let count = 0;
      for (let other = 0; other < chains; other += 1) {
        if (other === chain) ahead[other] = mirrored ? m - 1 - j : j;
        else if (mirrored) {
          const pair = base[device] + (chain * chains + other) * m;
          while (at[other] < m && before[pair + at[other]] <= j) at[other] += 1;
          ahead[other] = m - at[other];
        } else ahead[other] = before[base[device] + (other * chains + chain) * m + j];
        count += ahead[other];
      }
      const end = packedEnd(scratch, count);
      const place = chain * m + j;
      raised[place] = Math.max(starts[place], end);
      if (raised[place] + size > ends[place]) return false;
    }
  }
  starts.set(raised.subarray(0, n));
  mergeByStart(scratch, ticks, group, m, mirrored);
  if (!findEdges(scratch, n)) return false;
  for (let chain = 0; chain < chains; chain += 1)
    for (let j = 0; j < m; j += 1) {
      const [place, operation] = [chain * m + j, group[chain] * m + j];
      if (raised[place] + ticks[group[chain]] > ends[place]) return false;
      if (mirrored) lft[operation] = last - raised[place];
      else est[operation] = raised[place];
    }
  return true;
}

/** When the `count` operations that are `ahead` end at the earliest, one after the other; 0 if there are none. */
function packedEnd({ ahead, chain, step, start, size }: WindowScratch, count: number): number {
  let end = 0;
  for (let rank = 0, left = count; left > 0; rank += 1) {
    if (step[rank] >= ahead[chain[rank]]) continue;
    end = (end > start[rank] ? end : start[rank]) + size[rank];
    left -= 1;
  }
  return end;
}

/**
 * Edge finding: an operation that cannot be among those that end by a deadline comes after them. Baptiste, Le Pape, Nuijten,
 * "Constraint-Based Scheduling" (2001), section 2.1.4. Raises `raised`, which holds the starts. False if the operations of a deadline do not fit.
 */
function findEdges({ start, end, size, raised, sorted, latest }: WindowScratch, n: number): boolean {
  let longest = 0;
  for (let rank = 0; rank < n; rank += 1) if (size[rank] > longest) longest = size[rank];
  for (let by = 0; by < n; by += 1) {
    const deadline = end[by];
    let total = 0;
    let packed = -Infinity;
    for (let rank = n - 1; rank >= 0; rank -= 1) {
      if (end[rank] <= deadline) {
        total += size[rank];
        if (start[rank] + total > packed) packed = start[rank] + total;
        if (packed > deadline) return false;
      }
      latest[rank] = packed;
    }
    // Then every other operation has room before the deadline.
    if (packed + longest <= deadline) continue;
    let head = -Infinity;
    for (let rank = 0; rank < n; rank += 1) {
      if (end[rank] <= deadline) {
        if (start[rank] + total > head) head = start[rank] + total;
        total -= size[rank];
        continue;
      }
      const place = sorted[rank];
      if (start[rank] + total + size[rank] > deadline && latest[rank] > raised[place]) raised[place] = latest[rank];
      if (head + size[rank] > deadline && packed > raised[place]) raised[place] = packed;
    }
  }
  return true;
}

/** Merges the chains of the codes, which ascend, by their earliest starts. With `descending`, a chain begins at its last operation. */
function mergeByStart(
  scratch: WindowScratch,
  ticks: Float64Array,
  group: readonly number[],
  m: number,
  descending: boolean,
): void {
  const { sorted, cursor, starts, ends, chain, step, start, end, size } = scratch;
  const chains = group.length;
  cursor.fill(0);
  for (let rank = 0; rank < chains * m; rank += 1) {
    let first = -1;
    let least = Infinity;
    let place = 0;
    for (let other = 0; other < chains; other += 1) {
      const taken = cursor[other];
      if (taken >= m) continue;
      const next = other * m + (descending ? m - 1 - taken : taken);
      if (first < 0 || starts[next] < least) {
        first = other;
        least = starts[next];
        place = next;
      }
    }
    sorted[rank] = place;
    chain[rank] = first;
    step[rank] = cursor[first];
    start[rank] = least;
    end[rank] = ends[place];
    size[rank] = ticks[group[first]];
    cursor[first] += 1;
  }
}
