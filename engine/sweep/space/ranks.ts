/** Ranks of a pipeline: tensor ranks within a node, pipeline and context ranks that divide, expert ranks for experts. */
import { wordRefusal } from '../../engines/words.ts';
import { isWorthSplitting, leastTokens } from '../../fixes/contextSplit.ts';
import type { Axis } from '../../definitions/search.ts';
import type { SweepBase } from '../base.ts';
import { type Choice, kept, type LeftOut, numbers, powersOfTwo, small } from './choice.ts';

/** More ranks of a kind would make the search large, and few trainings have them. */
const mostTensor = 16;
const mostPipeline = 32;
const mostContext = 16;
const mostExpert = 64;

export function tensorChoice({ size, devices }: SweepBase): Choice {
  const { model, mesh, perNode } = size;
  if (model.measured === model.written)
    return kept('tensor', 'measured layers take as long on any number of tensor ranks');
  const within = powersOfTwo(devices).filter((value) => value <= mostTensor);
  const whole = within.filter((value) => devices % value === 0 && perNode % value === 0);
  const values = whole.filter((value) => model.heads.every((heads) => heads % value === 0));
  const uneven = whole.filter((value) => !values.includes(value) && value !== mesh.tensor);
  return numbers('tensor', values, mesh.tensor, [
    ...over(
      'tensor',
      values,
      perNode > mostTensor ? small : `tensor ranks stay in a node, which has ${perNode} devices`,
      devices,
    ),
    ...(uneven.length === 0
      ? []
      : [
          {
            what: `tensor ${uneven.join(', ')}`,
            why: `${Math.min(...model.heads)} attention heads do not divide into them`,
          },
        ]),
  ]);
}

export function pipelineChoice({ size, devices, ranks }: SweepBase): Choice {
  const most = Math.min(mostPipeline, size.model.layers);
  const values = divisors(devices).filter((value) => value <= most);
  return numbers('pipeline', values, ranks, [
    ...over(
      'pipeline',
      values,
      size.model.layers <= mostPipeline ? `the model has ${size.model.layers} layers` : small,
      devices,
    ),
  ]);
}

export function contextChoice({ size, devices, written, engine }: SweepBase): Choice {
  const { model, mesh } = size;
  if (model.sequence === undefined) return kept('context', 'the model says no tokens of a sample');
  if (model.measured === model.written)
    return kept('context', 'measured layers take as long on any number of context ranks');
  const exchange = written('context_exchange') ?? 'ring';
  const refusal = engine === undefined ? undefined : wordRefusal(engine, 'context_exchange', exchange);
  if (refusal !== undefined && mesh.context === 1) return kept('context', refusal.reason);
  const { sequence } = model;
  const values = powersOfTwo(devices).filter(
    (value) => value <= mostContext && devices % value === 0 && isWorthSplitting(sequence, value),
  );
  const isCapped = values.at(-1) === mostContext;
  return numbers('context', values, mesh.context, [
    ...over(
      'context',
      values,
      isCapped
        ? small
        : `a rank would have fewer than ${leastTokens.toLocaleString('en-US')} tokens (a sample has ${sequence.toLocaleString('en-US')}), or not two equal parts`,
      devices,
    ),
  ]);
}

export function expertChoice({ size, devices }: SweepBase): Choice | undefined {
  const { model, mesh } = size;
  if (model.experts.length === 0) return undefined;
  const least = Math.min(...model.experts);
  const whole = powersOfTwo(devices).filter((value) => model.experts.every((experts) => experts % value === 0));
  const values = whole.filter((value) => value <= mostExpert && devices % value === 0);
  return numbers('expert', values, mesh.expert, [
    ...over(
      'expert',
      values,
      least <= mostExpert ? `the experts, ${least} of them, do not divide into more` : small,
      Math.min(devices, least),
    ),
  ]);
}

/** Whole experts on each rank; as many tensor ranks for an expert as for the rest cannot be said for all rows at once. */
export function expertTensorChoice({ size, written }: SweepBase): Choice | undefined {
  if (size.model.experts.length === 0 || written('expert_tensor') !== undefined) return undefined;
  return {
    axis: { key: 'expert_tensor', values: ['1'] },
    leftOut: [{ what: 'experts that tensor ranks split', why: small }],
  };
}

/** Sequence parallelism goes with tensor ranks. */
export function sequenceChoice({ written }: SweepBase, tensor: Choice): Choice | undefined {
  const most = Math.max(1, ...(tensor.axis?.values ?? []).map(Number));
  const own = written('sequence_parallel') ?? written('sequence');
  if (most === 1 || own !== undefined) return undefined;
  return {
    axis: { key: 'sequence_parallel', values: ['true'] },
    leftOut: [{ what: 'tensor ranks without sequence_parallel', why: 'they need more memory and send as many bytes' }],
  };
}

/**
 * Axes of a call with `sequence_parallel` behind tensor ranks that the call names, where neither the file nor an axis says it. Measured
 * layers take as long either way.
 */
export function withSequence(base: SweepBase, axes: readonly Axis[], given: readonly Axis[]): readonly Axis[] {
  const tensor = given.find(({ key }) => key === 'tensor');
  const { measured, written } = base.size.model;
  if (tensor === undefined || measured === written) return axes;
  if (axes.some(({ key }) => key === 'sequence_parallel' || key === 'sequence')) return axes;
  const axis = sequenceChoice(base, { axis: tensor, leftOut: [] })?.axis;
  return axis === undefined ? axes : axes.flatMap((each) => (each.key === 'tensor' ? [each, axis] : [each]));
}

const divisors = (number: number): readonly number[] =>
  Array.from({ length: Math.min(number, mostPipeline) }, (_, index) => index + 1).filter(
    (value) => number % value === 0,
  );

/** What is left out above the largest value, if there could be more. */
const over = (key: string, values: readonly number[], why: string, most: number): readonly LeftOut[] => {
  const last = values.at(-1) ?? 1;
  return 2 * last > most ? [] : [{ what: `${key} over ${last}`, why }];
};
