/** A plain simulator of lanes over shared links, event by event, with objects and without the engine. */
export interface PlainCall {
  readonly ready: number;
  readonly bytes: number;
  readonly fixed: number;
  readonly rate: number;
  readonly links: readonly number[];
}

interface InFlight {
  readonly lane: number;
  readonly call: PlainCall;
  fixed: number;
  bytes: number;
}

/** End of each call; a lane sends its calls one after the other. */
export function plainEnds(lanes: readonly (readonly PlainCall[])[], links: readonly number[]): number[][] {
  const ends: number[][] = lanes.map(() => []);
  const flying: (InFlight | undefined)[] = lanes.map(() => undefined);
  let now = 0;
  for (;;) {
    lanes.forEach((calls, lane) => {
      const call = calls[ends[lane].length];
      if (flying[lane] === undefined && call !== undefined && call.ready <= now + 1e-9)
        flying[lane] = { lane, call, fixed: call.fixed, bytes: call.bytes };
    });
    const all = flying.filter((each) => each !== undefined);
    const sending = all.filter(({ fixed }) => fixed <= 1e-9);
    const rates = fairRates(
      sending.map(({ call }) => call),
      links,
    );
    const waits = lanes.flatMap((calls, lane) => {
      const call = calls[ends[lane].length];
      return call === undefined || flying[lane] !== undefined ? [] : [call.ready - now];
    });
    const steps = [
      ...waits,
      ...all.filter(({ fixed }) => fixed > 1e-9).map(({ fixed }) => fixed),
      ...sending.map(({ bytes }, index) => bytes / rates[index]),
    ];
    if (steps.length === 0) return ends;
    const step = Math.min(...steps);
    now += step;
    for (const each of all) {
      const index = sending.indexOf(each);
      if (index < 0) each.fixed -= step;
      else each.bytes -= rates[index] * step;
      if (index >= 0 && each.bytes <= 1e-9) {
        ends[each.lane].push(now);
        flying[each.lane] = undefined;
      }
    }
  }
}

/** Again and again, the link that leaves least to each of its calls, or the slowest call, is fixed. */
function fairRates(calls: readonly PlainCall[], links: readonly number[]): number[] {
  const fixed = new Map<number, number>();
  while (fixed.size < calls.length) {
    const open = calls.map((_, index) => index).filter((index) => !fixed.has(index));
    const shareOf = (link: number): number => {
      const taken = [...fixed].reduce((sum, [index, rate]) => sum + (calls[index].links.includes(link) ? rate : 0), 0);
      return (links[link] - taken) / open.filter((index) => calls[index].links.includes(link)).length;
    };
    const limits = open.map((index) => Math.min(calls[index].rate, ...calls[index].links.map(shareOf)));
    const least = Math.min(...limits);
    open.forEach((index, at) => {
      if (limits[at] <= least * (1 + 1e-12)) fixed.set(index, least);
    });
  }
  return calls.map((_, index) => fixed.get(index) ?? 0);
}
