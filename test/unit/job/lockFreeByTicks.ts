/** Workers under lock-free servers by brute force: whole units of time, each worker in turn at each of them. */

export interface TickWorker {
  /** When each wave ends and each minibatch enters, of the worker alone. */
  readonly waves: readonly number[];
  readonly entered: readonly number[];
  /** Ticks that a push or pull of it holds the servers' link. */
  readonly hold: number;
}

export interface TickLink {
  readonly latency: number;
  readonly half: boolean;
}

interface Update {
  readonly worker: number;
  readonly wave: number;
}

/** What each minibatch missed and when its update was there, and all exchanges, up to and with the tick `until`. */
export function lockFreeByTicks(workers: readonly TickWorker[], link: TickLink, wave: number, until: number) {
  const weights: Update[] = [];
  const free = { in: 0, out: 0 };
  const ask = (direction: 'in' | 'out', hold: number, now: number) => {
    const lane = link.half ? 'in' : direction;
    const from = Math.max(now, free[lane]);
    free[lane] = from + hold;
    return { from, until: from + hold + link.latency };
  };
  const all = workers.map(() => ({
    doing: 'compute' as 'compute' | 'push' | 'wait' | 'pull',
    sent: [] as number[],
    pushes: [] as { from: number; until: number }[],
    pulls: [] as { from: number; until: number }[],
    /** The weights that are there, and since when: how long the list of updates was when they were read. */
    copies: [{ since: -1, length: 0 }],
    pulled: 0,
    missed: [] as number[],
    reached: [] as number[],
  }));
  for (let now = 0; now <= until; now += 1)
    for (const [index, { waves, entered, hold }] of workers.entries()) {
      const me = all[index];
      for (let busy = true; busy;) {
        busy = false;
        const done = me.reached.length / wave;
        const ended = waves.map((end, number) => (end <= now && number >= done ? number : -1)).filter((n) => n >= 0);
        if (me.doing === 'compute' && ended.length > 0) {
          me.sent = ended;
          me.pushes.push(ask('in', hold, now));
          me.doing = 'push';
        }
        if (me.doing === 'push' && (me.pushes.at(-1)?.until ?? 0) <= now) {
          for (const number of me.sent)
            for (let minibatch = number * wave; minibatch < (number + 1) * wave; minibatch += 1) {
              const copy = me.copies.filter(({ since }) => since <= entered[minibatch]).at(-1);
              me.missed.push(weights.slice(copy?.length).filter(({ worker }) => worker !== index).length * wave);
              me.reached.push(now);
            }
          weights.push(...me.sent.map((number) => ({ worker: index, wave: number })));
          me.pulls.push(ask('out', hold, now));
          me.doing = 'wait';
        }
        if (me.doing === 'wait' && (me.pulls.at(-1)?.from ?? 0) <= now) {
          me.pulled = weights.length;
          me.doing = 'pull';
        }
        if (me.doing === 'pull' && (me.pulls.at(-1)?.until ?? 0) <= now) {
          me.copies.push({ since: now, length: me.pulled });
          me.doing = 'compute';
          busy = true;
        }
      }
    }
  return all.map(({ missed, reached, pushes, pulls }) => ({ missed, reached, pushes, pulls }));
}
