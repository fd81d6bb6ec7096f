/** The lane against the plain reference, which shares no code with it, on random cases in whole numbers. */
import { expect, test } from 'vitest';
import { referenceLane } from './referenceLane.ts';
import type { ExchangeOrder, LaneCall } from '../../../engine/values/exchangePlan.ts';
import { runLane, type SettledRule } from '../../../engine/simulate/exchange/lane.ts';
import * as fc from '../../support/property.ts';

const cost = fc.record({ fixed: fc.integer({ min: 0, max: 3 }), perByte: fc.integer({ min: 1, max: 3 }) });
const aLane = fc.record({
  layers: fc.array(fc.record({ gap: fc.integer({ min: 0, max: 6 }), bytes: fc.integer({ min: 1, max: 12 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
  closes: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  order: fc.constantFrom<ExchangeOrder[]>('ready', 'forward', 'tail', 'tao'),
  tails: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 6, maxLength: 6 }),
  partition: fc.constantFrom<SettledRule['partition'][]>('whole', 1, 2, 3, 5),
  credit: fc.constantFrom<SettledRule['credit'][]>('unlimited', 'piece', 1, 2, 4, 7),
  strict: fc.boolean(),
  ack: fc.integer({ min: 0, max: 4 }),
  earlyStart: fc.boolean(),
  push: cost,
  pull: fc.option(cost),
  oneLane: fc.boolean(),
  delay: fc.integer({ min: 0, max: 5 }),
});

test('gives the times of the reference', () => {
  fc.assert(
    fc.property(
      aLane,
      ({ layers, closes, order, tails, partition, credit, strict, ack, earlyStart, push, pull, oneLane, delay }) => {
        const count = layers.length;
        // Backwards reach the last layer first.
        const ready = new Float64Array(count);
        for (let at = count - 1, now = 0; at >= 0; at -= 1) ready[at] = now += layers[at].gap;
        const tail = Float64Array.from(tails.slice(0, count));
        const pulls = Int32Array.from(tail, (each) => 9 - each);
        const linear = (each: { readonly fixed: number; readonly perByte: number }) =>
          ({ kind: 'linear', ...each }) as const;
        const call: LaneCall = {
          name: 'call',
          push: linear(push),
          ...(pull === null ? {} : { pull: linear(pull) }),
          ...(oneLane ? { oneLane } : {}),
          delay,
        };
        const run = runLane({
          tensors: layers.map(({ bytes }) => ({ stage: 0, bytes, call: 0 })),
          calls: [call],
          rule: { order, partition, credit, strict, ack, earlyStart, halves: 'together' },
          closes: Uint8Array.from(closes.slice(0, count), Number),
          ready,
          tail,
          origin: 0,
          pulls,
        });
        const buckets: number[][] = [[]];
        for (let at = count - 1; at >= 0; at -= 1) {
          buckets.at(-1)?.push(at);
          if (closes[at] && at > 0) buckets.push([]);
        }
        const seconds = (each: { readonly fixed: number; readonly perByte: number }) => (bytes: number) =>
          each.fixed + each.perByte * bytes;
        const expected = referenceLane({
          tensors: layers.map(({ bytes }, at) => ({
            bytes,
            ready: ready[at],
            urgency: order === 'ready' ? 0 : order === 'forward' ? at : -tail[at],
          })),
          buckets,
          push: seconds(push),
          ...(pull === null ? {} : { pull: seconds(pull) }),
          oneLane,
          pullsAfterAll: pull !== null && order === 'tao',
          piece: typeof partition === 'number' ? partition : Infinity,
          credit: credit === 'unlimited' ? { bytes: Infinity } : credit === 'piece' ? { pieces: 1 } : { bytes: credit },
          strict,
          ack,
          delay,
          early: earlyStart,
        });
        expect([...run.arrival]).toEqual(expected.arrival);
      },
    ),
    { numRuns: 1000 },
  );
});
