/** What is searched if the file has no `search` for the pipeline: one space for terminal, editor and page. */
import type { Axis } from '../../definitions/search.ts';
import { recut } from '../../fixes/recut.ts';
import { entriesOf, valueOf } from '../../fixes/source.ts';
import type { SweepBase } from '../base.ts';
import { type Choice, kept, type LeftOut } from './choice.ts';
import { recomputeChoice, scheduleChoice, shardingChoice } from './policies.ts';
import {
  contextChoice,
  expertChoice,
  expertTensorChoice,
  pipelineChoice,
  sequenceChoice,
  tensorChoice,
} from './ranks.ts';
import { chunksChoice, microBatchChoice } from './stages.ts';

export interface Space {
  readonly axes: readonly Axis[];
  /** What is not searched, and why. */
  readonly leftOut: readonly LeftOut[];
}

/** The space; without axes if nothing can be searched. Microseconds. */
export function defaultSpace(base: SweepBase): Space {
  const fixed = fixedStages(base);
  const choices = fixed === undefined ? freeChoices(base) : [kept('ranks and stages', fixed), ...ownChoices(base)];
  const axes = choices.flatMap(({ axis }) => axis ?? []).filter((axis) => !isOwn(base, axis));
  return { axes, leftOut: choices.flatMap(({ leftOut }) => leftOut) };
}

/** Why there is nothing to search in a pipeline; undefined if there is. */
export const emptyProblem = (pipeline: string, { axes, leftOut }: Space): string | undefined =>
  axes.length > 0
    ? undefined
    : `There is nothing to search in "${pipeline}": ${leftOut.map(({ what, why }) => `${what} (${why})`).join(', ')}.`;

function freeChoices(base: SweepBase): readonly Choice[] {
  const tensor = tensorChoice(base);
  const pipeline = pipelineChoice(base);
  const schedule = scheduleChoice(base);
  const ranks = (pipeline.axis?.values ?? []).map(Number);
  return [
    tensor,
    sequenceChoice(base, tensor),
    pipeline,
    contextChoice(base),
    expertChoice(base),
    expertTensorChoice(base),
    microBatchChoice(base),
    schedule,
    chunksChoice(base, schedule.axis?.values ?? [], ranks),
    recomputeChoice(base),
    shardingChoice(base),
  ].filter((choice) => choice !== undefined);
}

/** Of a pipeline whose stages stay as they are. */
const ownChoices = (base: SweepBase): readonly Choice[] => [
  microBatchChoice(base),
  recomputeChoice(base),
  shardingChoice(base),
];

/** Why another number of stages cannot be written. */
function fixedStages({ syntax, body }: SweepBase): string | undefined {
  const value = valueOf(body, 'stages');
  if (entriesOf(body, 'stage').length === 0 && (value === undefined || value.kind === 'name')) return undefined;
  if (value?.kind === 'call' && value.callee.text === 'balance') return undefined;
  const cut = recut(syntax, body, 1);
  return 'refused' in cut ? cut.refused : undefined;
}

/** There is one value, and the file has it. */
const isOwn = (base: SweepBase, { key, values }: Axis): boolean =>
  values.length < 2 && (values[0] === undefined || values[0] === ownValue(base, key));

function ownValue({ size, ranks, schedule, written }: SweepBase, key: string): string | undefined {
  switch (key) {
    case 'tensor':
    case 'context':
    case 'expert':
      return String(size.mesh[key]);
    case 'pipeline':
      return String(ranks);
    case 'micro_batch':
      return String(size.microBatch);
    case 'schedule':
      return schedule;
    default:
      return written(key);
  }
}
