/**
 * The plain way to do it: an object for each operation, maps by name, devices taken in turn. No tricks and no traps: linear in
 * operations, one look-up for each dependency. Benchmarks are held against it, and it must give the same makespan.
 */
export interface Operation {
  readonly kind: 'F' | 'B' | 'I' | 'W';
  readonly stage: number;
  readonly microbatch: number;
}

export interface ReferenceCosts {
  /** Seconds of each kind, by stage. */
  readonly duration: Readonly<Record<Operation['kind'], readonly number[]>>;
  /** Seconds between neighbouring stages on different devices, one way. */
  readonly transfer: number;
}

export interface Finished {
  readonly operation: Operation;
  readonly device: number;
  readonly start: number;
  readonly end: number;
}

const nameOf = (kind: string, stage: number, microbatch: number): string => `${stage}${kind}${microbatch}`;

/** Runs each device's operations in order; throws where they wait for one another. Stage s lives on device s mod devices. */
export function simulate(orders: readonly (readonly Operation[])[], costs: ReferenceCosts): Map<string, Finished> {
  const stages = costs.duration.F.length;
  const finished = new Map<string, Finished>();
  const next = orders.map(() => 0);
  const free = orders.map(() => 0);
  const total = orders.reduce((sum, order) => sum + order.length, 0);

  while (finished.size < total) {
    const before = finished.size;
    for (let device = 0; device < orders.length; device += 1) {
      for (;;) {
        const operation = orders[device][next[device]];
        if (operation === undefined) break;
        const ready = readyAt(operation, device, stages, finished, costs.transfer);
        if (ready === undefined) break;
        const start = Math.max(free[device], ready);
        const end = start + costs.duration[operation.kind][operation.stage];
        finished.set(nameOf(operation.kind, operation.stage, operation.microbatch), { operation, device, start, end });
        free[device] = end;
        next[device] += 1;
      }
    }
    if (finished.size === before) throw new Error('The operations wait for one another.');
  }
  return finished;
}

/** When everything that an operation needs is there; undefined while something is not. */
function readyAt(
  { kind, stage, microbatch }: Operation,
  device: number,
  stages: number,
  finished: ReadonlyMap<string, Finished>,
  transfer: number,
): number | undefined {
  const backward = (of: number) =>
    finished.get(nameOf('B', of, microbatch)) ?? finished.get(nameOf('I', of, microbatch));
  const needs: (Finished | undefined)[] = [];
  if (kind === 'F') {
    if (stage > 0) needs.push(finished.get(nameOf('F', stage - 1, microbatch)));
  } else if (kind === 'W') {
    needs.push(finished.get(nameOf('I', stage, microbatch)));
  } else {
    needs.push(finished.get(nameOf('F', stage, microbatch)));
    if (stage < stages - 1) needs.push(backward(stage + 1));
  }
  let ready = 0;
  for (const need of needs) {
    if (need === undefined) return undefined;
    ready = Math.max(ready, need.end + (need.device === device ? 0 : transfer));
  }
  return ready;
}

export function makespan(finished: ReadonlyMap<string, Finished>): number {
  let last = 0;
  for (const { end } of finished.values()) last = Math.max(last, end);
  return last;
}
