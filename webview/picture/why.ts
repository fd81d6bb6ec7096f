import type { NamedStep, WaitExplanation } from '../../engine/analyze/waits/explainWait.ts';

/** Why a device waits, with the blocks of the picture. */
export interface Why extends Omit<WaitExplanation, 'steps'> {
  /** Row, and seconds of the wait. */
  readonly device: number;
  readonly from: number;
  readonly to: number;
  readonly steps: readonly WhyStep[];
}

export interface WhyStep extends NamedStep {
  /** The block that runs, or that made what is carried; −1 where there is none. */
  readonly block: number;
}
