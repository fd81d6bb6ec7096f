import type { Run } from '../../../../engine/schedule/evaluation.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { runOf as runText } from '../../../support/analyse.ts';

export interface Shape {
  readonly schedule?: string;
  readonly stages?: number;
  /** Layers of 4 ms and 8 ms. */
  readonly layers?: number;
  readonly microbatches?: number;
  readonly data?: number;
  readonly sync?: string;
  readonly optimizer?: string;
  readonly transfer?: string;
  readonly recompute?: string;
  /** MiB of each layer's weights, cycled; over links of 25 GB/s. */
  readonly weights?: readonly number[];
  readonly devices?: number;
  readonly more?: string;
}

/** A file with a pipeline of four ranks. */
export function fileOf(shape: Shape): string {
  const { schedule = '1f1b', devices = 4, stages = devices, layers = 16, microbatches = 8, data = 2 } = shape;
  const { sync = 'end', optimizer = 'adam_mixed', weights = [64], more = '' } = shape;
  const blocks = Array.from(
    { length: layers },
    (_, index) =>
      `layer b${index} { forward = 4ms  backward = 8ms  weights = ${weights[index % weights.length]}MiB  activation = 1MiB }`,
  );
  return `model m {\n${blocks.join('\n')}\n}
device gpu { memory = 800GiB }
cluster box { gpu[${devices * data}] = gpu  link = 25GB/s }
pipeline p {
  model = m  devices = box  stages = balance(${stages})  microbatches = ${microbatches}
  schedule = ${schedule}  data = ${data}  optimizer = ${optimizer}  sync = ${sync}
  transfer = ${shape.transfer ?? 'buffered'}  recompute = ${shape.recompute ?? 'none'}
  ${more}
}
`;
}

/** Its plan and run; throws where it does not run. */
export function runOf(shape: Shape): { readonly plan: PipelinePlan; readonly run: Run } {
  const { plan, run } = runText(fileOf(shape));
  return { plan, run };
}

/** Seconds of an exchange of so many MiB over n ranks: an all-reduce, and one half of it. */
export const halfTime = (mebibytes: number, ranks: number): number =>
  (((ranks - 1) / ranks) * mebibytes * 2 ** 20) / 25e9;
