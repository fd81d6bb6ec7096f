import type { PipelinePlan } from '../../engine/values/plan.ts';
import { type Side, sides } from '../picture/drift.ts';
import type { racing } from '../session/racing.ts';
import type { Runner } from '../session/standings.ts';
import type { OwnTimeline } from './compared.ts';

/** A place for a timeline. The one that is drawn stays until a newer one is simulated. */
interface Place {
  readonly key: string;
  readonly wanted: number;
  readonly shown: number;
  readonly plans: ReadonlyMap<number, PipelinePlan>;
}
const nowhere: Place = { key: '', wanted: -1, shown: -1, plans: new Map() };

/** The two timelines that are drawn, and those that are to take their places. */
export function besidePlaces(race: Pick<ReturnType<typeof racing>, 'add' | 'leave' | 'runners'>) {
  let places: Readonly<Record<Side, Place>> = { upper: nowhere, lower: nowhere };

  return {
    /** What is to be drawn there; without a plan nothing is. */
    enter(side: Side, name: string, given: Pick<OwnTimeline, 'plan' | 'options' | 'order'> | undefined): void {
      const { plan, options, order } = given ?? {};
      const place = places[side];
      const key = plan === undefined ? '' : JSON.stringify([plan, options]);
      if (key === place.key) return;
      for (const id of new Set([place.wanted, ...(plan === undefined ? [place.shown] : [])]))
        if (id >= 0 && (plan === undefined || id !== place.shown)) race.leave(id);
      if (plan === undefined) {
        places = { ...places, [side]: nowhere };
        return;
      }
      const id = race.add({ index: 0, name, plan, options, adoptable: false }, '', true, order);
      places = { ...places, [side]: { ...place, key, wanted: id, plans: new Map([...place.plans, [id, plan]]) } };
    },
    /** What was simulated takes the place of what is drawn. Why it cannot run, if that has come. */
    settle(side: Side): string | undefined {
      const place = places[side];
      const result = race.runners().find(({ id }) => id === place.wanted)?.result;
      if (result === undefined) return undefined;
      const isReason = 'reason' in result;
      const shown = isReason ? -1 : place.wanted;
      if (place.shown >= 0 && place.shown !== shown) race.leave(place.shown);
      const plans = new Map([...place.plans].filter(([id]) => id === place.wanted));
      places = { ...places, [side]: { ...place, shown, plans } };
      return isReason ? result.reason : undefined;
    },
    /** Number of the timeline that is drawn there; −1 for none. */
    shown: (side: Side): number => places[side].shown,
    plan: (side: Side): PipelinePlan | undefined => places[side].plans.get(places[side].shown),
    /** The timelines that are drawn, under these names. */
    runners: (names: Readonly<Record<Side, string>>): readonly Runner[] =>
      race
        .runners()
        .flatMap((runner) =>
          sides.flatMap((side) => (runner.id === places[side].shown ? { ...runner, name: names[side] } : [])),
        ),
    forget(): void {
      places = { upper: nowhere, lower: nowhere };
    },
  };
}
