/** Calls of several lanes over shared links: closed forms, and a plain simulator that shares no code with the engine. */
import { describe, expect, test } from 'vitest';
import type { CallPass, LaneCall, TimedCall } from '../../../engine/values/exchangePlan.ts';
import { type LaneProblem, runLane } from '../../../engine/simulate/exchange/lane.ts';
import { callNetwork } from '../../../engine/simulate/sharing/callNetwork.ts';
import { jointRuns, runLanes } from '../../../engine/simulate/sharing/lanes.ts';
import { linkSecondsOfLane } from '../../../engine/simulate/sharing/linkSeconds.ts';
import { sharedStepEnds } from '../../../engine/simulate/sharing/steps.ts';
import * as fc from '../../support/property.ts';
import { aChain } from './arbitraries.ts';
import { problemOf } from './chains.ts';
import { type PlainCall, plainEnds } from './plainLinks.ts';

/** One flow over links, at a rate. */
const flow = (rate: number, ...links: readonly number[]): CallPass => ({
  ...{ part: 1, rate },
  flows: links.map((link) => ({ link, count: 1 })),
});

/** Tensors that get ready at given seconds, all sent with one kind of call. */
function lane(tensors: readonly { readonly ready: number; readonly bytes: number }[], call: LaneCall): LaneProblem {
  return {
    // Backwards reach the last tensor first.
    tensors: tensors.toReversed().map(({ bytes }) => ({ stage: 0, bytes, call: 0 })),
    calls: [call],
    rule: {
      ...{ order: 'ready', partition: 'whole', credit: 'unlimited', strict: false, ack: 0 },
      ...{ earlyStart: false, halves: 'together' },
    },
    closes: new Uint8Array(tensors.length).fill(1),
    ready: Float64Array.from(tensors.toReversed(), ({ ready }) => ready),
    tail: new Float64Array(tensors.length),
    origin: 0,
  };
}

/** `fixed` seconds, then one byte takes 1 / rate. */
const callOver = (rate: number, links: readonly number[], fixed = 0): LaneCall => ({
  name: 'ring',
  push: { kind: 'linear', fixed, perByte: 1 / rate },
  links: { push: [flow(rate, ...links)] },
});

const endsOf = (problems: readonly LaneProblem[], links: readonly number[]): number[][] =>
  runLanes(problems, Float64Array.from(links)).map(({ sent }) => [...sent.end.subarray(0, sent.length)]);

describe('closed forms', () => {
  test('two equal calls at once take twice the time', () => {
    const each = lane([{ ready: 1, bytes: 20 }], callOver(10, [0]));
    expect(endsOf([each, { ...each, calls: [callOver(10, [0])] }], [10])).toEqual([[5], [5]]);
  });
  test('a late call shares only while both are in flight', () => {
    // Alone until 2 s; then both have half. The first ends at 6 s, and the second has 10 of 30 bytes left.
    const first = lane([{ ready: 0, bytes: 40 }], callOver(10, [0]));
    const second = lane([{ ready: 2, bytes: 30 }], callOver(10, [0]));
    expect(endsOf([first, second], [10])).toEqual([[6], [7]]);
  });
  test('latencies take no part of a link', () => {
    // Bytes of the second begin at 3 s, when the first is over.
    const first = lane([{ ready: 0, bytes: 30 }], callOver(10, [0]));
    const second = lane([{ ready: 1, bytes: 10 }], callOver(10, [0], 2));
    expect(endsOf([first, second], [10])).toEqual([[3], [4]]);
    // With 1 s of latency they meet for 1 s: 5 of 10 bytes each.
    const sooner = lane([{ ready: 1, bytes: 10 }], callOver(10, [0], 1));
    expect(endsOf([first, sooner], [10])).toEqual([[4], [4]]);
  });
  test('rates are max-min fair over two links', () => {
    // Link 1 gives 2 to each of b and c, and a takes the 8 that b leaves of link 0. At 2 s b is alone.
    const a = lane([{ ready: 0, bytes: 16 }], callOver(10, [0]));
    const b = lane([{ ready: 0, bytes: 8 }], callOver(4, [0, 1]));
    const c = lane([{ ready: 0, bytes: 4 }], callOver(4, [1]));
    expect(endsOf([a, b, c], [10, 4])).toEqual([[2], [3], [2]]);
  });
  test('a call has as much of a link as it has flows', () => {
    // Three flows of one call and one of the other: 2.5 each.
    const three = callOver(10 / 3, [0]);
    const rings: LaneCall = { ...three, links: { push: [{ part: 1, rate: 10 / 3, flows: [{ link: 0, count: 3 }] }] } };
    const ends = endsOf(
      [lane([{ ready: 0, bytes: 5 }], rings), lane([{ ready: 0, bytes: 5 }], callOver(10, [0]))],
      [10],
    );
    expect(ends[0][0]).toBeCloseTo(2, 12);
    expect(ends[1][0]).toBeCloseTo(2, 12);
  });
  test('passes use links one after the other', () => {
    // A quarter inside the node, half between nodes, a quarter inside: 1 s, 2 s, 1 s alone.
    const inside: CallPass = { part: 0.25, rate: 10, flows: [] };
    const between = (): CallPass => ({ ...flow(10, 0), part: 0.5 });
    const levels = (): LaneCall => ({
      ...callOver(10, [0]),
      links: { push: [inside, between(), inside] },
    });
    const both = [lane([{ ready: 0, bytes: 40 }], levels()), lane([{ ready: 0, bytes: 40 }], levels())];
    expect(endsOf(both, [10])).toEqual([[6], [6]]);
    // The second is between nodes when the first is inside again.
    expect(endsOf([both[0], lane([{ ready: 2, bytes: 40 }], levels())], [10])).toEqual([[4], [6]]);
  });
});

test('a lane that meets no other keeps its times, bit for bit', () => {
  const first = lane(
    [
      { ready: 0.1, bytes: 3 },
      { ready: 0.2, bytes: 7 },
    ],
    callOver(3, [0], 0.3),
  );
  const later = lane([{ ready: 5.7, bytes: 1 }], callOver(3, [0], 0.3));
  const runs = runLanes([first, later], Float64Array.of(3));
  [first, later].forEach((problem, index) => expect(runs[index]).toEqual(runLane(problem)));
  // They meet, but the link has room for both.
  const both = runLanes([first, { ...later, ready: first.ready.slice(0, 1) }], Float64Array.of(6));
  expect(both[0]).toEqual(runLane(first));
});

test('event by event, a lane alone has the times of the lane', () => {
  fc.assert(
    fc.property(aChain, ({ layers, call, rule }) => {
      const problem = problemOf(layers, call, rule);
      const alone = runLane(problem);
      const [run] = jointRuns([problem], callNetwork(new Float64Array(0), []));
      alone.arrival.forEach((at, tensor) => expect(run.arrival[tensor]).toBeCloseTo(at, 9));
      const calls = ({ sent }: typeof run) => {
        let [count, overhead] = [0, 0];
        for (let row = 0; row < sent.length; row += 1) {
          count += sent.count[row];
          overhead += sent.count[row] * sent.overhead[row];
        }
        return { count, overhead };
      };
      expect(calls(run)).toEqual(calls(alone));
      const busy = ({ sent, back }: typeof run) =>
        [sent, ...(back === undefined ? [] : [back])].map(({ start, end, length }) =>
          start.subarray(0, length).reduce((sum, from, row) => sum + end[row] - from, 0),
        );
      busy(alone).forEach((seconds, leg) => expect(busy(run)[leg]).toBeCloseTo(seconds, 9));
    }),
    { numRuns: 500 },
  );
});

test('pulls that follow all pushes do so event by event too', () => {
  const layer = { forward: 1, backward: 1, bytes: 2 };
  const cost = { kind: 'linear', fixed: 0, perByte: 1 } as const;
  for (const oneLane of [true, undefined]) {
    const call: LaneCall = { name: 'ps', push: cost, pull: cost, ...(oneLane === true ? { oneLane } : {}) };
    const problem = { ...problemOf([layer, layer, layer], call, { order: 'tao' }), pulls: Int32Array.of(1, 0, 2) };
    const [run] = jointRuns([problem], callNetwork(new Float64Array(0), []));
    expect([...run.arrival]).toEqual([...runLane(problem).arrival]);
  }
});

describe('exchanges that no rule orders', () => {
  const call = (seconds: number, pass?: CallPass): TimedCall => ({
    ...{ seconds, overhead: 0, passes: pass === undefined ? [] : [pass] },
  });
  const card = (): CallPass => flow(10, 0);
  test('a device has one at a time, in the order in which they get ready, and then what is in no bucket', () => {
    const times = sharedStepEnds({
      links: Float64Array.of(10),
      buckets: [
        // Devices 0 and 1 from 1 s on, at half the rate of the card while device 3 sends from 2 to 4 s: until 5 s.
        { index: 2, ready: 1, calls: [call(3, card())], devices: [0, 1] },
        { index: 1, ready: 2, calls: [call(1, card())], devices: [3] },
        // Waits for device 1 until 5 s, and keeps device 2 from the next one.
        { index: 0, ready: 3, calls: [call(1)], devices: [1, 2] },
        { index: 3, ready: 3.5, calls: [call(1)], devices: [2] },
      ],
      ready: Float64Array.of(0, 0, 0, 0),
      // Device 2 exchanges for 2 s with device 0, and for 0.5 s more with others.
      sync: [[call(2)], [], [call(2), call(0.5)], []],
      holders: Int32Array.of(0, 1, 0, 3),
    });
    expect([...(times?.bucketEnd ?? [])]).toEqual([6, 4, 5, 7]);
    expect([...(times?.exchanged ?? [])]).toEqual([9, 6, 9.5, 4]);
    expect([...(times?.slowed ?? [])]).toEqual([1, 1, 0, 1]);
  });
});

const aPlainLane = fc.record({
  rate: fc.integer({ min: 1, max: 8 }),
  links: fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 2 }),
  fixed: fc.integer({ min: 0, max: 2 }),
  tensors: fc.array(fc.record({ gap: fc.integer({ min: 0, max: 4 }), bytes: fc.integer({ min: 1, max: 20 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

test('random lanes have the times of the plain simulator, and no link is busy for less than its bytes take', () => {
  fc.assert(
    fc.property(
      fc.array(aPlainLane, { minLength: 2, maxLength: 4 }),
      fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 8, max: 12 }))),
      (lanes, links) => {
        const made = lanes.map(({ tensors, ...rest }) => {
          let now = 0;
          return { ...rest, tensors: tensors.map(({ gap, bytes }) => ({ ready: (now += gap), bytes })) };
        });
        const problems = made.map(({ rate, links: on, fixed, tensors }) => lane(tensors, callOver(rate, on, fixed)));
        const plain = made.map(({ rate, links: on, fixed, tensors }) =>
          tensors.map(({ ready, bytes }): PlainCall => ({ ready, bytes, fixed, rate, links: on })),
        );
        const expected = plainEnds(plain, links);
        const ends = endsOf(problems, links);
        ends.forEach((each, index) => each.forEach((end, call) => expect(end).toBeCloseTo(expected[index][call], 6)));
        const seconds = problems.map((problem) => linkSecondsOfLane(Float64Array.from(links), problem, false));
        const last = Math.max(...ends.flat());
        links.forEach((_, link) =>
          expect(last).toBeGreaterThanOrEqual(seconds.reduce((sum, each) => sum + each[link], 0) - 1e-9),
        );
      },
    ),
    { numRuns: 400 },
  );
});
