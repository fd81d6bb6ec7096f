/** How long messages between two ranks take in a plan: the mean of all that are sent from one to the other, 0 for none. */
import { mean } from '../runs/statistics.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Timing } from '../values/timeline.ts';

export function plannedFlights({ routes }: PipelinePlan, timing: Timing): (from: number, to: number) => number {
  const { needRoute, needLatency, needOccupancy } = timing;
  const byPair = new Map<string, number[]>();
  for (const [need, route] of needRoute.entries()) {
    if (route < 0) continue;
    const pair = `${routes[route].from} ${routes[route].to}`;
    byPair.set(pair, [...(byPair.get(pair) ?? []), needLatency[need] + needOccupancy[need]]);
  }
  return (from, to) => mean(byPair.get(`${from} ${to}`) ?? [0]);
}
