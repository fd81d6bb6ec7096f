/** The figures of timelines side by side, as the worker finds them. */
import { expect, it } from 'vitest';
import type { GivenOrder } from '../../../engine/policies/searched/given.ts';
import { memoryTrack } from '../../../engine/simulate/memory.ts';
import { askedOrder, shorterOrder } from '../../../engine/advice/shorterOrder.ts';
import { paletteFrom, themeFrom } from '../../../webview/view/scene/theme.ts';
import { comparison } from '../../../webview/worker/comparison.ts';
import { analyse, runOf } from '../../support/analyse.ts';
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

it('takes the order that it is given, and searches no other', () => {
  const [pipeline] = analyse(
    pipe({ memory: '16GiB', pipeline: '  microbatches = 8\n  stages = balance(4)\n  schedule = gpipe' }),
  ).pipelines;
  const asked = askedOrder(pipeline, 1);
  if ('reason' in asked) throw new Error(asked.reason);
  // The first order of the search, which a longer search shortens.
  const steps = shorterOrder.steps(asked);
  const points: { readonly iteration: number; readonly order: GivenOrder }[] = [];
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    const iteration = step.value?.points.at(-1)?.iteration;
    if (step.value !== undefined && iteration !== undefined) points.push({ iteration, order: step.value.order });
  }
  const [first] = points;
  const last = points.at(-1);
  expect(first?.iteration).toBeGreaterThan(Number(last?.iteration));
  const figures = (order?: GivenOrder) =>
    comparison().enter({
      ...{ type: 'enter', id: 1, plan: { ...asked.plan }, kept: false },
      ...(order === undefined ? {} : { order }),
    });
  expect(figures(first?.order)).toMatchObject({ iteration: first?.iteration });
  expect(figures()).toMatchObject({ iteration: last?.iteration });
  // Words that are no order of the plan are not taken.
  expect(figures({ ...(first as { order: GivenOrder }).order, words: new Uint8Array(3) })).toMatchObject({
    iteration: last?.iteration,
  });
});

const palette = paletteFrom(
  themeFrom('dark', () => ''),
  'operation',
  new Uint8Array(0),
);
const strip = (id: number, devices?: readonly number[]) => ({
  ...{ id, width: 300, height: 8 * (devices?.length ?? 4), t0: 0, t1: 0.3 },
  ...(devices === undefined ? {} : { devices }),
});

it('draws the devices that are asked for, in their order', () => {
  const compared = comparison();
  compared.enter({ type: 'enter', id: 1, plan: runOf(file('16GiB')).plan, kept: true });
  const pixels = (devices: readonly number[]) =>
    new Uint32Array(compared.draw(strip(1, devices), palette)?.buffer ?? new ArrayBuffer(0));
  const [first, third] = [pixels([0]), pixels([2])];
  expect(first).toHaveLength(300 * 8);
  expect(new Set(first).size).toBeGreaterThan(2);
  expect(third).not.toEqual(first);
  expect(pixels([2, 0])).toEqual(Uint32Array.from([...third, ...first]));
});

it('pairs the operations of two timelines, and forgets one that nobody compares any more', () => {
  const compared = comparison();
  const { plan } = runOf(file('16GiB'));
  for (const id of [1, 2]) compared.enter({ type: 'enter', id, plan, kept: true });
  const rows = plan.devices.map(({ name }, device) => ({ name, upper: device, lower: device }));
  const pair = () => compared.pair({ type: 'pair', upper: 1, lower: 2, rows });
  expect(pair()?.partners.upper).toHaveLength(64);
  compared.leave([2]);
  expect(pair()).toBeUndefined();
  expect(compared.draw(strip(2), palette)).toBeUndefined();
  expect(compared.behind(2, 1)).toBeUndefined();
});
