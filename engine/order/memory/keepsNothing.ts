import type { StagePlan } from '../../values/plan.ts';

/**
 * Whether a stage keeps no data of a microbatch: all of it is frozen, and no gradient goes through it. Layers without measured
 * activations keep what the file does not say, so their microbatches are in flight.
 */
export const keepsNothing = ({
  trainable,
  activation,
  activationForWeight,
  backwardInput,
  backwardWeight,
}: Pick<StagePlan, 'trainable' | 'activation' | 'activationForWeight' | 'backwardInput' | 'backwardWeight'>): boolean =>
  trainable === 0 && activation === 0 && activationForWeight === 0 && backwardInput === 0 && backwardWeight === 0;
