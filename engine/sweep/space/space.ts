/** What is searched if the file has no `search` for the pipeline: one space for terminal, editor and page. */
import { list } from '../../basics/quantities.ts';
import type { Axis } from '../../definitions/search.ts';
import { recut } from '../../fixes/recut.ts';
import { entriesOf, valueOf } from '../../fixes/source.ts';
import type { SweepBase } from '../base.ts';
import { type Choice, kept, type LeftOut } from './choice.ts';
import { syncChoice } from './exchange.ts';
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

/**
 * The space; without axes if nothing can be searched. `given`: axes that the user names, which take the place of what would be chosen.
 * Microseconds.
 */
export function defaultSpace(base: SweepBase, given: readonly Axis[] = []): Space {
  const fixed = fixedStages(base);
  const choose: Chooser = (key, choice) => {
    const axis = given.find((each) => each.key === key);
    return axis === undefined ? choice() : { axis, leftOut: [] };
  };
  const choices =
    fixed === undefined ? freeChoices(base, choose) : [kept('ranks and stages', fixed), ...ownChoices(base, choose)];
  const found = choices.flatMap(({ axis }) => axis ?? []);
  const axes = found.filter((axis) => given.includes(axis) || !isOwn(base, axis));
  return {
    axes: [...axes, ...given.filter((axis) => !axes.includes(axis))],
    leftOut: [...given.map(othersOf), ...choices.flatMap(({ leftOut }) => leftOut)],
  };
}

/** What is chosen for a key, if it is not given. */
type Chooser = <C extends Choice | undefined>(key: string, choice: () => C) => C | Choice;

const othersOf = ({ key, values }: Axis): LeftOut => ({
  what: `${key} other than ${values.length > mostNamed ? 'these' : list(values)}`,
  why: givenReason,
});

const givenReason = '--over names its values';

/** Whether it is left out because the call names other values. */
export const isGiven = ({ why }: LeftOut): boolean => why === givenReason;

/** Values of a given key that are named again. */
const mostNamed = 4;

/** Why there is nothing to search in a pipeline; undefined if there is. */
export const emptyProblem = (pipeline: string, { axes, leftOut }: Space): string | undefined =>
  axes.length > 0
    ? undefined
    : `There is nothing to search in "${pipeline}": ${leftOut.map(({ what, why }) => `${what} (${why})`).join(', ')}.`;

function freeChoices(base: SweepBase, choose: Chooser): readonly Choice[] {
  const tensor = choose('tensor', () => tensorChoice(base));
  const pipeline = choose('pipeline', () => pipelineChoice(base));
  const schedule = choose('schedule', () => scheduleChoice(base));
  const ranks = (pipeline.axis?.values ?? []).map(Number);
  return [
    tensor,
    choose('sequence_parallel', () => sequenceChoice(base, tensor)),
    pipeline,
    choose('context', () => contextChoice(base)),
    choose('expert', () => expertChoice(base)),
    choose('expert_tensor', () => expertTensorChoice(base)),
    choose('micro_batch', () => microBatchChoice(base)),
    schedule,
    choose('chunks', () => chunksChoice(base, schedule.axis?.values ?? [], ranks)),
    choose('recompute', () => recomputeChoice(base)),
    choose('optimizer', () => shardingChoice(base)),
    choose('sync', () => syncChoice(base)),
  ].filter((choice) => choice !== undefined);
}

/** Of a pipeline whose stages stay as they are. */
const ownChoices = (base: SweepBase, choose: Chooser): readonly Choice[] =>
  [
    choose('micro_batch', () => microBatchChoice(base)),
    choose('recompute', () => recomputeChoice(base)),
    choose('optimizer', () => shardingChoice(base)),
    base.size.mesh.data * base.size.mesh.context === 1 ? undefined : choose('sync', () => syncChoice(base)),
  ].filter((choice) => choice !== undefined);

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
