import { count } from '../../basics/quantities.ts';
import { perStage } from '../describe.ts';
import { withoutFlush } from '../orders/withoutFlush.ts';
import { linear } from '../placement.ts';
import type { Policy, Shape } from '../policy.ts';

const warmupOf = ({ stages }: Shape, stage: number): number => stages - stage;

/** Guan et al., "XPipe: Efficient Pipeline Model Parallelism for Multi-GPU DNN Training" (2019; arXiv:1911.04610). */
export const xpipe: Policy = {
  name: 'xpipe',
  summary:
    'Asynchronous 1F1B over the microbatches of successive minibatches. The first microbatch of a minibatch predicts the weights that its gradient will be applied to, and the others use the same prediction. One predicted copy instead of weight versions.',
  page: 'xpipe',
  parameters: [
    {
      name: 'microbatches',
      kind: 'integer',
      min: 1,
      summary:
        'Microbatches of one minibatch. The pipeline’s `microbatches` means the same; if you write both, they must agree.',
    },
  ],
  split: false,
  operations: 3,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  weights: () => 'predict',
  check({ microbatches, args }) {
    const written = args['microbatches'];
    if (typeof written !== 'number' || written === microbatches) return [];
    const message = `the minibatch has ${count(written, 'microbatch', 'microbatches')}, but the pipeline gives it ${microbatches}`;
    return [{ message, fix: { input: 'microbatches', values: [written] } }];
  },
  order: withoutFlush(warmupOf),
  explain: (shape) => [
    `warm-up: p − s = ${perStage(shape, (stage) => warmupOf(shape, stage))} forwards, then without a flush`,
    'bubble: none once the pipeline is full and stages take the same time',
    `prediction: in the forward round((P + M − ⌊s / 2⌋ − 2) / M) = ${perStage(shape, (stage) => predicted(shape, stage).forward)} updates ahead, in the backward round((M + ⌊s / 2⌋ − 1) / M) = ${perStage(shape, (stage) => predicted(shape, stage).backward)}`,
    `memory: the weights and one predicted copy on every stage; microbatch 0 of ${shape.microbatches} makes the prediction`,
  ],
};

/**
 * Updates that the weights are predicted ahead of stage `stage`'s own, as the paper gives them for slots of equal length:
 * P stages, M microbatches of a minibatch. The report has what the simulated times give instead.
 */
export function predicted(
  { stages, microbatches }: Pick<Shape, 'stages' | 'microbatches'>,
  stage: number,
): { readonly forward: number; readonly backward: number } {
  const half = Math.floor(stage / 2);
  return {
    forward: Math.round((stages + microbatches - half - 2) / microbatches),
    backward: Math.round((microbatches + half - 1) / microbatches),
  };
}
