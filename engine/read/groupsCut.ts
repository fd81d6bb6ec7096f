import type { Cut } from '../definitions/cut.ts';
import type { ModelDefinition } from '../definitions/model.ts';
import type { ScheduleUse } from '../definitions/schedule.ts';
import type { ReadContext } from './context.ts';
import { notApplicable, type Keys } from '../language/keys.ts';

/** Keys of a pipeline that have an effect if the schedule loads the model onto one device and runs it once. */
const effective: ReadonlySet<string> = new Set([
  'model',
  'devices',
  'microbatches',
  'global_batch',
  'iterations',
  'tokens',
  'schedule',
]);

const reasonOf = (key: string): string =>
  key === 'stages' || key === 'stage'
    ? 'the schedule groups the layers itself'
    : 'the schedule loads the model onto one device and runs it once';

/** Whether the schedule groups the layers itself. */
export const cutsItself = (use: ScheduleUse | undefined): boolean =>
  use?.kind === 'policy' && use.policy.loading !== undefined;

/** The keys of such a pipeline that count; the others are reported. */
export function keysThatCount(context: ReadContext, keys: Keys): Keys {
  for (const entry of keys.entries) {
    const { text } = entry.key;
    if (!effective.has(text)) notApplicable(context, entry, reasonOf(text));
  }
  return {
    ...keys,
    entries: keys.entries.filter((entry) => effective.has(entry.key.text)),
    find: (key) => (effective.has(key) ? keys.find(key) : undefined),
    all: (key) => (effective.has(key) ? keys.all(key) : []),
  };
}

/** The cut of such a schedule: its groups follow from the costs, one for each layer at most. */
export const groupsCut = (model: ModelDefinition): Cut => ({ kind: 'groups', count: 2 * model.elements });
