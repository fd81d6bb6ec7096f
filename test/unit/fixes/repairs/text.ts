/** A file that runs, with parts to replace: every case makes one mistake in it. */
export const good = `device small { memory = 16GiB }
cluster box { gpu[4] = small  link = 25GB/s + 5us }
model toy {
  layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }
}
pipeline train {
  model = toy // the model
  devices = box
  stages = balance(4)
  microbatches = 8
  schedule = 1f1b
}
`;

/** The good file with one part replaced. Throws if the part is not there. */
export function wrong(part: string, by: string, text: string = good): string {
  if (!text.includes(part)) throw new Error(`There is no ${part}.`);
  return text.replace(part, () => by);
}

/** The good file with stages as blocks. */
export const staged = (
  stages: readonly string[],
  layers = 'layer block[8] { forward = 4ms  backward = 8ms }',
): string =>
  wrong(
    '  stages = balance(4)\n',
    stages.map((each, index) => `  stage s${index} { layers = ${each} } // part ${index}\n`).join(''),
    wrong('layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }', layers),
  );

/** Two devices under rows, with two microbatches. */
export const rowed = (rows: string): string => `device small { memory = 16GiB }
cluster box { gpu[2] = small  link = 25GB/s + 5us }
model toy { layer block[2] { forward = 4ms  backward = 8ms } }
schedule by_hand {
${rows}
}
pipeline train {
  model = toy  devices = box  stages = balance(2)  microbatches = 2  schedule = by_hand
}
`;
