import type { PipelinePlan } from '../values/plan.ts';
import { disjointCircles } from './circles.ts';
import { programDependencies } from '../order/dependencies.ts';
import { type DeadlockStep, condensed } from './deadlockSteps.ts';
import { exchangeCircles } from './exchangeDeadlock.ts';
import type { Program } from '../values/program.ts';
import { visitInOrder } from '../order/topology.ts';
import { type Waiting, deviceAt, eachWait, waitingOf } from './waiting.ts';

/** A program that waits for itself: the shortest circle of operations (words), each waiting for the next, the last for the first. */
export interface Deadlock {
  readonly circle: readonly DeadlockStep[];
}

/**
 * The shortest circle of operations that wait for each other, or undefined if every operation runs. A schedule never ends exactly
 * if program order and dependencies together have a circle; if sends block, a send and its receive also wait for each other. In a
 * program of millions of operations the circle is short but need not be the shortest, for the search is bounded. Consecutive
 * operations on one device are one step.
 */
export const findDeadlock = (program: Program, plan: PipelinePlan): Deadlock | undefined =>
  findDeadlocks(program, plan, 1).at(0);

/**
 * Circles that share no operation, shortest first, at most `most`: each is a deadlock that would still be there if the ones before
 * it were broken. Empty if every operation runs. The first is the circle of `findDeadlock`.
 */
export function findDeadlocks(program: Program, plan: PipelinePlan, most: number): readonly Deadlock[] {
  const dependencies = programDependencies(program, plan.edges);
  const stuck = visitInOrder(program, dependencies, () => {});
  const circles = stuck.some((position, device) => position < program.offsets[device + 1])
    ? circlesOfLinks(waitingOf(program, dependencies, stuck), most).map((links) => steps(program, links))
    : plan.transfer === undefined
      ? []
      : exchangeCircles(program, dependencies, plan.transfer, most);
  return circles.map((circle) => ({ circle: condensed(program, circle) }));
}

/** One wait of a circle: positions of who waits and of what it waits for. */
interface Link {
  readonly waiter: number;
  readonly target: number;
  readonly because: 'needs' | 'order';
}

/** The links of each circle. Fused operations wait as one: nodes are first positions of slots. */
function circlesOfLinks(waiting: Waiting, most: number): readonly (readonly Link[])[] {
  const { program, starts, stuck } = waiting;
  const nodes = function* (): Iterable<number> {
    for (let device = 0; device < program.devices; device += 1) {
      for (let position = stuck[device]; position < program.offsets[device + 1]; position += 1)
        if (starts[position] === position) yield position;
    }
  };
  const circles = disjointCircles(
    {
      size: program.order.length,
      nodes: { [Symbol.iterator]: () => nodes()[Symbol.iterator]() },
      each: (node, visit) => eachWait(waiting, node, (_, target) => visit(starts[target])),
    },
    most,
  );
  return circles.map((circle) =>
    circle.flatMap((node, index) => {
      const next = circle[(index + 1) % circle.length];
      const links: Link[] = [];
      eachWait(waiting, node, (waiter, target, because) => {
        if (links.length === 0 && starts[target] === next) links.push({ waiter, target, because });
      });
      return links;
    }),
  );
}

function steps(program: Program, links: readonly Link[]): readonly DeadlockStep[] {
  const all: DeadlockStep[] = [];
  for (const [index, link] of links.entries()) {
    const step = (position: number, because: DeadlockStep['because']): DeadlockStep => ({
      word: program.order[position],
      device: deviceAt(program, position),
      position,
      because,
    });
    // Reached at one operation of a fused group and left from another: the two start together.
    const reached = links[(index + links.length - 1) % links.length].target;
    if (reached !== link.waiter) all.push(step(reached, 'order'));
    all.push(step(link.waiter, link.because));
  }
  return all;
}
