import type { Cut } from '../definitions/cut.ts';
import type { ModelDefinition } from '../definitions/model.ts';
import type { ScheduleUse } from '../definitions/schedule.ts';
import type { ReadContext } from './context.ts';
import { notApplicable, type Keys } from '../language/keys.ts';

/** Keys of a pipeline that say nothing where the schedule loads the model onto one device and runs it once. */
const meaningless: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['stages', 'stage'].map((key) => [key, 'the schedule groups the layers itself'])),
  ...Object.fromEntries(
    [
      'tensor',
      'data',
      'context',
      'expert',
      'expert_tensor',
      'sequence_parallel',
      'sequence',
      'rank_order',
      'overlap',
      'recompute',
      'optimizer',
      'sync',
      'transfer',
      'fill',
      'fill_overhead',
    ].map((key) => [key, 'the schedule loads the model onto one device and runs it once']),
  ),
};

/** Whether the schedule groups the layers itself. */
export const cutsItself = (use: ScheduleUse | undefined): boolean =>
  use?.kind === 'policy' && use.policy.loading !== undefined;

/** The keys of such a pipeline that count; the others are reported. */
export function keysThatCount(context: ReadContext, keys: Keys): Keys {
  const isMeaningless = (key: string): boolean => Object.hasOwn(meaningless, key);
  for (const entry of keys.entries) {
    const { text } = entry.key;
    if (isMeaningless(text)) notApplicable(context, entry, meaningless[text]);
  }
  return {
    ...keys,
    entries: keys.entries.filter((entry) => !isMeaningless(entry.key.text)),
    find: (key) => (isMeaningless(key) ? undefined : keys.find(key)),
    all: (key) => (isMeaningless(key) ? [] : keys.all(key)),
  };
}

/** The cut of such a schedule: its groups follow from the costs, one for each layer at most. */
export const groupsCut = (model: ModelDefinition): Cut => ({ kind: 'groups', count: 2 * model.elements });
