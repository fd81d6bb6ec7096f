/** Figures of files against all choices: brute force of five tensors, constants of NCCL, copies of an embedding. */
import { describe, expect, test } from 'vitest';
import * as fc from '../../../support/property.ts';
import { runsOf } from './fixture.ts';

const small = (min: number, max: number) => fc.integer({ min, max });
const fiveLayers = fc.array(fc.record({ forward: small(1, 4), backward: small(1, 4), bytes: small(1, 9) }), {
  minLength: 5,
  maxLength: 5,
});
type Layers = typeof fiveLayers extends fc.Arbitrary<infer T> ? T : never;

/** Two ranks, and a byte of a tensor takes a second for each MB. */
const fileOf = (layers: Layers, sync: string, collective: string): string => `model m {
${layers.map(({ forward, backward, bytes }, at) => `  layer l${at} { forward = ${forward}s  backward = ${backward}s  weights = ${bytes}MB }`).join('\n')}
}
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 1MB/s }
pipeline p {
  model = m  devices = pair  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 2
  sync = ${sync}  collective = ${collective}
}
`;
const secondsOf = (text: string): number => [...runsOf(text).values()][0].iteration;

/** When backwards have passed each layer, and when the iteration's work ends. */
function backwards(layers: Layers): { readonly ready: readonly number[]; readonly end: number } {
  let now = layers.reduce((sum, { forward }) => sum + forward, 0);
  const ready: number[] = [];
  for (let at = layers.length - 1; at >= 0; at -= 1) {
    now += layers[at].backward;
    ready[at] = now;
  }
  return { ready, end: now };
}

/** End of forwards that begin at `end` and wait for each layer. */
function forwards(layers: Layers, end: number, there: readonly number[]): number {
  return layers.reduce((now, { forward }, at) => Math.max(now, there[at]) + forward, end);
}

/** All orders of the numbers below `count`. */
function ordersOf(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  );
}
const orders = ordersOf(5);

describe('five tensors', () => {
  test('best buckets end as early as those of any of the 16 ways to fuse them', () => {
    fc.assert(
      fc.property(fiveLayers, small(0, 3), (layers, call) => {
        const { ready, end } = backwards(layers);
        let least = Infinity;
        for (let set = 0; set < 16; set += 1) {
          let [lane, bytes] = [0, 0];
          for (let at = 4; at >= 0; at -= 1) {
            bytes += layers[at].bytes;
            if (at > 0 && ((set >> (at - 1)) & 1) === 0) continue;
            lane = Math.max(lane, ready[at]) + call + bytes;
            bytes = 0;
          }
          least = Math.min(least, Math.max(lane, end));
        }
        expect(secondsOf(fileOf(layers, 'overlap(bucket = best)', `ring(call = ${call}s)`))).toBeCloseTo(least, 6);
      }),
      { numRuns: 60 },
    );
  });

  test('what the next forward needs first, cut when it gets ready: no order of any pieces has a shorter period', () => {
    fc.assert(
      fc.property(fiveLayers, (layers) => {
        const { ready, end } = backwards(layers);
        let least = Infinity;
        // Second by second: whatever is first in an order and is ready has the lane.
        for (const order of orders) {
          const left = layers.map(({ bytes }) => bytes);
          const there = layers.map(() => 0);
          for (let now = 0; left.some((bytes) => bytes > 0); now += 1) {
            const sent = order.find((at) => left[at] > 0 && ready[at] <= now);
            if (sent === undefined) continue;
            left[sent] -= 1;
            if (left[sent] === 0) there[sent] = now + 1;
          }
          least = Math.min(least, forwards(layers, end, there));
        }
        const work = layers.reduce((sum, { forward, backward }) => sum + forward + backward, 0);
        const back = layers.reduce((sum, { backward }) => sum + backward, 0);
        const period = secondsOf(
          fileOf(layers, 'overlap(order = forward, partition = at_preemption, barrier = false)', 'ring'),
        );
        // From the end of the forwards of an iteration to the end of those of the next.
        const forward = work - back;
        expect(period).toBeCloseTo(least - forward, 6);
      }),
      { numRuns: 60 },
    );
  });

  test('whole tensors, whatever goes first: a rule is as good as one of the orders, and none is under the bound', () => {
    fc.assert(
      fc.property(fiveLayers, (layers) => {
        const { ready, end } = backwards(layers);
        const forward = layers.reduce((sum, each) => sum + each.forward, 0);
        const periods = orders.map((order) => {
          const waiting = new Set(order);
          const there = layers.map(() => 0);
          for (let now = 0; waiting.size > 0;) {
            const sent = order.find((at) => waiting.has(at) && ready[at] <= now);
            if (sent === undefined) {
              now = Math.min(...[...waiting].map((at) => ready[at]));
              continue;
            }
            now += layers[sent].bytes;
            there[sent] = now;
            waiting.delete(sent);
          }
          return forwards(layers, end, there) - forward;
        });
        const [run] = runsOf(fileOf(layers, 'overlap(order = forward, barrier = false)', 'ring')).values();
        // The order of the layers themselves.
        const own = orders.findIndex((order) => order.every((layer, at) => layer === at));
        expect(run.iteration).toBeCloseTo(periods[own], 6);
        expect(run.timeline.exchange?.bound).toBeLessThanOrEqual(Math.min(...periods) + 1e-9);
      }),
      { numRuns: 60 },
    );
  });
});

describe('nccl, from a file', () => {
  // A ring with Simple moves many bytes at a rate; what is left of two sizes does not depend on bytes.
  const fixed = (cluster: string, ranks: number): number => {
    const seconds = (gigabytes: number): number =>
      secondsOf(`model still { layer all { forward = 0ms  backward = 0ms  weights = ${gigabytes}GB } }
device gpu { memory = 800GiB }
${cluster}
pipeline p { model = still  devices = box  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = ${ranks}  sync = end  collective = nccl }
`);
    return (2 * seconds(8) - seconds(16)) * 1e6;
  };
  test('8 ranks by NVLink: 56 µs; 8 nodes of 8: 585.2 µs', () => {
    expect(fixed('cluster box { gpu[8] = gpu  link = 200GB/s }', 8)).toBeCloseTo(56, 3);
    expect(fixed('cluster box { node[8] { gpu[8] = gpu  link = 200GB/s }  link = 12.5GB/s }', 64)).toBeCloseTo(
      585.2,
      3,
    );
  });
});
