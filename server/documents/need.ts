import type { Analysis } from '../../engine/flow/check.ts';

/**
 * What a request needs of a view: the meaning of names, the whole plan, what the simulation of pipelines and jobs gives, or the tests of
 * schedules too. `soon`: everything, but what is known without it where that takes long.
 */
export type Need = 'names' | 'plan' | 'figures' | 'soon' | 'tests';

/** Whether an analysis has figures of everything that can be simulated. */
export const hasFigures = ({ pending, untested }: Analysis): boolean => pending.length === untested.length;

/** Whether a check that goes on has found what is needed. `late`: it has taken long. */
export const satisfies = (analysis: Analysis, need: Need, late: boolean): boolean =>
  need === 'names' ||
  (need === 'plan' && analysis.resolution.pending.length === 0) ||
  (need === 'figures' && hasFigures(analysis)) ||
  (need === 'soon' && late);
