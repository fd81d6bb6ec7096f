import type { Layout, Words } from './layout.ts';

/** Sums of bytes are rounded; a limit holds up to this share. */
export const rounding = 1 + 1e-12;

/** Whether a device never holds more than its limit: F takes at its start, I and W free at their end. */
export function fits({ problem, stages, local, first, offsets }: Layout, words: Words, device: number): boolean {
  const { activation, forWeight, weight } = problem;
  const limit = problem.limit[device] * rounding;
  const base = first[device];
  let level = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
    const code = local[base + words[at]];
    if (code < stages) level += activation[code];
    else if (code < 2 * stages) {
      level -= activation[code - stages];
      if (weight[code - stages] > 0) level += forWeight[code - stages];
    } else level -= forWeight[code - 2 * stages];
    if (level > limit) return false;
  }
  return true;
}

export function fitsAll(layout: Layout, words: Words): boolean {
  for (let device = 0; device < layout.problem.devices; device += 1) if (!fits(layout, words, device)) return false;
  return true;
}
