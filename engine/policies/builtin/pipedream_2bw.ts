import { count } from '../../basics/quantities.ts';
import { perStage } from '../describe.ts';
import { withoutFlush } from '../orders/withoutFlush.ts';
import { linear } from '../placement.ts';
import type { Policy, Shape } from '../policy.ts';

const warmupOf = ({ stages }: Shape, stage: number): number => stages - stage;

/**
 * With at least as many microbatches for an update as stages, two versions of the weights are enough, and every gradient is one
 * update old.
 *
 * Sources: Narayanan et al., "Memory-Efficient Pipeline-Parallel DNN Training" (2021), section 3.1.
 */
export const pipedream2bw: Policy = {
  name: 'pipedream_2bw',
  summary:
    'Asynchronous 1F1B with two weight versions. At every stage, each minibatch uses the weights of the previous minibatch, so all gradients are one update old.',
  page: 'pipedream_2bw',
  parameters: [],
  split: false,
  operations: 3,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  weights: () => 'double_buffer',
  check: ({ microbatches, stages }) =>
    microbatches >= stages
      ? []
      : [
          {
            message: `an update of ${count(microbatches, 'microbatch', 'microbatches')} ends before ${stages} stages are filled, so two versions are not enough`,
            fix: { input: 'microbatches', values: [stages] },
          },
        ],
  order: withoutFlush(warmupOf),
  explain: (shape) => [
    `warm-up: p − s = ${perStage(shape, (stage) => warmupOf(shape, stage))} forwards, then without a flush`,
    'bubble: none once the pipeline is full and stages take the same time',
    `staleness: ${perStage(shape, () => 1)}: minibatch t uses version max(0, t − 1)`,
    `versions: ${perStage(shape, () => 2)}`,
  ],
};
