import { describe, expect, test } from 'vitest';
import { runLane } from '../../../engine/simulate/exchange/lane.ts';
import * as fc from '../../support/property.ts';
import { aChain } from './arbitraries.ts';
import { collective, MB, ms, problemOf, servers, type TensorLayer } from './chains.ts';

const layer = (megabytes: number): TensorLayer => ({ forward: ms, backward: ms, bytes: megabytes * MB });
const toy = [layer(10), layer(10), layer(40)];

test('one moment is one moment in any unit: rounding changes no order', () => {
  fc.assert(
    fc.property(aChain, fc.constantFrom(1e-3, 1e-6 / 3, 7e5), ({ layers, call, rule }, unit) => {
      const cost = <Cost extends { fixed: number; perByte: number }>(each: Cost): Cost => ({
        ...each,
        fixed: each.fixed * unit,
        perByte: each.perByte * unit,
      });
      const scaled = layers.map(({ forward, backward, bytes }) => ({
        forward: forward * unit,
        backward: backward * unit,
        bytes,
      }));
      const other = {
        ...rule,
        ack: (rule.ack ?? 0) * unit,
        ...(rule.cycle === undefined ? {} : { cycle: rule.cycle * unit }),
      };
      const { push, pull, halves, delay = 0 } = call;
      const linear = (each: typeof push) => (each.kind === 'linear' ? cost(each) : each);
      const slower = {
        ...call,
        push: linear(push),
        delay: delay * unit,
        ...(pull === undefined ? {} : { pull: linear(pull) }),
        ...(halves === undefined ? {} : { halves: { scatter: linear(halves.scatter), gather: linear(halves.gather) } }),
      };
      const plain = runLane(problemOf(layers, call, rule)).arrival;
      runLane(problemOf(scaled, slower, other)).arrival.forEach((at, tensor) => {
        expect(at / unit).toBeCloseTo(plain[tensor], 6);
      });
    }),
    { numRuns: 500 },
  );
});

describe('a lane that takes no time', () => {
  test.each([
    ['collective', { name: 'free', push: { kind: 'linear', fixed: 0, perByte: 0 } }],
    [
      'servers',
      {
        name: 'free',
        push: { kind: 'linear', fixed: 0, perByte: 0 },
        pull: { kind: 'linear', fixed: 0, perByte: 0 },
      },
    ],
    [
      'servers on one lane',
      {
        name: 'free',
        push: { kind: 'linear', fixed: 0, perByte: 0 },
        pull: { kind: 'linear', fixed: 0, perByte: 0 },
        oneLane: true,
      },
    ],
  ] as const)('%s: tensors are there when they are ready', (_, call) => {
    for (const credit of ['unlimited', 'piece', 1e6] as const)
      for (const partition of ['whole', 1e6] as const) {
        const problem = problemOf(toy, call, { order: 'forward', credit, partition });
        expect([...runLane(problem).arrival]).toEqual([...problem.ready]);
      }
  });
});

test('no tensor has bytes: nothing is sent', () => {
  const { sent, arrival } = runLane(problemOf([layer(0), layer(0)], collective(10e9), {}));
  expect(sent.length).toBe(0);
  expect([...arrival]).toEqual([0.004, 0.003]);
});

test('all bytes go each way once, and a lane has one piece at a time', () => {
  fc.assert(
    fc.property(aChain, ({ layers, call, rule }) => {
      const { sent, back } = runLane(problemOf(layers, call, rule));
      const bytes = layers.reduce((sum, each) => sum + each.bytes, 0);
      for (const leg of back === undefined ? [sent] : [sent, back]) {
        let all = 0;
        for (let row = 0; row < leg.length; row += 1) {
          all += leg.count[row] * leg.bytes[row];
          if (row > 0) expect(leg.start[row]).toBeGreaterThanOrEqual(leg.end[row - 1] - 1e-9);
        }
        expect(all).toBeCloseTo(bytes, 9);
      }
    }),
    { numRuns: 300 },
  );
});

test('latencies keep no lane: pieces pay a latency each way once', () => {
  for (const partition of [40 * MB, 10 * MB, 1 * MB, 0.1 * MB]) {
    const call = { ...servers(10e9), delay: 0.3 * ms };
    const { arrival } = runLane(problemOf([layer(40)], call, { order: 'forward', partition }));
    // Pushes take 4 ms from 2 ms on. Then the last piece is pulled.
    expect(arrival[0]).toBeCloseTo(6 * ms + 2 * 0.3 * ms + partition / 10e9, 12);
    // On one lane, pieces are pulled while others are on the way.
    const shared = runLane(problemOf([layer(40)], { ...call, oneLane: true }, { order: 'forward', partition }));
    expect(shared.arrival[0]).toBeGreaterThanOrEqual(10 * ms + 0.3 * ms - 1e-12);
    expect(shared.arrival[0]).toBeLessThanOrEqual(10 * ms + 2 * 0.3 * ms + 1e-12);
  }
});

test('TicTac: pulls begin when all is pushed, in the order that is given', () => {
  const problem = problemOf(toy, servers(10e9), { order: 'tao' });
  const { sent, back } = runLane({ ...problem, pulls: Int32Array.of(1, 0, 2) });
  // Back, mid and front are pushed until 10 ms. Then mid, front and back are pulled.
  expect([...sent.bucket.slice(0, 3)]).toEqual([0, 1, 2]);
  expect([...(back?.bucket.slice(0, 3) ?? [])]).toEqual([1, 2, 0]);
  expect(back?.start[0]).toBeCloseTo(10 * ms, 12);
});

test('pieces that nothing can overtake take the room of one', () => {
  const { sent } = runLane(problemOf(toy, collective(10e9), { partition: 1e3 }));
  expect(sent.length).toBe(6);
  expect([...sent.count.slice(0, 6)]).toEqual([39_999, 1, 9_999, 1, 9_999, 1]);
});
