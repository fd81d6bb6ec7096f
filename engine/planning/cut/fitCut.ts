/** Exact cuts of layers into contiguous stages under two costs at once: what a stage loads its device with, and its time. */
export interface CutCosts {
  /** Layers, and stages to cut them into: at most as many. */
  readonly count: number;
  readonly parts: number;
  /** Load of layers `from` to `to` (exclusive) as the stage of this number, 0 or more; the same unit for all stages. */
  load(part: number, from: number, to: number): number;
  /** Seconds of them, 0 or more. */
  time(part: number, from: number, to: number): number;
}

/** Costs that are asked for between two pauses: some milliseconds. */
const slice = 8_000;

/** Sums that differ by less than this share are equal but for rounding. */
const rounding = 1e-12;

/**
 * First layer of each stage. The largest load is the least that any cut has; loads up to `bound` are equally good. Among such
 * cuts the slowest stage is fastest. Among these the sum of squared times is least, and earlier stages are the smaller ones. No
 * stage is empty. Three dynamic programs over prefixes, O(parts · count²) calls each. A test compares it with all cuts.
 */
export function* fitCut(costs: CutCosts, bound: number): Generator<void, Int32Array, void> {
  const { count, parts } = costs;
  const width = count + 1;
  // A load is asked for in each of the three.
  const known = new Float64Array(parts * width * width).fill(-1);
  const load = (part: number, from: number, to: number): number => {
    const at = (part * width + from) * width + to;
    if (known[at] < 0) known[at] = costs.load(part, from, to);
    return known[at];
  };
  const { value: least } = yield* bestPath(
    count,
    parts,
    (part, from, to) => Math.max(bound, load(part, from, to)),
    Math.max,
  );
  const most = least * (1 + rounding);
  const timeWithin = (part: number, from: number, to: number): number =>
    load(part, from, to) <= most ? costs.time(part, from, to) : Infinity;
  const { value: fastest } = yield* bestPath(count, parts, timeWithin, Math.max);
  const slowest = fastest * (1 + rounding);
  const even = (part: number, from: number, to: number): number => {
    const time = timeWithin(part, from, to);
    return time <= slowest ? time * time : Infinity;
  };
  const { starts } = yield* bestPath(count, parts, even, (a, b) => a + b);
  return starts;
}

/** The cut whose parts' costs, joined, are least; of equal ones that with the earliest last cuts. */
function* bestPath(
  count: number,
  parts: number,
  cost: (part: number, from: number, to: number) => number,
  join: (before: number, cost: number) => number,
): Generator<void, { readonly value: number; readonly starts: Int32Array }, void> {
  let work = 0;
  let before = new Float64Array(count + 1).fill(Infinity);
  before[0] = 0;
  const cut = new Int32Array(parts * (count + 1));
  for (let part = 0; part < parts; part += 1) {
    const row = new Float64Array(count + 1).fill(Infinity);
    const last = count - (parts - 1 - part);
    for (let end = part + 1; end <= last; end += 1) {
      work += end - part;
      if (work > slice) {
        work = 0;
        yield;
      }
      cut[part * (count + 1) + end] = end - 1;
      for (let start = part; start < end; start += 1) {
        if (!(before[start] < row[end])) continue;
        const value = join(before[start], cost(part, start, end));
        if (!(value < row[end])) continue;
        row[end] = value;
        cut[part * (count + 1) + end] = start;
      }
    }
    before = row;
  }
  const starts = new Int32Array(parts);
  for (let part = parts - 1, end = count; part >= 0; part -= 1) {
    end = cut[part * (count + 1) + end];
    starts[part] = end;
  }
  return { value: before[count], starts };
}
