import { runOf as runText } from '../../../support/analyse.ts';

export interface Shape {
  readonly schedule?: string;
  readonly stages?: number;
  readonly devices?: number;
  readonly microbatches?: number;
  readonly data?: number;
  readonly sync?: string;
  readonly optimizer?: string;
  /** Link of a device to its host, and what the cluster says of its host. */
  readonly link?: string;
  readonly host?: string;
  /** Layers of 10 ms and 20 ms. MiB of each one's weights, cycled. */
  readonly layers?: number;
  readonly weights?: readonly number[];
  /** MiB that each layer keeps, cycled. */
  readonly activation?: readonly number[];
  readonly more?: string;
}

const defaults = { schedule: '1f1b', devices: 4, layers: 16, microbatches: 8, data: 1, sync: 'end', weights: [64] };

/** A pipeline whose devices have hosts. */
export function fileOf(shape: Shape): string {
  const { schedule, devices, layers, microbatches, data, sync, weights } = { ...defaults, ...shape };
  const { stages = devices, activation = [1], more = '' } = shape;
  const { optimizer = 'megatron_bf16(offload = 100%)', link = '25GB/s', host = 'host_bandwidth = 100GB/s' } = shape;
  const blocks = Array.from(
    { length: layers },
    (_, index) =>
      `layer b${index} { forward = 10ms  backward = 20ms  weights = ${weights[index % weights.length]}MiB  activation = ${activation[index % activation.length]}MiB }`,
  );
  return `model m {\n${blocks.join('\n')}\n}
device gpu { memory = 800GiB  host = ${link} }
cluster box { gpu[${devices * data}] = gpu  link = 25GB/s  ${host} }
pipeline p {
  model = m  devices = box  stages = balance(${stages})  microbatches = ${microbatches}
  schedule = ${schedule}  data = ${data}  optimizer = ${optimizer}  sync = ${sync}
  ${more}
}
`;
}

/** Its plan and run; throws where it does not run. */
export const runOf = (shape: Shape): ReturnType<typeof runText> => runText(fileOf(shape));

/** Parameters of so many MiB of bf16 weights. */
export const parametersIn = (mebibytes: number): number => mebibytes * 2 ** 19;

export const policies = [
  ['gpipe', 4],
  ['1f1b', 4],
  ['eager_1f1b', 4],
  ['dapple', 4],
  ['interleaved_1f1b(2)', 8],
  ['zb_h1', 4],
  ['zb_auto', 4],
  ['zb_v', 8],
  ['dualpipe_v', 8],
  ['seq1f1b(2)', 4],
  ['chimera', 4],
] as const;
