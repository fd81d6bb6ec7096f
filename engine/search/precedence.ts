import type { Codes } from './codes.ts';

/**
 * What is known about the order of the operations of each device. At `base[device] + (a · g + b) · m + j`, for places a and b
 * among the g codes of the device: how many of a's operations are before the j-th of b.
 */
export interface Precedence {
  readonly before: Int32Array;
  readonly base: Int32Array;
}

export function precedenceOf({ groups, implied, ofDevice, place }: Codes, microbatches: number): Precedence {
  const base = new Int32Array(groups.length);
  let size = 0;
  groups.forEach(({ length }, device) => {
    base[device] = size;
    size += length * length * microbatches;
  });
  const before = new Int32Array(size);
  for (const [a, b] of implied) {
    const from = base[ofDevice[a]] + (place[a] * groups[ofDevice[a]].length + place[b]) * microbatches;
    for (let j = 0; j < microbatches; j += 1) before[from + j] = j + 1;
  }
  return { before, base };
}

/** Index of what is known of two codes of a device, for the first operation. */
export const pairAt = (
  { base }: Precedence,
  { ofDevice, place, groups }: Codes,
  microbatches: number,
  a: number,
  b: number,
): number => base[ofDevice[a]] + (place[a] * groups[ofDevice[a]].length + place[b]) * microbatches;

/** Takes over what windows say: an operation that cannot come after another comes before it. */
export function precedeByWindows(
  { before, base }: Precedence,
  { groups, ticks }: Codes,
  microbatches: number,
  est: Float64Array,
  lft: Float64Array,
): void {
  groups.forEach((group, device) => {
    const size = group.length;
    for (let first = 0; first < size; first += 1)
      for (let second = 0; second < size; second += 1) {
        if (first === second) continue;
        const [a, b] = [group[first], group[second]];
        const from = base[device] + (first * size + second) * microbatches;
        const both = ticks[a] + ticks[b];
        let count = 0;
        for (let j = 0; j < microbatches; j += 1) {
          const ends = est[b * microbatches + j] + both;
          while (count < microbatches && ends > lft[a * microbatches + count]) count += 1;
          if (count > before[from + j]) before[from + j] = count;
          else count = before[from + j];
        }
      }
  });
}

/** Before what is before comes before. */
export function precedeByOthers({ before, base }: Precedence, { groups }: Codes, microbatches: number): void {
  groups.forEach(({ length: size }, device) => {
    for (let middle = 0; middle < size; middle += 1)
      for (let a = 0; a < size; a += 1) {
        if (a === middle) continue;
        const first = base[device] + (a * size + middle) * microbatches;
        for (let b = 0; b < size; b += 1) {
          if (b === middle || a === b) continue;
          const second = base[device] + (middle * size + b) * microbatches;
          const from = base[device] + (a * size + b) * microbatches;
          for (let j = 0; j < microbatches; j += 1) {
            const through = before[second + j];
            if (through > 0 && before[first + through - 1] > before[from + j])
              before[from + j] = before[first + through - 1];
          }
        }
      }
  });
}

/** Takes over what is known on neighbouring devices. `carried`: where pairs begin, two and two. */
export function precedeByNeighbours({ before }: Precedence, carried: Int32Array, microbatches: number): void {
  for (let at = 0; at < carried.length; at += 2) {
    const [from, to] = [carried[at], carried[at + 1]];
    for (let j = 0; j < microbatches; j += 1) if (before[from + j] > before[to + j]) before[to + j] = before[from + j];
  }
}
