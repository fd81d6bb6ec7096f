/** A file without a mistake; tests replace parts of it. */
export const good = `/// Eight equal layers.
model toy {
  layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB  output = 16MiB }
}
device v100 { memory = 16GiB  reserved = 1GiB }
cluster box { gpu[4] = v100  link = 25GB/s + 5us }
param m = 8 in 1..64 step 1
let half = m / 2
pipeline train {
  model = toy
  devices = box
  microbatches = 2 * half
  stages = balance(4)
  schedule = 1f1b
}
expect train { bubble < 30%  15GiB > peak_memory  peak_memory(stage = 0) < 15GiB  in_flight(device = 1) <= 3 }
`;

/** The good file, or another text, with one part replaced. The part must occur once. */
export function edited(part: string, by: string, text = good): string {
  if (text.split(part).length !== 2) throw new Error(`"${part}" does not occur exactly once`);
  return text.replace(part, () => by);
}
