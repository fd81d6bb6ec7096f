import { figure, perStage } from '../describe.ts';
import { withoutFlush } from '../orders/withoutFlush.ts';
import { linear } from '../placement.ts';
import type { Policy, PolicyArguments, Shape } from '../policy.ts';

const warmupOf = ({ stages }: Shape, stage: number): number => 2 * (stages - 1 - stage) + 1;

const numberOf = (args: PolicyArguments, name: string, otherwise: number): number => {
  const value = args[name];
  return typeof value === 'number' ? value : otherwise;
};
const corrects = ({ correction }: PolicyArguments): boolean => correction !== 'off';

/**
 * Part of the base learning rate that a stage takes at the first step, 1 / τ for a delay of τ minibatches: later τ^(−p) with p
 * falling from 1 to 0 over the annealing steps. Stages with a delay under one minibatch take all of it: the rule is
 * there to slow late gradients down, not to hasten others.
 */
export const learningRateScale = (delay: number): number => (delay > 1 ? 1 / delay : 1);

/**
 * Decay of the mean change of the weights by which the backward corrects its own, D^(1 / τ) for a delay of τ minibatches of the
 * forward and none of the backward.
 */
export const correctionDecay = (decay: number, delay: number): number => (delay > 0 ? decay ** (1 / delay) : 0);

/** Microbatches of this stage and the stages behind it, between a forward and the end of its backward, in minibatches of N. */
const delayOf = ({ stages, microbatches }: Shape, stage: number): number =>
  (2 * (stages - 1 - stage) + 1) / microbatches;

/** Yang et al., "PipeMare: Asynchronous Pipeline Parallel DNN Training" (MLSys 2021). */
export const pipemare: Policy = {
  name: 'pipemare',
  summary:
    'Every stage runs a forward and a backward in each step, without a flush and without weight versions. A smaller learning rate and a correction of the weights in the backward compensate late gradients.',
  page: 'pipemare',
  parameters: [
    {
      name: 'annealing',
      kind: 'integer',
      min: 1,
      summary:
        'Steps over which the learning rates of the stages go up to the common one; the order does not depend on it.',
    },
    {
      name: 'decay',
      kind: 'quantity',
      dimension: 'number',
      min: 0,
      max: 1,
      default: 0.135,
      summary: 'D of the correction: the mean change of the weights decays by D^(1 / τ) per step.',
    },
    {
      name: 'correction',
      kind: 'word',
      words: ['on', 'off'],
      default: 'on',
      summary: 'Whether the backward corrects the weights, which needs memory for one more copy.',
    },
  ],
  split: false,
  operations: 3,
  chunks: () => 1,
  placement: (shape) => linear(shape.stages),
  weights: () => 'latest',
  weightCopies: (args) => (corrects(args) ? 1 : 0),
  stageFigures: (args, { delay }) => ({
    learning_rate_scale: learningRateScale(delay),
    ...(corrects(args) ? { correction_decay: correctionDecay(numberOf(args, 'decay', 0.135), delay) } : {}),
  }),
  check: () => [],
  order: withoutFlush(warmupOf),
  explain(shape) {
    const { args } = shape;
    const annealing = args['annealing'];
    const lines = [
      `warm-up: 2(P − i) + 1 = ${perStage(shape, (stage) => warmupOf(shape, stage))} forwards, stages i counted from 1`,
      `delay: τ = (2(P − i) + 1) / N = ${perStage(shape, (stage) => figure(delayOf(shape, stage)))} minibatches of N = ${shape.microbatches}`,
      `learning rate at the first step: 1 / max(τ, 1) = ${perStage(shape, (stage) => figure(learningRateScale(delayOf(shape, stage))))} of the base, ${typeof annealing === 'number' ? `the full rate from step ${annealing} on` : 'rising to the full rate over the annealing'}`,
      `versions: ${perStage(shape, () => 1)}`,
    ];
    if (corrects(args)) {
      const decay = numberOf(args, 'decay', 0.135);
      lines.push(
        `correction: one more copy, the mean change of the weights with decay ${figure(decay)}^(1 / τ) = ${perStage(shape, (stage) => figure(correctionDecay(decay, delayOf(shape, stage))))}`,
      );
    }
    return lines;
  },
};
