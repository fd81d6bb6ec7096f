import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { HopPlan, PipelinePlan } from '../../../engine/values/plan.ts';
import { fairShares } from '../../../engine/simulate/fairShare.ts';
import { flowNetwork } from '../../../engine/simulate/flows.ts';
import { flowsOf } from '../../../engine/simulate/hops.ts';
import { runWithQueues } from '../../../engine/simulate/queues.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import type { Flows, Timing } from '../../../engine/values/timeline.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { runnable } from '../support/cases.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { programOf } from '../support/programs.ts';

/** Routes as lists of channels, and the bandwidth of each channel. */
interface Network {
  readonly routes: readonly (readonly number[])[];
  readonly capacity: readonly number[];
}

const network: fc.Arbitrary<Network> = fc.integer({ min: 1, max: 6 }).chain((channels) =>
  fc.record({
    capacity: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: channels, maxLength: channels }),
    routes: fc.array(fc.uniqueArray(fc.nat(channels - 1), { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 7,
    }),
  }),
);

function flowsFrom({ routes, capacity }: Network): Flows {
  const offsets = Int32Array.from([0, ...routes.map((_, at) => routes.slice(0, at + 1).flat().length)]);
  return {
    offsets,
    channel: Int32Array.from(routes.flat()),
    capacity: Float64Array.from(routes.flat(), (route) => capacity[route]),
    rate: Float64Array.from(routes, (route) => Math.min(...route.map((at) => capacity[at]))),
  };
}

const fairRates = (net: Network, running: readonly number[]): number[] => {
  const flows = flowsFrom(net);
  const into = new Float64Array(net.routes.length);
  fairShares(flows, net.capacity.length).share(running, into);
  return running.map((route) => into[route] * flows.rate[route]);
};

describe('max-min fair shares', () => {
  it('leave each route a full hop on which no other route has more, and overfill none', () => {
    fc.assert(
      fc.property(network, (net) => {
        const rates = fairRates(net, [...net.routes.keys()]);
        const load = net.capacity.map((_, at) =>
          net.routes.reduce((sum, route, index) => sum + (route.includes(at) ? rates[index] : 0), 0),
        );
        for (const [at, one] of load.entries()) expect(one).toBeLessThanOrEqual(net.capacity[at] * (1 + 1e-9));
        for (const [index, route] of net.routes.entries()) {
          const bottleneck = route.some(
            (at) =>
              load[at] >= net.capacity[at] * (1 - 1e-9) &&
              net.routes.every((other, one) => !other.includes(at) || rates[one] <= rates[index] * (1 + 1e-9)),
          );
          expect(bottleneck).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('of two routes on one hop are halves; what one cannot use, the other gets', () => {
    expect(fairRates({ routes: [[0], [0]], capacity: [10] }, [0, 1])).toEqual([5, 5]);
    expect(
      fairRates(
        {
          routes: [
            [0, 1],
            [0, 2],
          ],
          capacity: [10, 2, 20],
        },
        [0, 1],
      ),
    ).toEqual([2, 8]);
  });
});

/** Rates by raising them all together in small steps until a hop is full: slow, and plainly max-min. */
function raised({ routes, capacity }: Network, running: readonly number[], steps = 4000): Map<number, number> {
  const rates = new Map(running.map((route) => [route, 0]));
  const step = Math.max(...capacity) / steps;
  const rising = new Set(running);
  while (rising.size > 0) {
    for (const route of rising) {
      const fits = routes[route].every((at) => {
        const load = running.reduce(
          (sum, index) => sum + (routes[index].includes(at) ? (rates.get(index) ?? 0) : 0),
          0,
        );
        const more = [...rising].filter((index) => routes[index].includes(at)).length;
        return load + more * step <= capacity[at] + 1e-9;
      });
      if (!fits) rising.delete(route);
    }
    for (const route of rising) rates.set(route, (rates.get(route) ?? 0) + step);
  }
  return rates;
}

it('max-min fair shares are those of rates that rise together', () => {
  fc.assert(
    fc.property(network, (net) => {
      const all = [...net.routes.keys()];
      const slow = raised(net, all);
      for (const [route, rate] of fairRates(net, all).entries()) expect(slow.get(route)).toBeCloseTo(rate, 1);
    }),
    { numRuns: 30 },
  );
});

interface Sent {
  readonly route: number;
  readonly at: number;
  readonly bytes: number;
}

/** Ends of transfers: fluid, all rates anew at every event, one transfer of a route after the other. */
function fluidEnds(net: Network, sends: readonly Sent[]): number[] {
  const left = sends.map((send) => send.bytes);
  const ends = sends.map(() => -1);
  let now = 0;
  for (;;) {
    const first = new Map<number, number>();
    for (const [index, one] of sends.entries())
      if (one.at <= now && ends[index] < 0 && !first.has(one.route)) first.set(one.route, index);
    const running = [...first.keys()];
    const rates = fairRates(net, running);
    const coming = Math.min(...sends.filter((send) => send.at > now).map((send) => send.at), Infinity);
    const lasts = running.map((route, at) => left[first.get(route) ?? 0] / rates[at]);
    const next = Math.min(coming, now + Math.min(...lasts, Infinity));
    if (next === Infinity) return ends;
    for (const [at, route] of running.entries()) {
      const index = first.get(route) ?? 0;
      left[index] -= rates[at] * (next - now);
      if (left[index] > 1e-9) continue;
      ends[index] = next;
    }
    now = next;
  }
}

it('transfers end as a fluid does, shares made anew whenever one starts or ends', () => {
  const sent = fc.record({
    route: fc.nat(6),
    at: fc.integer({ min: 0, max: 8 }),
    bytes: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(network, fc.array(sent, { minLength: 1, maxLength: 12 }), (net, raw) => {
      const sends = raw
        .map((one) => ({ ...one, route: one.route % net.routes.length }))
        .toSorted((a, b) => a.at - b.at || a.route - b.route);
      const flows = flowsFrom(net);
      const zeros = new Float64Array(sends.length);
      const timing: Timing = {
        ...timingOf(recipePlan({ devices: 1, microbatches: 1, schedule: policy('1f1b') }), oneProgram()),
        needRoute: Int32Array.from(sends, (send) => send.route),
        needOccupancy: Float64Array.from(sends, (send) => send.bytes / flows.rate[send.route]),
        needLatency: zeros,
        channels: net.capacity.length,
      };
      const arrival = new Float64Array(sends.length).fill(-1);
      const running = flowNetwork(timing, flows, arrival, 1, () => undefined);
      for (const [index, { at }] of sends.entries()) {
        while (running.advance(at)) continue;
        running.carry(index, 0, -1, 0, at);
      }
      while (running.advance(Infinity)) continue;
      for (const [index, end] of fluidEnds(net, sends).entries()) expect(arrival[index]).toBeCloseTo(end, 6);
    }),
    { numRuns: 300 },
  );
});

const oneProgram = () => programOf([['0F0', '0B0']], 1, 1, [0]);

/** Two stages send to a third one at the same time, each over its own hop and then over one of both. */
function joined(): PipelinePlan {
  const plan = recipePlan({
    devices: 3,
    microbatches: 1,
    schedule: policy('1f1b'),
    edges: [
      { from: 0, to: 2, bytes: 1 },
      { from: 1, to: 2, bytes: 1 },
    ],
  });
  const hop = (channel: number): HopPlan => ({ channel, bandwidth: 1, latency: 0.25 });
  return {
    ...plan,
    routes: [
      { from: 0, to: 2, bandwidth: 1, latency: 0.5, channel: 0, hops: [hop(0), hop(2)] },
      { from: 1, to: 2, bandwidth: 1, latency: 0.5, channel: 1, hops: [hop(1), hop(2)] },
      { from: 2, to: 0, bandwidth: 1, latency: 0.5, channel: 3, hops: [hop(3), hop(4)] },
      { from: 2, to: 1, bandwidth: 1, latency: 0.5, channel: 3, hops: [hop(3), hop(5)] },
    ],
  };
}

describe('a run with shared hops', () => {
  it('two transfers on one hop take twice as long each', () => {
    const plan = joined();
    const program = programOf(
      [
        ['0F0', '0B0'],
        ['1F0', '1B0'],
        ['2F0', '2B0'],
      ],
      3,
      1,
      [0, 1, 2],
    );
    const timeline = simulate(program, timingOf(plan, program));
    // F to 1; both transfers at half rate to 3, latency to 3.5; F and B to 4.5 and 6.5; both back at half rate to 8.5, 9; B to 11.
    expect(timeline?.end[2]).toBe(4.5);
    expect(timeline?.last[0]).toBe(11);
    expect(timeline?.last[1]).toBe(11);
    expect(timeline?.makespan).toBe(11);
  });

  it('is exactly that of queues where no two routes meet', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const apart = {
          ...plan,
          routes: plan.routes.map((route, index) => ({
            ...route,
            channel: 2 * index,
            hops: [
              { channel: 2 * index, bandwidth: route.bandwidth, latency: route.latency },
              { channel: 2 * index + 1, bandwidth: 2 * route.bandwidth, latency: 0 },
            ],
          })),
        };
        expect(flowsOf(apart)).toBeUndefined();
        const timing = timingOf(apart, program);
        // One more route that nothing travels on makes the others go the general way.
        const met = flowsOf({ routes: [...apart.routes, ...apart.routes.slice(0, 1)] });
        if (met === undefined) return;
        const queued = runWithQueues(program, timing);
        const shared = runWithQueues(program, { ...timing, flows: met });
        expect(shared?.makespan).toBe(queued?.makespan);
        expect(shared?.end).toEqual(queued?.end);
      }),
      { numRuns: 100 },
    );
  });
});
