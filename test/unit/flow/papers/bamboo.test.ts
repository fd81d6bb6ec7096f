/** Bamboo (arXiv:2204.12013): where its code, uclasystem/bamboo, puts the forwards of the next stage. */
import { describe, expect, it } from 'vitest';
import { unitRun } from './unitRun.ts';

const shapes = [
  [2, 1],
  [2, 6],
  [3, 4],
  [4, 3],
  [4, 8],
  [6, 9],
] as const;

/** 1F1B in steps: F(s, j) in step 2j + s, B(s, j) in step 2j + 2p − 1 − s. */
function stepsOf(stage: number, devices: number, microbatches: number): readonly (readonly [string, number])[] {
  const steps: [string, number][] = [];
  for (let step = 0; step < 2 * (microbatches + devices - 1); step += 1) {
    for (let j = 0; j < microbatches; j += 1) {
      if (2 * j + stage === step) steps.push([`${stage}F${j}`, step]);
      if (2 * j + 2 * devices - 1 - stage === step) steps.push([`${stage}B${j}`, step]);
    }
  }
  return steps;
}

/**
 * The steps of a stage and of the next one side by side: forwards of the next stage are kept back, in order, and the oldest one runs
 * each time before the device receives a gradient.
 */
function expected(device: number, devices: number, microbatches: number): readonly string[] {
  const next = new Map(stepsOf(device + 1, devices, microbatches).map(([name, step]) => [step, name]));
  const waiting: string[] = [];
  const row: string[] = [];
  let passed = 0;
  for (const [name, step] of stepsOf(device, devices, microbatches)) {
    for (; passed < step; passed += 1) {
      const kept = next.get(passed);
      if (kept?.includes('F') === true) waiting.push(kept);
    }
    if (name.includes('B')) row.push(...waiting.splice(0, 1));
    row.push(name);
  }
  return row;
}

describe.each(shapes)('%i devices, %i microbatches', (devices, microbatches) => {
  const { order, run, iteration } = unitRun('schedules/bamboo.pipe', { devices, microbatches, use: 'bamboo' });

  it('has the order of the code on all devices but the last', () => {
    order.slice(0, -1).forEach((row, device) => expect(row).toEqual(expected(device, devices, microbatches)));
  });

  it('runs the forwards of stage 0 on the last device', () => {
    const spare = order[devices - 1].filter((name) => name.startsWith('0'));
    expect(spare).toEqual(Array.from({ length: microbatches }, (_, j) => `0F${j}`));
  });

  it('takes 4 of each microbatch on every device, and the fill and drain of 1F1B', () => {
    for (const { busy } of run.report.devices) expect(busy).toBeCloseTo(4e-3 * microbatches, 9);
    expect(iteration).toBe(4 * microbatches + 3 * (devices - 1));
  });
});
