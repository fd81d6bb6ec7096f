/** The figures of timelines side by side, as the worker finds them. */
import { expect, it } from 'vitest';
import { memoryTrack } from '../../../engine/simulate/memory.ts';
import { comparison } from '../../../webview/worker/comparison.ts';
import { runOf } from '../../support/analyse.ts';
import { pipe } from '../fixes/file.ts';

const file = (memory: string) =>
  pipe({ memory, pipeline: '  microbatches = 8\n  stages = balance(4)\n  schedule = gpipe' });

it('says when the first device is over its memory, and nothing where all fit', () => {
  const { plan, run } = runOf(file('6GiB'));
  const over = plan.devices.flatMap(({ memory, reserved }, device) => {
    const { at, bytes } = memoryTrack(plan, run.timeline, device);
    return [...at].filter((_, step) => bytes[step] > memory - reserved).slice(0, 1);
  });
  // The devices fill up one after another.
  expect(new Set(over).size).toBe(4);
  const compared = comparison();
  expect(compared.enter({ type: 'enter', id: 1, plan, kept: true })).toMatchObject({
    overAt: Math.min(...over),
    fits: false,
  });
  const roomy = compared.enter({ type: 'enter', id: 2, plan: runOf(file('16GiB')).plan, kept: true });
  expect(roomy).toMatchObject({ fits: true });
  expect(roomy).not.toHaveProperty('overAt');
});
