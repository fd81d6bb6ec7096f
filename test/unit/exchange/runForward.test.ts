/** The first forward of a stage against a device that takes, whenever it is free, what it may do next. Whole seconds. */
import { describe, expect, test } from 'vitest';
import { type NeededTensor, runForward } from '../../../engine/simulate/exchange/runForward.ts';
import * as fc from '../../support/property.ts';
import { plainForward, type PlainForwardLayer } from './plainForward.ts';

const small = (most: number) => fc.integer({ min: 0, max: most });
const aStage = fc.record({
  layers: fc.array(fc.record({ forward: small(4), step: small(3), there: small(20) }), { minLength: 1, maxLength: 6 }),
  from: small(10),
  input: fc.oneof(fc.constant(-Infinity), small(20)),
});

function forwardOf(layers: readonly PlainForwardLayer[]): Parameters<typeof runForward>[0] {
  let before = 0;
  const tensors = layers.map(({ forward, step }, tensor): NeededTensor => {
    const needed = { lane: 0, tensor, before, step };
    before += forward;
    return needed;
  });
  return { stage: 0, device: 0, position: 0, seconds: before, tensors };
}
type Rest = Parameters<typeof runForward> extends [unknown, unknown, ...infer R] ? R : never;
const endOf = (layers: readonly PlainForwardLayer[], ...rest: Rest): number => {
  const forward = forwardOf(layers);
  const arrival = [Float64Array.from(layers, ({ there }) => there)];
  return runForward(forward, arrival, ...rest) + forward.seconds;
};

describe('a first forward', () => {
  test('ends when the plain way ends, whatever the device does first', () => {
    fc.assert(
      fc.property(aStage, fc.infiniteStream(fc.boolean()), ({ layers, ...times }, choices) => {
        const end = endOf(layers, times);
        expect(end).toBe(plainForward(layers, times));
        expect(end).toBe(plainForward(layers, times, () => choices.next().value === true));
      }),
      { numRuns: 1000 },
    );
  });
  test('works, steps and waits from the moment in which it has its input', () => {
    fc.assert(
      fc.property(aStage, ({ layers, ...times }) => {
        let waits = 0;
        const end = endOf(layers, times, {
          reached: () => undefined,
          waited: ({ tensor }, from, to) => {
            expect(to).toBe(layers[tensor].there);
            expect(from).toBeGreaterThanOrEqual(Math.max(times.from, times.input));
            waits += to - from;
          },
        });
        const work = layers.reduce((sum, { forward, step }) => sum + forward + step, 0);
        const begin = Math.max(times.from, times.input);
        // Steps before its input is there are no part of that.
        expect(end - waits).toBeLessThanOrEqual(begin + work);
        if (times.input <= times.from) expect(end - waits).toBe(begin + work);
      }),
      { numRuns: 500 },
    );
  });
  test('is late if a tensor is there later than it says', () => {
    fc.assert(
      fc.property(aStage, small(6), ({ layers, ...times }, chosen) => {
        const at = chosen % layers.length;
        const deadlines: number[] = [];
        let waits = 0;
        const end = endOf(layers, times, {
          reached: ({ tensor }, time) => {
            deadlines[tensor] = time;
          },
          waited: () => {
            waits += 1;
          },
        });
        const deadline = deadlines[at];
        const withThere = (there: number): number => {
          const changed = layers.map((layer, each) => (each === at ? { ...layer, there } : layer));
          return endOf(changed, times);
        };
        // It may be there at that time, or it is late already.
        expect(withThere(Math.max(deadline, layers[at].there))).toBe(end);
        // Without a wait behind it that hides the delay, a second more is too late.
        if (waits === 0) expect(withThere(deadline + 1)).toBeGreaterThan(end);
      }),
      { numRuns: 1000 },
    );
  });
});
