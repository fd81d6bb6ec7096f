import { clampSight, type Sight } from '../scene/jobScene.ts';

const nothing: Sight = { t0: 0, t1: 0 };

/** What is in sight of timelines of some length: the whole of them until the reader looks closer. */
export function besideSight() {
  let sight = nothing;
  let longest = 0;
  let isWhole = true;

  function look(wanted: Sight): void {
    if (longest === 0) return;
    sight = clampSight(wanted, { until: longest });
    isWhole = sight.t1 - sight.t0 >= longest;
  }

  return {
    now: (): Sight => sight,
    look,
    showAll: (): void => look({ t0: 0, t1: longest }),
    /** The timelines have another length; 0 while there is none. */
    fit(until: number): void {
      longest = until;
      if (isWhole || sight.t1 === 0) sight = { t0: 0, t1: longest };
      else if (longest > 0) sight = clampSight(sight, { until: longest });
    },
    forget(): void {
      sight = nothing;
      longest = 0;
      isWhole = true;
    },
  };
}
