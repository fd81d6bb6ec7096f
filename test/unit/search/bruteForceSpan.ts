import type { OrderProblem } from '../../../engine/search/orderProblem.ts';
import { letter } from './bruteForce.ts';

/**
 * The longest span of a device, from its first start to its last end, in the order where that is shortest. Tries all orders,
 * operation by operation by their starts. Every operation starts as soon as its device is free and what it needs has come: no
 * device may start late to look shorter. No span is under `atLeast`; if none is under `likely`, none below it is tried. Shares no code
 * with the search.
 */
export function leastSpan(problem: OrderProblem, atLeast: number, likely = atLeast): number {
  const first = likely > atLeast && !someOrderSpans(problem, likely - 1) ? likely : atLeast;
  for (let span = first; ; span += 1) if (someOrderSpans(problem, span)) return span;
}

function someOrderSpans(problem: OrderProblem, most: number): boolean {
  const { devices, microbatches: m, device, transfer, activation, forWeight, limit } = problem;
  const stages = device.length;
  const ticks = [...problem.forward, ...problem.input, ...problem.weight];
  const done = new Array<number>(3 * stages).fill(0);
  const ends = ticks.map(() => new Array<number>(m).fill(0));
  const first = new Array<number>(devices).fill(-1);
  const free = new Array<number>(devices).fill(0);
  const held = new Array<number>(devices).fill(0);
  const work = new Array<number>(devices).fill(0);
  device.forEach((on, stage) => {
    work[on] += m * (ticks[stage] + ticks[stages + stage] + ticks[2 * stages + stage]);
  });
  const failed = new Set<string>();
  let left = 3 * stages * m;

  /** What an operation waits for: the same microbatch of another row, and the ticks on the way from there. */
  const needs = ticks.map((_, row): readonly (readonly [row: number, delay: number])[] => {
    const stage = row % stages;
    if (row >= 2 * stages) return [[row - stages, 0]];
    if (row < stages) return stage > 0 ? [[stage - 1, transfer[stage - 1]]] : [];
    const own = [stage, 0] as const;
    return stage + 1 < stages ? [own, [row + 1, transfer[stage]]] : [own];
  });
  const waiting = ticks.map((_, row) =>
    needs.flatMap((all, later) => all.filter(([other]) => other === row).map(([, delay]) => [later, delay] as const)),
  );
  const earliest = (row: number): number => {
    const j = done[row];
    let start = free[device[row % stages]];
    for (const [other, delay] of needs[row]) {
      if (done[other] <= j) return Infinity;
      start = Math.max(start, ends[other][j] + delay);
    }
    return start;
  };
  /** Bytes of a device after an operation. */
  const bytesAfter = (kind: number, stage: number): number => {
    const kept = problem.weight[stage] > 0 ? forWeight[stage] : 0;
    return held[device[stage]] + [activation[stage], kept - activation[stage], -kept][kind];
  };
  /**
   * What the rest depends on: counts, what each device has left of its span, and the ends that an operation still waits for. An end
   * is of no more account once the longest way from there has passed.
   */
  const stateKey = (now: number): string => {
    let key = '';
    for (const count of done) key += letter(count);
    for (let on = 0; on < devices; on += 1) {
      key += first[on] < 0 ? '-' : `+${letter(now - first[on])}`;
      key += letter(Math.max(0, free[on] - now));
    }
    for (let row = 0; row < 2 * stages; row += 1)
      for (let j = 0; j < done[row]; j += 1) {
        let longest = -1;
        for (const [later, delay] of waiting[row]) if (done[later] <= j) longest = Math.max(longest, delay);
        if (longest >= 0) key += letter(Math.max(0, ends[row][j] + longest - now));
      }
    return key;
  };
  const run = (now: number): boolean => {
    if (left === 0) return true;
    for (let on = 0; on < devices; on += 1)
      // A device that has done its work may wait for others.
      if (first[on] >= 0 && work[on] > 0 && Math.max(now, free[on]) + work[on] > first[on] + most) return false;
    const key = stateKey(now);
    if (failed.has(key)) return false;
    for (let row = 0; row < 3 * stages; row += 1) {
      if (done[row] === m) continue;
      const [kind, stage] = [Math.floor(row / stages), row % stages];
      const on = device[stage];
      const start = earliest(row);
      // Operations are put by their starts; an earlier one would have been put before.
      if (start === Infinity || start < now) continue;
      const before = { first: first[on], free: free[on], held: held[on] };
      const after = bytesAfter(kind, stage);
      if (after > limit[on] + 1e-6) continue;
      if (first[on] < 0) first[on] = start;
      if (start + ticks[row] <= first[on] + most) {
        held[on] = after;
        free[on] = start + ticks[row];
        ends[row][done[row]] = free[on];
        done[row] += 1;
        left -= 1;
        work[on] -= ticks[row];
        const found = run(start);
        done[row] -= 1;
        left += 1;
        work[on] += ticks[row];
        if (found) return true;
      }
      ({ first: first[on], free: free[on], held: held[on] } = before);
    }
    failed.add(key);
    return false;
  };
  return run(0);
}
