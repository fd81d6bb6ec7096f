import { share } from '../../basics/quantities.ts';
import { figure, perStage } from '../describe.ts';
import { withoutFlush } from '../orders/withoutFlush.ts';
import { linear } from '../placement.ts';
import type { Policy, PolicyArguments, Shape } from '../policy.ts';

const warmupOf = ({ stages }: Shape, stage: number): number => 2 * (stages - 1 - stage) + 1;

const momentumOf = ({ momentum }: PolicyArguments): number => (typeof momentum === 'number' ? momentum : 0.9);

/** Updates between a stage's forward and its gradient's: twice the stages behind it, in updates of `microbatches` each. */
const horizon = ({ stages, microbatches }: Shape, stage: number): number =>
  Math.ceil((2 * (stages - 1 - stage)) / microbatches);

/**
 * Coefficients of spike compensation for momentum μ and delay D: a = μ^D for the old momentum and b = (1 − μ^D) / (1 − μ) for the
 * late gradient (Kosson et al., "Pipelined Backpropagation at Scale" (2021)). b tends to D as μ tends to 1.
 */
export function spikeCompensation(momentum: number, delay: number): { readonly a: number; readonly b: number } {
  const a = momentum ** delay;
  return { a, b: momentum === 1 ? delay : (1 - a) / (1 - momentum) };
}

/** Pétrowski, Dreyfus and Girault, 1993; Kosson et al., "Pipelined Backpropagation at Scale" (2021). */
export const pipelinedBackprop: Policy = {
  name: 'pipelined_backprop',
  summary:
    'Every stage runs a forward and a backward in each step and updates at once. No bubble and one weight version, but gradients are 2(S − 1 − s) updates old and computed with two sets of weights.',
  page: 'pipelined_backprop',
  parameters: [
    {
      name: 'momentum',
      kind: 'quantity',
      dimension: 'number',
      min: 0,
      max: 1,
      default: 0.9,
      summary:
        'Momentum of the optimizer, for the coefficients of spike compensation in the explanation; the order does not depend on it.',
    },
  ],
  split: false,
  operations: 3,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  weights: () => 'latest',
  stageFigures(args, { staleness }) {
    const { a, b } = spikeCompensation(momentumOf(args), staleness);
    return { spike_a: a, spike_b: b, prediction_horizon: staleness };
  },
  check: () => [],
  order: withoutFlush(warmupOf),
  explain(shape) {
    const momentum = momentumOf(shape.args);
    const of = (stage: number) => spikeCompensation(momentum, horizon(shape, stage));
    const { microbatches: n, stages } = shape;
    return [
      `warm-up: 2(S − 1 − s) + 1 = ${perStage(shape, (stage) => warmupOf(shape, stage))} forwards`,
      `staleness: D = ${n === 1 ? '2(S − 1 − s)' : `⌈2(S − 1 − s) / ${n}⌉`} = ${perStage(shape, (stage) => horizon(shape, stage))} updates; the backward uses other weights than the forward`,
      `versions: ${perStage(shape, () => 1)}`,
      `fill and drain instead would keep devices busy N / (N + 2S − 2) = ${share(n / (n + 2 * stages - 2))} of the time for N = ${n} microbatches per update`,
      `spike compensation for momentum μ = ${figure(momentum)}: a = μ^D = ${perStage(shape, (stage) => figure(of(stage).a))}; b = (1 − μ^D) / (1 − μ) = ${perStage(shape, (stage) => figure(of(stage).b))}`,
      `weight prediction: forward at w − lr·D·v with D = ${perStage(shape, (stage) => horizon(shape, stage))}`,
    ];
  },
};
