import { expect, test } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { devicesText, memoryText } from '../../../server/hover/memory.ts';
import { recipePlan, policy } from '../support/plans.ts';

const MiB = 2 ** 20;

function reportOf(plan: PipelinePlan) {
  const { run } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error('does not run');
  return run.report;
}

test('what one microbatch leaves is told by parts of the layers, where they are known', () => {
  const activationParts = { attention: 3 * MiB, scores: 2 * MiB, dropout: 0, norms: MiB };
  const stage = { activation: 6 * MiB, activationParts };
  const plan = recipePlan({ devices: 1, microbatches: 2, schedule: policy('gpipe'), stage, memory: 48 * MiB });
  const [device] = reportOf(plan).devices;
  const text = memoryText(plan, device);
  expect(text).toContain('One microbatch of s0 keeps attention 3 MiB, scores 2 MiB and norms 1 MiB.');
  expect(text).toContain('| activations | 12 MiB | 25 % | 2 × 6 MiB |');
  expect(text).toContain('| **left** | 36 MiB | 75 % |  |');
});

test('a guest among the activations is told by its home', () => {
  const plan = recipePlan({
    devices: 4,
    microbatches: 12,
    schedule: policy('bpipe'),
    activation: MiB,
    occupancy: 0.25,
  });
  // Where transfers are slow too, a device of p holds at most ⌈(p + 2) / 2⌉: one of its own here, and two of the first.
  expect(memoryText(plan, reportOf(plan).devices[3])).toMatch(/activations of s0 for gpu\[0\] \| 2 MiB/);
});

test('of many devices eight are listed, and the fullest is told in full', () => {
  const plan = recipePlan({
    devices: 12,
    microbatches: 12,
    schedule: policy('1f1b'),
    activation: MiB,
    memory: 24 * MiB,
  });
  const text = devicesText(plan, reportOf(plan));
  expect(text).toContain('| gpu[7]: s7 | 5 MiB | 20.8 % | 19 MiB left |');
  expect(text).not.toContain('gpu[8]');
  expect(text).toContain('And 4 devices more.');
  expect(text).toContain('gpu[0] peaks at 12 MiB of 24 MiB at 12 s (0F11), 12 microbatches in flight:');
});

test('the limit of a device is what it has without what is reserved, and both are told', () => {
  const plan = recipePlan({ devices: 1, microbatches: 2, schedule: policy('gpipe'), activation: 6 * MiB });
  const device = { ...plan.devices[0], memory: 12 * MiB, reserved: 4 * MiB };
  const reserving = { ...plan, devices: [device] };
  const text = memoryText(reserving, reportOf(reserving).devices[0]);
  expect(text).toContain('gpu[0] peaks at 12 MiB of 8 MiB at 2 s');
  expect(text).toContain('| activations | 12 MiB | 150 % | 2 × 6 MiB |');
  expect(text).toContain('| **over** | 4 MiB | 50 % |  |');
  expect(text).toContain('Of its 12 MiB, 4 MiB are reserved.');
  expect(devicesText(reserving, reportOf(reserving))).toContain('| gpu[0]: s0 | 12 MiB | 150 % | 4 MiB over |');
});

test('the fullest device is the one with the least of its memory left over, not the one that holds most', () => {
  const plan = recipePlan({ devices: 3, microbatches: 3, schedule: policy('1f1b'), activation: MiB });
  const memory = [30, 2.5, 20].map((size) => size * MiB);
  const uneven = { ...plan, devices: plan.devices.map((device, index) => ({ ...device, memory: memory[index] })) };
  expect(devicesText(uneven, reportOf(uneven))).toContain('gpu[1] peaks at 2 MiB of 2.5 MiB');
});
