/** Which schedules run microbatches of different lengths. */
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { SchedulePlan, StageCopy } from '../values/plan.ts';
import type { LayerCosts } from './cost/layerCosts.ts';
import type { Notes } from './notes.ts';

/** Reports a schedule that needs equal microbatches; true if there is nothing to report. */
export function fitsLengths(
  notes: Notes,
  { lengths, use, at }: Pick<SettledPipeline, 'lengths' | 'use' | 'at'>,
  schedule: SchedulePlan | undefined,
  { copies, evicts }: { readonly copies?: readonly StageCopy[]; readonly evicts: boolean },
): boolean {
  const reason = lengths === undefined ? undefined : problemOf(use, schedule, copies, evicts);
  if (lengths === undefined || reason === undefined) return true;
  notes.report.report('type/mismatch', at('schedule'), {
    expected: `a schedule for microbatches of different lengths, as "${lengths.key}" says`,
    found: `${use.kind === 'policy' ? use.policy.name : `"${use.definition.name}"`}, ${reason}, or leave out "${lengths.key}"`,
  });
  return false;
}

/** Costs that are kept for each operation that is allowed: each takes much more room. */
const costsOfOperation = 1 / 16;

/** Reports more costs of layers than the limit: one of each layer for each length. True if there is nothing to report. */
export function lengthsWithinLimit(
  { report, options }: Notes,
  { lengths, model, name, at }: Pick<SettledPipeline, 'lengths' | 'model' | 'name' | 'at'>,
  { kinds }: LayerCosts,
): boolean {
  const costs = (kinds?.costs.length ?? 0) * model.layers.length;
  const limit = costsOfOperation * options.limits.operations;
  if (lengths === undefined || costs <= limit) return true;
  report.report('limit/too-large', at(lengths.key), {
    what: `Layers of pipeline "${name}" times the lengths of its microbatches`,
    figure: costs.toLocaleString('en-US'),
    limit: limit.toLocaleString('en-US'),
    setting: 'pipewright.limits.operations',
  });
  return false;
}

/** Why a schedule does not run them; undefined if it does. */
function problemOf(
  use: SettledPipeline['use'],
  schedule: SchedulePlan | undefined,
  copies: readonly StageCopy[] | undefined,
  evicts: boolean,
): string | undefined {
  if (use.kind === 'policy' && use.policy.loading !== undefined)
    return 'which loads the model onto one device and runs it once; use a schedule that trains';
  // Attention makes a segment's share of the time another one in a shorter sequence.
  if (copies?.some(({ share, segments = 1, time }) => time !== undefined && time !== (share ?? 1 / segments)) === true)
    return 'whose `times` of segments hold for one length; leave them out, so that a segment takes its share of the sequence';
  if (evicts || keeps(schedule))
    return 'which moves activations to other memory in copies of one size; use a schedule without E and L';
  if (schedule !== undefined && schedule.kind !== 'policy' && (schedule.times ?? []).length > 0)
    return 'which gives single operations a time itself; leave out these times';
  return undefined;
}

/** Whether rows or a rule send activations away. */
function keeps(schedule: SchedulePlan | undefined): boolean {
  if (schedule === undefined || schedule.kind === 'policy') return false;
  const keepers = schedule.kind === 'greedy' ? schedule.rule?.keeper : schedule.rows.map(({ keeper }) => keeper);
  return keepers?.some((keeper) => keeper !== undefined) ?? false;
}
