/** Rows of F, B, E and L, run a tick at a time: what a reader would do with a pencil. It shares no code with the engine. */

/** Ticks. */
export interface Copy {
  readonly forward: number;
  readonly backward: number;
  /** A copy to or from the host holds the link so long, and is there `latency` later. */
  readonly copy: number;
  readonly latency: number;
  /** Both directions are one link. */
  readonly half: boolean;
}

interface Run {
  readonly makespan: number;
  /** Most activations on each device, and on its host. */
  readonly peaks: readonly number[];
  readonly hosts: readonly number[];
  /** Ticks that each device idles until a copy is there, where nothing else is missing by then. */
  readonly waits: readonly number[];
}

interface Sent {
  readonly name: string;
  begins: number;
}

/** Longer than any of these rows takes; then they wait for each other. */
const latest = 3_000;

export function ticked(
  rows: readonly (readonly string[])[],
  { forward, backward, copy, latency, half }: Copy,
): Run | undefined {
  const last = rows.length - 1;
  const ended = rows.map(() => new Map<string, number>());
  const began = rows.map(() => new Map<string, number>());
  /** Copies of each device in the order in which they were asked for. */
  const queues: Sent[][] = rows.map(() => []);
  const next = rows.map(() => 0);
  const busyUntil = rows.map(() => 0);
  const copied = (device: number, name: string): number => {
    const sent = queues[device].find((each) => each.name === name);
    return sent === undefined || sent.begins < 0 ? Infinity : sent.begins + copy + latency;
  };
  const lines = (name: string): string => (half ? 'both' : name[0]);
  const serve = (now: number): void => {
    for (const queue of queues) {
      for (const [index, sent] of queue.entries()) {
        if (sent.begins >= 0) continue;
        const before = queue.slice(0, index).filter(({ name }) => lines(name) === lines(sent.name));
        if (before.every(({ begins }) => begins >= 0 && begins + copy <= now)) sent.begins = now;
      }
    }
  };
  const waits = rows.map(() => 0);
  /** Whether the operation of a device could have started before but for a copy. */
  const waitsForCopy = (device: number, name: string, now: number): boolean => {
    const number = name.slice(1);
    if (name.startsWith('L')) return true;
    if (!name.startsWith('B') || !rows[device].includes(`L${number}`)) return false;
    return device === last || (ended[device + 1].get(name) ?? Infinity) < now;
  };
  const ready = (device: number, name: string, now: number): boolean => {
    const [letter, number] = [name[0], name.slice(1)];
    const done = (of: number, what: string): boolean => (ended[of].get(what) ?? Infinity) <= now;
    if (letter === 'F') return device === 0 || done(device - 1, name);
    if (letter === 'E') return done(device, `F${number}`);
    if (letter === 'L') return copied(device, `E${number}`) <= now;
    const back = !rows[device].includes(`L${number}`) || copied(device, `L${number}`) <= now;
    return back && done(device, `F${number}`) && (device === last || done(device + 1, name));
  };
  let now = 0;
  for (; next.some((at, device) => at < rows[device].length); now += 1) {
    if (now > latest) return undefined;
    for (let changed = true; changed;) {
      changed = false;
      serve(now);
      for (const [device, row] of rows.entries()) {
        const name = row[next[device]];
        if (name === undefined || busyUntil[device] > now || !ready(device, name, now)) continue;
        const length = name.startsWith('F') ? forward : name.startsWith('B') ? backward : 0;
        if (waitsForCopy(device, name, now)) waits[device] += now - busyUntil[device];
        began[device].set(name, now);
        ended[device].set(name, now + length);
        busyUntil[device] = now + length;
        if (length === 0) queues[device].push({ name, begins: -1 });
        next[device] += 1;
        changed = true;
      }
    }
  }
  const makespan = Math.max(...busyUntil);
  const most = (held: (tick: number) => number): number => {
    let peak = 0;
    for (let tick = 0; tick < makespan; tick += 1) peak = Math.max(peak, held(tick));
    return peak;
  };
  const microbatches = (device: number): readonly string[] =>
    rows[device].filter((name) => name.startsWith('F')).map((name) => name.slice(1));
  const begins = (device: number, name: string): number =>
    queues[device].find((sent) => sent.name === name)?.begins ?? Infinity;
  const isGone = (device: number, j: string, tick: number): boolean =>
    copied(device, `E${j}`) <= tick && tick < begins(device, `L${j}`);
  const peaks = rows.map((_, device) =>
    most(
      (tick) =>
        microbatches(device).filter(
          (j) =>
            (began[device].get(`F${j}`) ?? 0) <= tick &&
            tick < (ended[device].get(`B${j}`) ?? 0) &&
            !isGone(device, j, tick),
        ).length,
    ),
  );
  const hosts = rows.map((_, device) =>
    most(
      (tick) =>
        microbatches(device).filter((j) => begins(device, `E${j}`) <= tick && tick < copied(device, `L${j}`)).length,
    ),
  );
  return { makespan, peaks, hosts, waits };
}
