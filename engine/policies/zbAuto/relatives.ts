/** Orders of named policies in words of kinds, to compare with. */
import { type Problem, type Words, forwardKind, inputKind, weightKind } from './problem.ts';

export interface Relative {
  readonly name: string;
  /** Forwards first, and input gradients that W runs behind its own, by device. */
  warmup(devices: number, device: number): number;
  lag(devices: number, device: number): number;
}

export const relatives: readonly Relative[] = [
  { name: '1f1b', warmup: (devices, device) => devices - device, lag: () => 0 },
  { name: 'zb_h1', warmup: (devices, device) => devices - device, lag: (_, device) => device },
  { name: 'eager_1f1b', warmup: (devices, device) => 2 * (devices - device) - 1, lag: () => 0 },
  { name: 'zb_h2', warmup: (devices, device) => 2 * (devices - device) - 1, lag: (_, device) => 2 * device },
];

/**
 * Between zb_h1 (`held` = p) and zb_h2 (`held` = 2p − 1): that many microbatches in flight on every device, of which no more than
 * zb_h2's are forwards first.
 */
export function mixture(held: number): Relative {
  const warmup = (devices: number, device: number): number => Math.min(held - device, 2 * (devices - device) - 1);
  return {
    name: `a mixture of zb_h1 and zb_h2 with ${held} in flight`,
    warmup,
    lag: (devices, device) => held - warmup(devices, device),
  };
}

/** Writes a relative's order into `words`. */
export function relativeWords({ devices, microbatches }: Problem, one: Relative, words: Words): void {
  let at = 0;
  for (let device = 0; device < devices; device += 1) {
    const warmup = Math.min(microbatches, one.warmup(devices, device));
    const lag = one.lag(devices, device);
    for (let count = 0; count < warmup; count += 1) words[at++] = forwardKind;
    for (let input = 0; input < microbatches; input += 1) {
      words[at++] = inputKind;
      if (input >= lag) words[at++] = weightKind;
      if (input + warmup < microbatches) words[at++] = forwardKind;
    }
    for (let weight = Math.max(0, microbatches - lag); weight < microbatches; weight += 1) words[at++] = weightKind;
  }
}
