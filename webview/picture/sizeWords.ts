import { bytes, count } from '../../engine/basics/quantities.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';

/** How a plan states memory. Equal stages hold 1 for each microbatch in flight, which is an activation and no byte. */
export type SizedPlan = Pick<PipelinePlan, 'unitTimes'>;

/** Memory as the page shows it: `21.4 GiB`; on equal stages `4 activations`. */
export const sizeWords = ({ unitTimes }: SizedPlan, size: number): string =>
  unitTimes === true ? count(size, 'activation', 'activations') : bytes(size);

/** `2 GiB of 16 GiB`, `4 of 8 activations`. */
export const partWords = (plan: SizedPlan, size: number, whole: number): string =>
  `${plan.unitTimes === true ? size.toLocaleString('en-US') : bytes(size)} of ${sizeWords(plan, whole)}`;
