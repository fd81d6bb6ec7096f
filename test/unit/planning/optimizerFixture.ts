import { checkFindings as check } from '../../support/expected.ts';
import { planOf, resolveText as resolve } from '../../support/resolve.ts';

/** Two stages of two measured layers, 256 MiB of weights each. */
const file = (optimizer: string, data: number): string => `model m {
  layer block[4] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 8MiB  output = 1MiB }
}
device gpu { memory = 80GiB }
cluster box { gpu[${2 * data}] = gpu  link = 25GB/s + 5us }
pipeline p {
  model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  data = ${data}
  optimizer = ${optimizer}
}
`;

export const resolveText = (optimizer: string, data: number) => resolve(file(optimizer, data));

export const optimizerPlan = (optimizer: string, data: number) => planOf(file(optimizer, data));

/** Expects findings of the marks `⟦code:text⟧`. */
export const checkFindings = (optimizer: string, data: number, messages: readonly string[] = []) =>
  check(file(optimizer, data), messages);
