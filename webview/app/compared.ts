/** What a comparison side by side is made from, and what comes of it. */
import type { EngineOptions } from '../../engine/basics/host.ts';
import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { ToPage } from '../protocol/messages.ts';
import type { DriftWordsOf } from '../session/driftWords.ts';
import type { BesideState } from '../view/race/besideState.ts';

/** The timeline of the file on show. */
export interface OwnTimeline {
  /** `quickstart.pipe: train`. */
  readonly name: string;
  readonly note: string;
  /** Absent if the file has none; `problem` then says why. */
  readonly plan?: PipelinePlan;
  readonly options?: EngineOptions;
  readonly order?: GivenOrder;
  /** With a plan: why it is older than the file. */
  readonly problem?: string;
}

/** What has been chosen for below. */
export type Other = Extract<ToPage, { readonly type: 'beside' }>;

export interface Compared {
  readonly state: Omit<BesideState, 'theme'>;
  /** Absent while one of the two has no timeline. */
  readonly words?: DriftWordsOf;
}

export const deviceNames = (plan: PipelinePlan | undefined): readonly string[] =>
  plan?.devices.map(({ name }) => name) ?? [];
