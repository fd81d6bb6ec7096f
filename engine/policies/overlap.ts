/** What policies with fused slots share: the parameter that says how much of a slot's shorter operation hides. */
import type { PolicyArguments, PolicyParameter } from './policy.ts';

export const overlapParameter: PolicyParameter = {
  name: 'overlap',
  kind: 'quantity',
  dimension: 'share',
  summary:
    'Share of the shorter of two operations in one slot that overlaps with the longer one. At 0% they run one after the other; at 100% the slot is as long as the longer one.',
  default: 0,
  min: 0,
  max: 1,
};

/** The share, 0 to 1; 0 where it is absent or no share. */
export function overlapArgument(args: PolicyArguments): number {
  const value = args['overlap'];
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : 0;
}
