import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { programOf } from '../../../engine/schedule/generate.ts';
import type { PolicyArguments } from '../../../engine/policies/policy.ts';
import type { Program } from '../../../engine/values/program.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { type Simulated, bruteForce, rowsOf } from './bruteForce.ts';
import { recipePlan } from '../support/plans.ts';

export interface Times {
  readonly f?: number;
  readonly i?: number;
  readonly w?: number;
  /** Of each stage, in place of the equal ones. */
  readonly uneven?: readonly number[];
}

/** A policy's plan with its stages placed as the policy places them, and its program. */
export function placed(
  name: string,
  p: number,
  m: number,
  args: PolicyArguments = {},
  { f = 1, i = 1, w = 1, uneven }: Times = {},
): { readonly plan: PipelinePlan; readonly program: Program } {
  const policy = findPolicy(name);
  if (policy === undefined) throw new Error(name);
  const stages = Array.from({ length: p * policy.chunks(args) }, (_, stage) => stage);
  const times = (value: number) =>
    stages.map((stage) => (uneven === undefined ? value : uneven[stage % uneven.length]));
  const loose = recipePlan({
    microbatches: m,
    schedule: { kind: 'policy', name, args },
    forward: times(f),
    backwardInput: times(i).toReversed(),
    backwardWeight: times(w),
    placement: stages.map((stage) => stage % p),
    stage: { activationForWeight: 0 },
  });
  const shape = shapeOf(loose);
  const [fault] = policy.check(shape);
  if (fault !== undefined) throw new Error(fault.message);
  const plan = { ...loose, placement: [...policy.placement(shape)] };
  return { plan, program: programOf(policy, shape) };
}

/** The program's run, by the plain simulator. */
export function run(...args: Parameters<typeof placed>): Simulated {
  const { plan, program } = placed(...args);
  const result = bruteForce(plan, rowsOf(program));
  if (result === undefined) throw new Error('the program never ends');
  return result;
}
