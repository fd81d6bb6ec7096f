import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { Picture } from '../picture/picture.ts';
import { type ShownTimeline, shownTimeline } from './shownTimeline.ts';

/** Plans that the worker was asked to simulate, numbered, and which of its answers the page takes. */
export function simulations() {
  let newest = 0;
  /** Answers up to this number belong to a file that the page has left. */
  let left = 0;
  /** Since this number was the newest, something has gone wrong. */
  let troubled = 0;
  const plans = new Map<number, PipelinePlan>();
  return {
    /** The number of a new simulation. */
    start(plan: PipelinePlan): number {
      newest += 1;
      plans.set(newest, plan);
      return newest;
    },
    /** The plan of a simulation that has not been answered yet. */
    planOf: (generation: number): PipelinePlan | undefined => plans.get(generation),
    /**
     * The timeline of a picture, with its plan; undefined if its file was left. It is taken even if a newer simulation runs: the
     * worker draws this one until then.
     */
    arrived(picture: Picture): ShownTimeline | undefined {
      const plan = plans.get(picture.generation);
      for (const older of plans.keys()) if (older <= picture.generation) plans.delete(older);
      return plan === undefined ? undefined : shownTimeline(plan, picture);
    },
    /** Whether an answer is about the newest plan. */
    isNewest: (generation: number): boolean => generation === newest && generation > left,
    /** Whether it is, and nothing has gone wrong since. */
    isCurrent: (generation: number): boolean => generation === newest && generation > troubled,
    /** Something has gone wrong: what runs is no longer current. */
    trouble(): void {
      troubled = newest;
    },
    /** The page shows another file from now on. */
    leave(): void {
      left = newest;
      troubled = newest;
      plans.clear();
    },
  };
}
