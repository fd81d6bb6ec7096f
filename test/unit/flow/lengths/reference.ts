/** Independent of the engine: times and memory of orders whose microbatches differ, as longest paths and sums over intervals. */

/** `F`, `B`, `I` or `W` of a stage. */
export interface Operation {
  readonly kind: string;
  readonly stage: number;
  readonly microbatch: number;
}

/**
 * Stage s is on device s mod devices. Seconds of operations, and of messages from a stage to the next one or the one before. With
 * `segments`, s counts segments of stages, and stage s / segments is on the device of this number.
 */
export interface Shop {
  readonly segments?: number;
  readonly stages: number;
  readonly devices: number;
  readonly seconds: (operation: Operation) => number;
  readonly message: (microbatch: number, stage: number) => { readonly occupancy: number; readonly latency: number };
}

export interface Run {
  readonly makespan: number;
  readonly start: ReadonlyMap<string, number>;
  readonly end: ReadonlyMap<string, number>;
}

export const nameOf = ({ kind, stage, microbatch }: Operation): string => `${stage}${kind}${microbatch}`;

/**
 * Ends by repeated relaxation: an operation starts when the one before it on its device has ended and its input is there. Messages
 * from one device to another follow each other in the order in which they are made. `undefined` if operations wait for each other for ever.
 */
export function runOrders(orders: readonly (readonly Operation[])[], shop: Shop): Run | undefined {
  const start = new Map<string, number>();
  const end = new Map<string, number>();
  const known = new Set(orders.flat().map(nameOf));
  const arrival = new Map<string, number>();
  const free = new Map<string, number>();
  const cursor = orders.map(() => 0);
  const { segments = 1 } = shop;
  const deviceOf = (stage: number) => Math.floor(stage / segments) % shop.devices;
  const inputsOf = ({ kind, stage, microbatch }: Operation): string[] => {
    const segment = stage % segments;
    const before = [...(segment > 0 ? [stage - 1] : []), ...(stage >= segments ? [stage - segments] : [])];
    if (kind === 'F') return before.map((each) => `${each}F${microbatch}`);
    if (kind === 'W') return [`${stage}I${microbatch}`];
    const behind = [...(segment + 1 < segments ? [stage + 1] : []), stage + segments];
    const back = behind
      .flatMap((each) => [`${each}B${microbatch}`, `${each}I${microbatch}`])
      .filter((name) => known.has(name));
    return [`${stage}F${microbatch}`, ...back];
  };
  const arrivalAt = (name: string, operation: Operation): number | undefined => {
    const ended = end.get(name);
    const from = Number(/^\d+/.exec(name)?.[0]);
    if (ended === undefined || deviceOf(from) === deviceOf(operation.stage)) return ended;
    return arrival.get(`${name}>${operation.stage}`);
  };
  for (let moved = true; moved;) {
    moved = false;
    for (const [device, order] of orders.entries()) {
      for (; cursor[device] < order.length; cursor[device] += 1) {
        const operation = order[cursor[device]];
        const inputs = inputsOf(operation).map((name) => arrivalAt(name, operation));
        if (!inputs.every((at) => at !== undefined)) break;
        const before = cursor[device] === 0 ? 0 : (end.get(nameOf(order[cursor[device] - 1])) ?? 0);
        const begins = Math.max(before, ...inputs);
        const ends = begins + shop.seconds(operation);
        start.set(nameOf(operation), begins);
        end.set(nameOf(operation), ends);
        moved = true;
        // The message goes to the next stage, or back to the one before.
        const to = operation.kind === 'F' ? operation.stage + segments : operation.stage - segments;
        if (operation.kind === 'W' || to < 0 || to >= shop.stages || deviceOf(to) === device) continue;
        const { occupancy, latency } = shop.message(operation.microbatch, operation.stage);
        const channel = `${device}>${deviceOf(to)}`;
        const leaves = Math.max(ends, free.get(channel) ?? 0) + occupancy;
        free.set(channel, leaves);
        arrival.set(`${nameOf(operation)}>${to}`, leaves + latency);
      }
    }
  }
  if (cursor.some((at, device) => at < orders[device].length)) return undefined;
  return { makespan: Math.max(0, ...end.values()), start, end };
}

/** Bytes by stage and microbatch. */
export interface Sizes {
  readonly base: (device: number) => number;
  readonly activation: (stage: number, microbatch: number) => number;
  readonly forWeight: (stage: number, microbatch: number) => number;
  readonly recomputed: (stage: number, microbatch: number) => number;
  readonly workspace: (stage: number, microbatch: number) => number;
}

/** Most bytes on a device at any moment: sums over all intervals that contain the middle of an operation. */
export function peakOf(order: readonly Operation[], device: number, run: Run, sizes: Sizes): number {
  const at = (name: string, ends: ReadonlyMap<string, number>) => ends.get(name) ?? NaN;
  const intervals = order.flatMap((operation) => {
    const { kind, stage, microbatch } = operation;
    const [from, to] = [at(nameOf(operation), run.start), at(nameOf(operation), run.end)];
    const own = [{ from, to, bytes: sizes.workspace(stage, microbatch) }];
    const backward = run.end.get(`${stage}B${microbatch}`) ?? run.end.get(`${stage}I${microbatch}`) ?? NaN;
    if (kind === 'F') own.push({ from, to: backward, bytes: sizes.activation(stage, microbatch) });
    if (kind === 'B' || kind === 'I') own.push({ from, to, bytes: sizes.recomputed(stage, microbatch) });
    if (kind === 'I')
      own.push({
        from: to,
        to: run.end.get(`${stage}W${microbatch}`) ?? NaN,
        bytes: sizes.forWeight(stage, microbatch),
      });
    return own;
  });
  const moments = order.map((operation) => (at(nameOf(operation), run.start) + at(nameOf(operation), run.end)) / 2);
  return Math.max(
    ...moments.map(
      (moment) =>
        sizes.base(device) +
        intervals.reduce((sum, { from, to, bytes }) => (from <= moment && moment < to ? sum + bytes : sum), 0),
    ),
  );
}

/** All orders of a device in which each list is in its order, as `[[F0, B0], [F1, B1]]`. */
export function* interleavings<T>(lists: readonly (readonly T[])[]): Generator<readonly T[]> {
  if (lists.every((list) => list.length === 0)) yield [];
  for (const [index, list] of lists.entries()) {
    if (list.length === 0) continue;
    const [first, ...rest] = list;
    for (const others of interleavings(lists.with(index, rest))) yield [first, ...others];
  }
}
