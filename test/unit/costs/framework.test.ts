import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { frameworkBytes } from '../../../engine/costs/framework.ts';

const GiB = 2 ** 30;
const settings = defaultOptions.memory;
const alone = { pipeline: false, tensor: 1, context: 1, data: 1, expert: 1 };

describe('what a framework holds', () => {
  it('is a context of 1.5 GiB on a device by itself', () => {
    expect(frameworkBytes(alone, settings)).toEqual({ context: 1.5 * GiB, communicators: 0, groups: 0 });
  });

  it.each([
    [{ pipeline: true }, 1],
    [{ tensor: 8 }, 1],
    [{ data: 4 }, 1],
    [{ expert: 8 }, 1],
    // Context ranks talk among themselves, and reduce gradients with the data ranks.
    [{ context: 2 }, 2],
    [{ context: 2, data: 4 }, 2],
    [{ pipeline: true, tensor: 2 }, 2],
    [{ pipeline: true, tensor: 2, data: 2 }, 3],
  ])('has half a GiB more for each group: %o', (groups, count) => {
    expect(frameworkBytes({ ...alone, ...groups }, settings)).toEqual({
      context: 1.5 * GiB,
      communicators: (count / 2) * GiB,
      groups: count,
    });
  });

  it('is 3 GiB at most', () => {
    const all = frameworkBytes({ pipeline: true, tensor: 2, context: 2, data: 2, expert: 2 }, settings);
    expect(all).toEqual({ context: 1.5 * GiB, communicators: 1.5 * GiB, groups: 5 });
  });

  it('is never over the most that is set, whatever the sizes', () => {
    const size = fc.double({ min: 0, max: 1e13, noNaN: true });
    const ranks = fc.integer({ min: 1, max: 64 });
    fc.assert(
      fc.property(
        fc.record({ pipeline: fc.boolean(), tensor: ranks, context: ranks, data: ranks, expert: ranks }),
        fc.record({ context: size, communicator: size, reservedMost: size }),
        (groups, sizes) => {
          const { context, communicators } = frameworkBytes(groups, sizes);
          expect(context).toBeGreaterThanOrEqual(0);
          expect(communicators).toBeGreaterThanOrEqual(0);
          expect(context + communicators).toBeLessThanOrEqual(sizes.reservedMost * (1 + 1e-15));
        },
      ),
    );
  });
});
