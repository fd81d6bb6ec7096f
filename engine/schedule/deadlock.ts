import type { PipelinePlan } from '../plan/plan.ts';
import { programDependencies } from './dependencies.ts';
import type { Program } from './program.ts';
import { visitInOrder } from './topology.ts';
import { type Waiting, deviceAt, eachWait, waitingOf } from './waiting.ts';

/** A program that waits for itself: the shortest circle of operations (words), each waiting for the next, the last for the first. */
export interface Deadlock {
  readonly circle: readonly DeadlockStep[];
}
export interface DeadlockStep {
  readonly word: number;
  readonly device: number;
  /** Position in `order`. */
  readonly position: number;
  /** Why it waits for the next step: it stands behind it in the device's order, or needs its result. */
  readonly because: 'order' | 'needs';
}

/** Waits that the search for a shorter circle may look at: under a second, whatever the program. */
const budget = 4_000_000;

/**
 * The shortest circle of operations that wait for one another, or undefined where every operation runs. A schedule never ends
 * exactly if program order and dependencies together have a circle. In a program of millions of operations the circle is short
 * but need not be the shortest, for the search is bounded. Operations that stand behind one another on one device are one step.
 */
export function findDeadlock(program: Program, plan: PipelinePlan): Deadlock | undefined {
  const dependencies = programDependencies(program, plan.edges);
  const stuck = visitInOrder(program, dependencies, () => {});
  if (stuck.every((position, device) => position === program.offsets[device + 1])) return undefined;
  return { circle: steps(program, shortestCircle(waitingOf(program, dependencies, stuck))) };
}

/** One wait of a circle: positions of who waits and of what it waits for. */
interface Link {
  readonly waiter: number;
  readonly target: number;
  readonly because: 'needs' | 'order';
}

/** Breadth first from one group after another, each search no deeper than the best circle so far. */
function shortestCircle(waiting: Waiting): readonly Link[] {
  const { program, starts, stuck } = waiting;
  const size = program.order.length;
  const seen = new Int32Array(size).fill(-1);
  const queue = new Int32Array(size);
  // How the search came to a group: from which position, for which of its operations, by need or order.
  const waiterOf = new Int32Array(size);
  const targetOf = new Int32Array(size);
  const byNeed = new Uint8Array(size);
  let best: readonly Link[] = [];
  let left = budget;

  const search = (from: number): void => {
    let head = 0;
    let tail = 1;
    let depth = 1;
    let depthEnd = 1;
    queue[0] = from;
    seen[from] = from;
    while (head < tail) {
      if (head === depthEnd) {
        depth += 1;
        depthEnd = tail;
      }
      if (best.length > 0 && (depth >= best.length || left < 0)) return;
      let closing: Link | undefined;
      eachWait(waiting, queue[head], (waiter, target, because) => {
        left -= 1;
        const group = starts[target];
        if (group === from) closing ??= { waiter, target, because };
        else if (seen[group] !== from) {
          seen[group] = from;
          waiterOf[group] = waiter;
          targetOf[group] = target;
          byNeed[group] = because === 'needs' ? 1 : 0;
          queue[tail] = group;
          tail += 1;
        }
      });
      if (closing !== undefined) {
        const links: Link[] = [closing];
        for (let group = queue[head]; group !== from; group = starts[waiterOf[group]]) {
          links.push({
            waiter: waiterOf[group],
            target: targetOf[group],
            because: byNeed[group] === 1 ? 'needs' : 'order',
          });
        }
        best = links.toReversed();
        return;
      }
      head += 1;
    }
  };

  search(onCircle(waiting));
  for (let device = 0; device < program.devices; device += 1) {
    for (let position = stuck[device]; position < program.offsets[device + 1] && left > 0; position += 1) {
      if (starts[position] === position) search(position);
    }
  }
  return best;
}

/** A group on some circle: from group to group along the first wait until one comes again. What is stuck waits for something stuck. */
function onCircle(waiting: Waiting): number {
  const { program, starts, stuck } = waiting;
  const passed = new Uint8Array(program.order.length);
  const device = stuck.findIndex((position, at) => position < program.offsets[at + 1]);
  let group = starts[stuck[device]];
  while (passed[group] === 0) {
    passed[group] = 1;
    let next = -1;
    eachWait(waiting, group, (_, target) => {
      if (next < 0) next = starts[target];
    });
    if (next >= 0) group = next;
  }
  return group;
}

/** The circle as steps, runs on one device condensed, beginning with the step that comes first in its row. */
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
  const condensed = all.filter((step, index) => {
    const before = all[(index + all.length - 1) % all.length];
    return !(step.because === 'order' && before.because === 'order' && before.device === step.device);
  });
  const row = (step: DeadlockStep): number => step.position - program.offsets[step.device];
  const first = condensed.reduce((least, step, index) => (row(step) < row(condensed[least]) ? index : least), 0);
  return [...condensed.slice(first), ...condensed.slice(0, first)];
}
