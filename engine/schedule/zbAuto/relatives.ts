/** Orders of named policies in words of kinds, to compare with. */
import { type Problem, type Words, forwardKind, inputKind, weightKind } from './problem.ts';

export interface Relative {
  readonly name: string;
  /** Forwards first, and input gradients that W runs behind its own, by device. */
  warmup(devices: number, device: number): number;
  lag(device: number): number;
}

export const relatives: readonly Relative[] = [
  { name: '1f1b', warmup: (devices, device) => devices - device, lag: () => 0 },
  { name: 'zb_h1', warmup: (devices, device) => devices - device, lag: (device) => device },
  { name: 'eager_1f1b', warmup: (devices, device) => 2 * (devices - device) - 1, lag: () => 0 },
  { name: 'zb_h2', warmup: (devices, device) => 2 * (devices - device) - 1, lag: (device) => 2 * device },
];

/** Writes a relative's order into `words`. */
export function relativeWords({ devices, microbatches }: Problem, one: Relative, words: Words): void {
  let at = 0;
  for (let device = 0; device < devices; device += 1) {
    const warmup = Math.min(microbatches, one.warmup(devices, device));
    const lag = one.lag(device);
    for (let count = 0; count < warmup; count += 1) words[at++] = forwardKind;
    for (let input = 0; input < microbatches; input += 1) {
      words[at++] = inputKind;
      if (input >= lag) words[at++] = weightKind;
      if (input + warmup < microbatches) words[at++] = forwardKind;
    }
    for (let weight = Math.max(0, microbatches - lag); weight < microbatches; weight += 1) words[at++] = weightKind;
  }
}
