/** Parameters of a policy as a file may write them: its own, then those that all policies share. */
import type { Policy, PolicyParameter } from './policy.ts';

const recompute: PolicyParameter = {
  name: 'recompute',
  kind: 'word',
  words: ['with_backward', 'ahead'],
  default: 'with_backward',
  summary:
    'When stages recompute: as the first part of the backward, or `ahead`, while the device waits for the gradient, if memory allows it.',
};

/** A policy that decides itself what is recomputed, or that runs nothing backwards, has only its own. */
export const parametersOf = (policy: Policy): readonly PolicyParameter[] =>
  policy.recompute !== undefined || policy.forwardOnly === true ? policy.parameters : [...policy.parameters, recompute];
