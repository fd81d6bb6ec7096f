/** Generated `.pipe` files. */
import { findPolicy } from '../../engine/policies/registry.ts';

export interface Workload {
  readonly devices: number;
  readonly microbatches: number;
  readonly schedule: string;
  readonly chunks?: number;
}

/** A pipeline of this shape with equal layers. */
export function pipelineFile({ devices, microbatches, schedule, chunks = 1 }: Workload): string {
  const stages = devices * chunks;
  return `model m {
  layer block[${stages}] { forward = 4ms  backward = 8ms  weights = 16MiB  activation = 8MiB  output = 1MiB }
}
device d { memory = 1TiB }
cluster c { gpu[${devices}] = d  link = 100GB/s + 5us }
pipeline train {
  model        = m
  devices      = c
  microbatches = ${microbatches}
  stages       = balance(${stages})
  schedule     = ${schedule}${chunks > 1 && findPolicy(schedule)?.parameters.some(({ name }) => name === 'chunks') === true ? `(chunks = ${chunks})` : ''}
}
expect train { bubble < 99% }
`;
}

/** The same, grown to a number of lines by models that people might have written: measured layers, comments, lets, a custom schedule now and then. */
export function longFile(lines: number, workload: Workload): string {
  const parts = [pipelineFile(workload)];
  let written = parts[0].split('\n').length - 1;
  for (let block = 0; written < lines; block += 1) {
    const text = fillers[block % fillers.length](block);
    parts.push(text);
    written += text.split('\n').length - 1;
  }
  return parts.join('');
}

const fillers: readonly ((block: number) => string)[] = [
  (block) => `
/// Measured on ${block} devices.
model measured_${block} {
  layer first { forward = ${(block % 9) + 1}ms  backward = ${2 * ((block % 9) + 1)}ms  weights = 64MiB  activation = 32MiB }
${Array.from({ length: 12 }, (_, layer) => `  layer l${layer} { forward = ${layer + 1}.5ms  backward = ${2 * layer + 3}ms  output = 4MiB } // layer ${layer}`).join('\n')}
  layer last { forward = 2ms  backward = 4ms }
}
`,
  (block) => `
let window_${block} = 4ms * ${block + 1} + 2us
let bytes_${block} = (16MiB + 4KiB) * ${block + 2}
`,
  (block) => `
schedule rule_${block} {
  placement    = linear
  backward     = split
  order        = greedy(prefer = [I, F, W])
  in_flight(s) = min(stages - s, microbatches)
}
`,
  (block) => `
device kind_${block} { memory = ${16 + (block % 64)}GiB  compute = 312TFLOPS  bandwidth = 2TB/s  efficiency = 55% }
cluster room_${block} {
  node[4] {
    gpu[8] = kind_${block}
    link   = 235GB/s + 3us
  }
  link = 25GB/s + 10us
}
`,
];
