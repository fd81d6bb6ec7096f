/** Operations in order as they are written down: a struct of arrays that grows, and the few things that sequences do with it. */

export interface OperationList {
  kinds: Uint8Array;
  stages: Int32Array;
  microbatches: Int32Array;
  /** 1: this operation shares its slot with the next one. The two count as one when a list is cut or zipped. */
  fused: Uint8Array;
  length: number;
  /** Nothing is fused before the first pair, and then every operation is a unit. */
  anyFused: boolean;
}

export const operationList = (room = 0): OperationList => ({
  kinds: new Uint8Array(room),
  stages: new Int32Array(room),
  microbatches: new Int32Array(room),
  fused: new Uint8Array(room),
  length: 0,
  anyFused: false,
});

function grow(list: OperationList, least: number): void {
  const room = Math.max(least, 64, 2 * list.kinds.length);
  const larger = operationList(room);
  larger.kinds.set(list.kinds);
  larger.stages.set(list.stages);
  larger.microbatches.set(list.microbatches);
  larger.fused.set(list.fused);
  list.kinds = larger.kinds;
  list.stages = larger.stages;
  list.microbatches = larger.microbatches;
  list.fused = larger.fused;
}

/** A run of as many operations is faster to fill, list after list. */
const few = 32;

/** Adds `count` operations of one stage: microbatches from `first`, each `step` further. */
export function addRun(
  list: OperationList,
  kind: number,
  stage: number,
  first: number,
  step: number,
  count: number,
): void {
  const end = list.length + count;
  if (end > list.kinds.length) grow(list, end);
  const { kinds, stages, microbatches, fused } = list;
  const from = list.length;
  if (count >= few) {
    kinds.fill(kind, from, end);
    stages.fill(stage, from, end);
    fused.fill(0, from, end);
    for (let at = from, microbatch = first; at < end; at += 1, microbatch += step) microbatches[at] = microbatch;
  } else
    for (let at = from, microbatch = first; at < end; at += 1, microbatch += step) {
      kinds[at] = kind;
      stages[at] = stage;
      microbatches[at] = microbatch;
      fused[at] = 0;
    }
  list.length = end;
}

/** Adds one operation. */
export function add(list: OperationList, kind: number, stage: number, microbatch: number): void {
  const at = list.length;
  if (at === list.kinds.length) grow(list, at + 1);
  list.kinds[at] = kind;
  list.stages[at] = stage;
  list.microbatches[at] = microbatch;
  list.fused[at] = 0;
  list.length = at + 1;
}

export function clear(list: OperationList): void {
  list.length = 0;
  list.anyFused = false;
}

/** Where the unit at `at` ends. */
const unitEnd = ({ fused }: OperationList, at: number): number => at + 1 + fused[at];

/** Position behind the first `count` units from `from` on. */
function behind(list: OperationList, from: number, count: number): number {
  if (!list.anyFused) return Math.min(list.length, from + count);
  let at = from;
  for (let left = count; left > 0 && at < list.length; left -= 1) at = unitEnd(list, at);
  return at;
}

/** Keeps the first `count` units from `from` on. */
export function keepFirst(list: OperationList, from: number, count: number): void {
  list.length = behind(list, from, count);
}

/** Removes the first `count` units from `from` on. */
export function removeFirst(list: OperationList, from: number, count: number): void {
  const rest = behind(list, from, count);
  copyWithin(list, from, rest, list.length);
  list.length -= rest - from;
}

function copyWithin(
  { kinds, stages, microbatches, fused }: OperationList,
  to: number,
  from: number,
  end: number,
): void {
  kinds.copyWithin(to, from, end);
  stages.copyWithin(to, from, end);
  microbatches.copyWithin(to, from, end);
  fused.copyWithin(to, from, end);
}

/** Units from `from` to `end`. */
export function unitsBetween(list: OperationList, from: number, end: number): number {
  if (!list.anyFused) return end - from;
  let count = 0;
  for (let at = from; at < end; at = unitEnd(list, at)) count += 1;
  return count;
}

/** Takes one unit in turn from each part; the rest of the longer ones follows. `starts` are where the parts begin. */
export function interleave(list: OperationList, starts: readonly number[]): void {
  const from = starts[0] ?? list.length;
  const total = list.length - from;
  if (total === 0) return;
  const taken = operationList(total);
  if (starts.length === 2 && !list.anyFused) {
    alternate(list, from, starts[1], taken);
    return putBack(list, from, taken, total);
  }
  const next = Int32Array.from(starts);
  const ends = starts.map((_, part) => starts[part + 1] ?? list.length);
  let active = starts.map((_, part) => part).filter((part) => next[part] < ends[part]);
  let to = 0;
  while (active.length > 0) {
    let ended = false;
    for (const part of active) {
      const end = unitEnd(list, next[part]);
      for (let at = next[part]; at < end; at += 1, to += 1) copyOne(list, at, taken, to);
      next[part] = end;
      ended ||= end >= ends[part];
    }
    if (ended) active = active.filter((part) => next[part] < ends[part]);
  }
  putBack(list, from, taken, total);
}

/** Two parts of which nothing is fused. */
function alternate(list: OperationList, from: number, middle: number, taken: OperationList): void {
  const { kinds, stages, microbatches } = list;
  const both = Math.min(middle - from, list.length - middle);
  for (let index = 0, to = 0; index < both; index += 1, to += 2) {
    const a = from + index;
    const b = middle + index;
    taken.kinds[to] = kinds[a];
    taken.kinds[to + 1] = kinds[b];
    taken.stages[to] = stages[a];
    taken.stages[to + 1] = stages[b];
    taken.microbatches[to] = microbatches[a];
    taken.microbatches[to + 1] = microbatches[b];
  }
  const rest = middle - from > both ? from + both : middle + both;
  const end = middle - from > both ? middle : list.length;
  taken.kinds.set(kinds.subarray(rest, end), 2 * both);
  taken.stages.set(stages.subarray(rest, end), 2 * both);
  taken.microbatches.set(microbatches.subarray(rest, end), 2 * both);
}

/** Pairs the operations from `from` on with those from `middle` on; there are equally many of both, and none is fused. */
export function pair(list: OperationList, from: number, middle: number): void {
  const count = middle - from;
  const taken = operationList(2 * count);
  for (let index = 0; index < count; index += 1) {
    copyOne(list, from + index, taken, 2 * index);
    copyOne(list, middle + index, taken, 2 * index + 1);
    taken.fused[2 * index] = 1;
  }
  putBack(list, from, taken, 2 * count);
  if (count > 0) list.anyFused = true;
}

function copyOne(from: OperationList, at: number, into: OperationList, to: number): void {
  into.kinds[to] = from.kinds[at];
  into.stages[to] = from.stages[at];
  into.microbatches[to] = from.microbatches[at];
  into.fused[to] = from.fused[at];
}

function putBack(list: OperationList, from: number, taken: OperationList, total: number): void {
  list.kinds.set(taken.kinds.subarray(0, total), from);
  list.stages.set(taken.stages.subarray(0, total), from);
  list.microbatches.set(taken.microbatches.subarray(0, total), from);
  list.fused.set(taken.fused.subarray(0, total), from);
}
