import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { frameworkBytes, workspaceBytes } from '../../../engine/costs/framework.ts';
import { planOf } from '../../support/resolve.ts';

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

it('workspaces are 32 MiB for each of two threads on Hopper and Blackwell, 8.125 MiB before, and as much for Transformer Engine', () => {
  const MiB = 2 ** 20;
  for (const family of ['hopper', 'blackwell'] as const) {
    expect(workspaceBytes(family, false)).toBe(64 * MiB);
    expect(workspaceBytes(family, true)).toBe(96 * MiB);
  }
  expect(workspaceBytes('ampere', false)).toBe(16.25 * MiB);
  expect(workspaceBytes('ampere', true)).toBe(20.25 * MiB);
});

it('devices of std:hardware have them as a part of their context, devices of a file have none', () => {
  const of = (device: string, optimizer: string): readonly unknown[] =>
    planOf(`
import { h100 } from "std:hardware"
device mine { memory = 80GiB  reserved = framework  compute = 900TFLOPS  efficiency = 50% }
cluster box { gpu[2] = ${device}  link = 300GB/s }
model m { sequence = 1024  layer block[4] = transformer(hidden = 1024, heads = 16) }
pipeline train { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  optimizer = ${optimizer} }`).devices.map(
      ({ workspaces, reserved }) => [workspaces, reserved / 2 ** 30],
    );
  expect(of('h100', 'adamw')).toEqual([
    [64 * 2 ** 20, 2],
    [64 * 2 ** 20, 2],
  ]);
  expect(of('h100', 'megatron_bf16')[0]).toEqual([96 * 2 ** 20, 2]);
  expect(of('h100', 'adamw  engine = megatron')[0]).toEqual([96 * 2 ** 20, 2]);
  expect(of('mine', 'megatron_bf16')[0]).toEqual([undefined, 2]);
});
