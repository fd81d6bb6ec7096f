/** The planner of PipeDream: stages and replicas of each, such that a full pipeline's slowest step is as fast as can be. */
import { hasOneOrder } from '../dag/graph.ts';
import type { Planned, PlannerLayers } from './layers.ts';
import type { PipedreamProblem } from './pipedreamProblem.ts';
import { type LevelStage, pipedreamLevels } from './pipedreamLevels.ts';
import { dagOfLayers, graphStates, prefixStates, type States } from './states.ts';

/** Steps of the dynamic program over one order of the layers above which it takes more than about a second. */
const orderLimit = 150_000_000;
/** Steps of the program over all sets of layers, some two seconds. */
const graphBudget = 250_000_000;

/** What the number of plans depends on. */
export type PipedreamSize = Pick<PipedreamProblem, 'levels' | 'microbatches' | 'replicates'> & {
  readonly layers: Pick<PlannerLayers, 'count'>;
};

/** Steps of the dynamic program over one order of the layers. An inner level is planned for each first layer and all replicas around it. */
export function pipedreamSize({ layers: { count }, levels, microbatches, replicates }: PipedreamSize): number {
  let around = 1;
  return levels.toReversed().reduce((sum, { machines }, level) => {
    const pairs = level > 0 ? (around * count ** 3) / 6 : count ** 2 / 2;
    if (replicates && microbatches > 1) around *= Math.min(machines, microbatches);
    return sum + (pairs * machines * ((replicates ? machines : 1) + 1)) / 2;
  }, 0);
}

/** The same with the steps over the graph, as far as they are known before, in units of some 20 ns. */
export function pipedreamWork(problem: PipedreamProblem): number {
  const { layers, levels } = problem;
  const inOrder = pipedreamSize(problem);
  if (hasOneOrder(dagOfLayers(layers))) return inOrder / 10;
  const devices = levels.reduce((product, { machines }) => product * machines, 1);
  return (inOrder + Math.min(graphBudget, 4 ** layers.count * devices ** 2)) / 10;
}

export const pipedreamInTime = (size: PipedreamSize): boolean => pipedreamSize(size) <= orderLimit;

/**
 * The plan whose slowest stage or transfer is fastest. Among such plans it takes the fewest machines, then the least sum of
 * squared stage times. `seconds` is the time of one update. Stages are sets of layers, each of which needs only itself and
 * earlier stages (the states of PipeDream's graph). If there are too many sets, or their budget ends, the plan is the best one
 * over the order of the layers. Then `least` is a bound for every plan: all layers on all devices.
 */
export function* pipedreamSteps(problem: PipedreamProblem): Generator<void, Planned> {
  const { layers, levels, microbatches } = problem;
  const ordered = prefixStates(layers);
  const inOrder = yield* pipedreamLevels(problem, ordered, { slowest: Infinity, steps: Infinity });
  // Without a budget there always is a plan: everything on one device.
  const best = inOrder ?? { stages: [], seconds: 0 };
  if (hasOneOrder(dagOfLayers(layers))) return planned(best.stages, ordered, best.seconds, best.seconds);
  const states = yield* graphStates(layers);
  if (states !== undefined) {
    const found = yield* pipedreamLevels(problem, states, { slowest: best.seconds, steps: graphBudget });
    if (found !== undefined) return planned(found.stages, states, found.seconds, found.seconds);
  }
  const devices = levels.reduce((product, { machines }) => product * machines, 1);
  const least = (microbatches * ordered.seconds[layers.count]) / devices;
  return planned(best.stages, ordered, best.seconds, Math.min(least, best.seconds));
}

function planned(found: readonly LevelStage[], states: States, seconds: number, least: number): Planned {
  const order: number[] = [];
  const stages = found.map(({ from, to, machines }) => {
    const first = order.length;
    order.push(...states.between(from, to));
    return { from: first, to: order.length, replicas: machines.length, machines };
  });
  return { stages, order: Int32Array.from(order), seconds, exact: least === seconds, least };
}
