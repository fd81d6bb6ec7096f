/**
 * Schedules in the V from a building block: the order of one microbatch on all devices, repeated every six slots (an F, an I
 * and a W of each of two chunks), in which the time from F to W of a microbatch sets the memory.
 * Qi et al., "Pipeline Parallelism with Controllable Memory" (2024).
 */

/** Slots of a device's operations: the first chunk's F, the second's F, its I, the first's I, for microbatch 0. */
export type Block = readonly [number, number, number, number];

/** Classes of operations, as the orders here name them. Of one class, microbatches run in turn. */
export const F0 = 0;
export const F1 = 1;
export const I1 = 2;
export const I0 = 3;
export const W1 = 4;
const W0 = 5;
export const classes = W0 + 1;

/** One device: `class * microbatches + microbatch`, in order. */
export type Row = Int32Array;

const period = 6;
/** W of an I. */
const weightOf = (input: number): number => input + 2;

/** A rank for each class, lower first; of equal ranks, what stands first. */
export type Preference = readonly [number, number, number, number, number, number];

/** The block of each device, repeated; each W takes the first slot that is free after its I. */
export function repeated(blocks: readonly Block[], microbatches: number): readonly Row[] {
  return blocks.map((block) => {
    const row = new Int32Array(classes * microbatches);
    const classAt = new Int8Array(period).fill(-1);
    for (const [index, slot] of block.entries()) classAt[slot % period] = index;
    const waiting = new Int32Array(2 * microbatches);
    let first = 0;
    let last = 0;
    let at = 0;
    for (let slot = 0; at < row.length; slot += 1) {
      const kind = classAt[slot % period];
      const microbatch = kind < 0 ? -1 : (slot - block[kind]) / period;
      if (microbatch >= 0 && microbatch < microbatches) {
        row[at++] = kind * microbatches + microbatch;
        if (kind === I1 || kind === I0) waiting[last++] = weightOf(kind) * microbatches + microbatch;
      } else if (first < last) row[at++] = waiting[first++];
    }
    return row;
  });
}

/** Most chunks that any device holds, from F to W. */
export function peak(rows: readonly Row[], microbatches: number): number {
  let most = 0;
  for (const row of rows) {
    let held = 0;
    for (const operation of row) {
      held += change(Math.trunc(operation / microbatches));
      if (held > most) most = held;
    }
  }
  return most;
}

const change = (kind: number): number => (kind <= F1 ? 1 : kind >= W1 ? -1 : 0);

/**
 * Moves operations to the front where a device would idle. In unit time, a device that is free runs, of the next operation
 * of each class that is ready and after which the device's remaining order still stays within `limit`, the preferred one. What
 * stands first is always within the limit, so this ends where the given rows do. Gives the rows and their end.
 */
export function filled(
  rows: readonly Row[],
  microbatches: number,
  limit: number,
  prefer: Preference,
): { readonly rows: readonly Row[]; readonly end: number } {
  const devices = rows.length;
  const size = classes * microbatches;
  const result = rows.map(() => new Int32Array(size));
  const written = new Int32Array(devices);
  // The remaining order of each device as a list, and where in it each operation first stood.
  const next = rows.map(() => new Int32Array(size + 1));
  const before = rows.map(() => new Int32Array(size + 1));
  const position = rows.map(() => new Int32Array(size));
  for (const [device, row] of rows.entries()) {
    for (let at = 0; at < size; at += 1) position[device][row[at]] = at;
    for (let at = 0; at <= size; at += 1) {
      next[device][at] = at + 1;
      before[device][at] = at - 1;
    }
  }
  const first = new Int32Array(devices);
  const held = new Int32Array(devices);
  const done = Array.from({ length: classes }, () => new Int32Array(devices));
  const chosen = new Int8Array(devices);

  const ready = (kind: number, device: number): boolean => {
    const microbatch = done[kind][device];
    return microbatch < microbatches && arrived(kind, device, done) > microbatch;
  };
  const within = (kind: number, device: number): boolean => {
    let most = held[device] + 1;
    if (most > limit) return false;
    const until = position[device][kind * microbatches + done[kind][device]];
    for (let at = first[device]; at < until; at = next[device][at]) {
      most += change(Math.trunc(rows[device][at] / microbatches));
      if (most > limit) return false;
    }
    return true;
  };
  const choose = (device: number): number => {
    let best = -1;
    let least = Infinity;
    for (let kind = 0; kind < classes; kind += 1) {
      if (!ready(kind, device)) continue;
      const rank = prefer[kind] * size + position[device][kind * microbatches + done[kind][device]];
      if (rank < least && (kind > F1 || within(kind, device))) {
        best = kind;
        least = rank;
      }
    }
    return best;
  };
  let left = devices * size;
  let end = 0;
  for (; left > 0; end += 1) {
    for (let device = 0; device < devices; device += 1) chosen[device] = choose(device);
    for (let device = 0; device < devices; device += 1) {
      const kind = chosen[device];
      if (kind < 0) continue;
      const operation = kind * microbatches + done[kind][device];
      const at = position[device][operation];
      if (at === first[device]) first[device] = next[device][at];
      else next[device][before[device][at]] = next[device][at];
      before[device][next[device][at]] = before[device][at];
      result[device][written[device]] = operation;
      written[device] += 1;
      held[device] += change(kind);
      done[kind][device] += 1;
      left -= 1;
    }
  }
  return { rows: result, end };
}

/** How many microbatches have all that an operation of this class needs. */
function arrived(kind: number, device: number, done: readonly Int32Array[]): number {
  const last = done[F0].length - 1;
  switch (kind) {
    case F0:
      return device === 0 ? Infinity : done[F0][device - 1];
    case F1:
      return device === last ? done[F0][last] : done[F1][device + 1];
    case I1:
      return Math.min(done[F1][device], device === 0 ? Infinity : done[I1][device - 1]);
    case I0:
      return Math.min(done[F0][device], device === last ? done[I1][last] : done[I0][device + 1]);
    default:
      return done[kind - 2][device];
  }
}

const weightsLast: Preference = [0, 0, 0, 0, 1, 1];
/**
 * Passes over the repeated block: of all orders of classes, one after another, those that together end first on two to twelve
 * devices.
 */
const tries: readonly (readonly Preference[])[] = [
  [weightsLast],
  [
    [2, 3, 0, 1, 4, 4],
    [1, 0, 3, 2, 4, 4],
  ],
  [[1, 1, 0, 0, 1, 1]],
  [[0, 0, 1, 1, 1, 1], weightsLast],
  [
    [2, 4, 0, 1, 3, 3],
    [1, 0, 3, 2, 4, 4],
  ],
  [
    [0, 4, 1, 3, 2, 2],
    [1, 0, 3, 2, 4, 4],
  ],
];

/** The repeated block filled up, in the way that ends first in unit time; no more in flight than the block itself holds. */
export function best(blocks: readonly Block[], microbatches: number): readonly Row[] {
  const run = (
    passes: readonly Preference[],
    count: number,
  ): { readonly rows: readonly Row[]; readonly end: number } => {
    let rows = repeated(blocks, count);
    const limit = peak(rows, count);
    let end = 0;
    for (const prefer of passes) ({ rows, end } = filled(rows, count, limit, prefer));
    return { rows, end };
  };
  // Once it runs steadily, each further microbatch adds the same to all.
  const enough = Math.min(microbatches, 4 * blocks.length);
  let least = Infinity;
  let chosen = tries[0];
  for (const passes of tries) {
    const { end } = run(passes, enough);
    if (end < least) {
      least = end;
      chosen = passes;
    }
  }
  return run(chosen, microbatches).rows;
}
