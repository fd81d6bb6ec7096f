import type { OrderProblem } from '../../../engine/search/orderProblem.ts';

/**
 * Whether some order of a small problem ends by a tick: tries all orders, operation by operation in the order of their starts. It
 * knows only when an operation may start and what a device holds, and shares no code with the bound.
 */
export function someOrderEndsBy(problem: OrderProblem, last: number): boolean {
  const { devices, microbatches: m, device, forward, input, weight, transfer, step, limit } = problem;
  const stages = device.length;
  // Operations by kind · stages + stage: how many have been put, when each ended.
  const put = new Int32Array(3 * stages);
  const ends = Array.from({ length: 3 * stages }, () => new Float64Array(m));
  const ticks = [...forward, ...input, ...weight];
  const free = new Float64Array(devices);
  const held = new Float64Array(devices);
  const left = new Float64Array(devices);
  // Ticks after an operation until the end, at least.
  const after = new Float64Array(3 * stages);
  for (let stage = 0; stage < stages; stage += 1) {
    const on = device[stage];
    after[2 * stages + stage] = step[on];
    const above = stage === 0 ? 0 : transfer[stage - 1] + input[stage - 1] + after[stages + stage - 1];
    after[stages + stage] = Math.max(step[on], weight[stage] + step[on], above);
    left[on] += m * (forward[stage] + input[stage] + weight[stage]);
  }
  for (let stage = stages - 1; stage >= 0; stage -= 1)
    after[stage] =
      stage + 1 === stages
        ? input[stage] + after[stages + stage]
        : transfer[stage] + forward[stage + 1] + after[stage + 1];
  /** What an operation waits for: the same microbatch of another row, and the ticks on the way from there. */
  const needs = Array.from({ length: 3 * stages }, (_, row): readonly (readonly [row: number, delay: number])[] => {
    const stage = row % stages;
    if (row >= 2 * stages) return [[stages + stage, 0]];
    if (row < stages) return stage > 0 ? [[stage - 1, transfer[stage - 1]]] : [];
    return stage + 1 < stages
      ? [
          [stage, 0],
          [row + 1, transfer[stage]],
        ]
      : [[stage, 0]];
  });
  const waiting = needs.map((_, row) =>
    needs.flatMap((needed, later) =>
      needed.filter(([other]) => other === row).map(([, delay]) => [later, delay] as const),
    ),
  );
  const failed = new Set<string>();
  let remaining = stages * m * 3;

  const place = (now: number): boolean => {
    if (remaining === 0) return true;
    for (let on = 0; on < devices; on += 1)
      if (left[on] > 0 && Math.max(now, free[on]) + left[on] + step[on] > last) return false;
    const key = stateKey(now);
    if (failed.has(key)) return false;
    for (let row = 0; row < 3 * stages; row += 1) {
      const j = put[row];
      if (j === m) continue;
      const kind = Math.floor(row / stages);
      const stage = row % stages;
      const on = device[stage];
      let start = Math.max(now, free[on]);
      let ready = true;
      for (const [other, delay] of needs[row]) {
        if (put[other] <= j) {
          ready = false;
          break;
        }
        start = Math.max(start, ends[other][j] + delay);
      }
      if (!ready) continue;
      if (start + ticks[row] + after[row] > last) return remember(key);
      const { activation, forWeight } = problem;
      const bytesBefore = held[on];
      if (kind === 0) held[on] += activation[stage];
      if (held[on] > limit[on] + 1e-6) {
        held[on] = bytesBefore;
        continue;
      }
      // A whole backward leaves nothing for a weight gradient, which then takes no time.
      if (kind === 1) held[on] += (weight[stage] > 0 ? forWeight[stage] : 0) - activation[stage];
      if (kind === 2 && weight[stage] > 0) held[on] -= forWeight[stage];
      if (held[on] > limit[on] + 1e-6) {
        held[on] = bytesBefore;
        continue;
      }
      const freeBefore = free[on];
      put[row] += 1;
      ends[row][j] = start + ticks[row];
      free[on] = start + ticks[row];
      left[on] -= ticks[row];
      remaining -= 1;
      const found = place(start);
      remaining += 1;
      left[on] += ticks[row];
      free[on] = freeBefore;
      put[row] -= 1;
      held[on] = bytesBefore;
      if (found) return true;
    }
    return remember(key);
  };
  const remember = (key: string): false => {
    failed.add(key);
    return false;
  };
  /**
   * What the rest depends on: counts, when devices are free, and the ends that an operation still waits for. An end is of no more
   * account once the longest way from there has passed.
   */
  const letters = new Uint16Array(1 + 3 * stages + devices + 2 * stages * m);
  const stateKey = (now: number): string => {
    let length = 0;
    const add = (ticks: number): void => {
      letters[length++] = short(ticks);
    };
    add(now);
    for (let row = 0; row < 3 * stages; row += 1) add(put[row]);
    for (let on = 0; on < devices; on += 1) add(Math.max(0, free[on] - now));
    for (let row = 0; row < 2 * stages; row += 1) {
      const later = waiting[row];
      // Earlier ends have been waited for by all.
      let from = m;
      for (const [other] of later) from = Math.min(from, put[other]);
      for (let j = from; j < put[row]; j += 1) {
        let longest = 0;
        for (const [other, delay] of later) if (put[other] <= j) longest = Math.max(longest, delay);
        add(Math.max(0, ends[row][j] + longest - now));
      }
    }
    return String.fromCharCode.apply(null, letters.subarray(0, length) as unknown as number[]);
  };
  return place(0);
}

const short = (ticks: number): number => {
  if (!Number.isInteger(ticks) || ticks < 0 || ticks > 0xffff)
    throw new Error(`${ticks} ticks: only small problems fit.`);
  return ticks;
};

/** A number of ticks as one letter: keys of numbers in words take most of the time. */
export const letter = (ticks: number): string => String.fromCharCode(short(ticks));

/**
 * Ticks of the shortest order; none is under `bound`. What ends by a tick ends by all later ones: if no order ends right before `likely`,
 * no earlier tick is tried, and where the shortest order is far from both, steps to it double and are then halved.
 */
export function leastMakespanFrom(problem: OrderProblem, bound: number, likely = bound): number {
  const first = likely > bound && !someOrderEndsBy(problem, likely - 1) ? likely : bound;
  let none = first - 1;
  let some = first;
  for (let step = 1; !someOrderEndsBy(problem, some); step *= 2) [none, some] = [some, some + step];
  while (some - none > 1) {
    const middle = Math.floor((none + some) / 2);
    if (someOrderEndsBy(problem, middle)) some = middle;
    else none = middle;
  }
  return some;
}
