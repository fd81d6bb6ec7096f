/** The dynamic program of `plan(hetpipe)`: which devices are used, the last of them, and the layers before it. */
import type { HetpipeProblem } from './hetpipeProblem.ts';
import { peakOf, type SiteRuns } from './hetpipeRuns.ts';

/** Layers `from` to `to` (exclusive) on a device of the class `of`. */
export interface HetpipeStage {
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

interface Found {
  readonly stages: readonly HetpipeStage[];
  readonly slowest: number;
}

interface Work {
  done: number;
  readonly budget: number;
}

/** Steps between two pauses: some 5 ms. */
const slice = 300_000;

/** `sequence`: only this order of the devices, by class. */
type OrderedSearch = (
  limit: number,
  work: Work,
  sequence?: readonly number[],
) => Generator<void, Found | 'none' | 'stopped'>;

/**
 * A state has its last device open: the class of that device, the link that its activations came over, and its first layer. Its
 * value is the slowest stage before. Closing it takes the layers of that stage and the next device, since gradients come from there.
 */
export function orderedSearch(problem: HetpipeProblem, runs: readonly SiteRuns[]): OrderedSearch {
  const { classes, links, held, order } = problem;
  const count = order.length;
  const kinds = classes.length;
  // Devices of each class that are used, as digits of one number.
  const radix: number[] = [];
  let codes = 1;
  for (const { devices } of classes) {
    radix.push(codes);
    codes *= devices.length + 1;
  }
  const used = (code: number, of: number): number => Math.floor(code / radix[of]) % (classes[of].devices.length + 1);
  // Links that are alike are one; the last number stands for no link.
  const different: { readonly bandwidth: number; readonly latency: number }[] = [];
  const linkOf = links.map(({ bandwidth, latency }) => {
    const known = different.findIndex((other) => other.bandwidth === bandwidth && other.latency === latency);
    return known >= 0 ? known : different.push({ bandwidth, latency }) - 1;
  });
  const none = different.length;
  const seconds = (link: number, bytes: number): number =>
    link === none || bytes === 0 ? 0 : different[link].latency + bytes / different[link].bandwidth;
  const devices = classes.reduce((sum, each) => sum + each.devices.length, 0);
  const places = kinds * (none + 1) * count;

  return function* search(limit, work, sequence) {
    /** By code: values of the states with that many devices, at `(class · (links + 1) + link) · count + first layer`. */
    let level = new Map<number, Float64Array>();
    /** By number of devices, then code: the state before, and the class of the device before. */
    const before: Map<number, Float64Array>[] = [];
    const stateOf = (of: number, link: number, from: number): number => (of * (none + 1) + link) * count + from;
    const put = (
      into: Map<number, Float64Array>,
      from: Map<number, Float64Array>,
      code: number,
      state: number,
      value: number,
      previous: number,
    ): void => {
      let values = into.get(code);
      let links = from.get(code);
      if (values === undefined || links === undefined) {
        values = new Float64Array(places).fill(Infinity);
        links = new Float64Array(places).fill(-1);
        into.set(code, values);
        from.set(code, links);
      }
      if (value >= values[state]) return;
      values[state] = value;
      links[state] = previous;
    };
    const first = new Map<number, Float64Array>();
    for (let of = 0; of < kinds; of += 1)
      if (sequence === undefined || sequence[0] === of) put(level, first, radix[of], stateOf(of, none, 0), 0, -1);
    before.push(first);
    let pause = work.done + slice;
    let best = { value: limit * (1 + 1e-12), state: -1, code: -1 };
    for (let stage = 0; stage < devices; stage += 1) {
      const next = new Map<number, Float64Array>();
      const back = new Map<number, Float64Array>();
      const isLast = stage === devices - 1;
      for (const [code, values] of level) {
        for (let of = 0; of < kinds; of += 1) {
          const site = runs[classes[of].site];
          const { capacity } = classes[of];
          for (let link = 0; link <= none; link += 1) {
            for (let from = stage; from < count; from += 1) {
              const state = stateOf(of, link, from);
              const value = values[state];
              if (value === Infinity || value > best.value) continue;
              // Each later device has a layer at least.
              for (let to = isLast ? count : from + 1; to <= count - (devices - 1 - stage); to += 1) {
                const place = from * (count + 1) + to;
                const open = site.seconds[place] + seconds(link, site.entering[place]);
                work.done += 1;
                if (site.seconds[place] > best.value) break;
                if (open > best.value || peakOf(site, held[stage], from, to, count) > capacity) continue;
                if (isLast) {
                  const slowest = Math.max(value, open);
                  if (slowest < best.value || (best.state < 0 && slowest <= best.value))
                    best = { value: slowest, state, code };
                  continue;
                }
                for (let other = 0; other < kinds; other += 1) {
                  if (used(code, other) === classes[other].devices.length) continue;
                  if (sequence !== undefined && sequence[stage + 1] !== other) continue;
                  work.done += 1;
                  const way = linkOf[of * kinds + other];
                  // Gradients come back over the same route.
                  const slowest = Math.max(value, open + seconds(linkOf[other * kinds + of], site.leaving[place]));
                  if (slowest > best.value) continue;
                  put(next, back, code + radix[other], stateOf(other, way, to), slowest, state);
                }
              }
            }
            if (work.done > work.budget) return 'stopped';
            if (work.done < pause) continue;
            pause = work.done + slice;
            yield;
          }
        }
      }
      if (isLast) break;
      before.push(back);
      level = next;
    }
    if (best.state < 0) return 'none';
    const stages: HetpipeStage[] = [];
    let { state, code } = best;
    let to = count;
    for (let stage = devices - 1; stage >= 0; stage -= 1) {
      const of = Math.floor(state / count / (none + 1));
      const from = state % count;
      stages.unshift({ from, to, of });
      to = from;
      const previous = before[stage].get(code)?.[state] ?? -1;
      code -= radix[of];
      state = previous;
    }
    return { stages, slowest: best.value };
  };
}
