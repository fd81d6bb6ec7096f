import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { randomOf } from '../../../engine/search/random.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { isPipeline, isPlan } from '../../../webview/session/incomingPlan.ts';
import { readMessage } from '../../../webview/session/incoming.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { simulateRows } from '../../../webview/worker/simulateRows.ts';
import { resolveText } from '../../support/resolve.ts';
import { diskHost } from '../../support/host.ts';
import { damage, type Json } from '../../support/damage.ts';
import { exampleText, exampleUri } from '../../support/example.ts';

const planOf = (name: string) => resolveText(exampleText(name), { uri: exampleUri(name), host: diskHost }).plan;
const copyOf = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** What the page shows first of a plan. */
function figuresOf(plan: PipelinePlan): readonly number[] {
  const found = simulateRows(plan);
  if ('faults' in found) return [];
  const { report } = found.run;
  const picture = pictureOf({ plan: found.plan }, found.run, 1);
  return [
    report.iteration,
    report.bubble.makespan,
    picture.columns.makespan,
    ...report.devices.map(({ peak }) => peak),
  ];
}

const names = ['quickstart', 'custom-schedule', 'data-parallel', 'systems/hetpipe', 'systems/pipefill', 'offload'];

describe.each(names.map((name, index) => [name, index] as const))('broken plans of %s', (name, index) => {
  test('are refused, or have a picture whose figures are numbers', () => {
    const random = randomOf(index + 100);
    const whole = planOf(`${name}.pipe`);
    let refused = 0;
    for (let run = 0; run < 100; run += 1) {
      const plan = copyOf(whole);
      damage(plan, random);
      if (!isPlan(plan)) {
        refused += 1;
        continue;
      }
      for (const pipeline of plan.pipelines) for (const value of figuresOf(pipeline)) expect(value).not.toBeNaN();
    }
    expect(refused).toBeGreaterThan(20);
    expect(refused).toBeLessThan(95);
  });

  test('without one of its figures are refused', () => {
    const [whole] = planOf(`${name}.pipe`).pipelines;
    for (const part of ['stages', 'devices', 'edges', 'routes', 'step'] as const) {
      const [first] = whole[part];
      for (const [key, value] of Object.entries(first ?? {})) {
        if (typeof value !== 'number') continue;
        for (const other of ['x', null]) {
          const [, ...rest] = whole[part];
          expect(isPipeline(copyOf({ ...whole, [part]: [{ ...first, [key]: other }, ...rest] })), key).toBe(false);
        }
      }
    }
    expect(isPipeline(copyOf(whole))).toBe(true);
  });
});

test('a message with such a plan is none', () => {
  const message = {
    type: 'plan',
    uri: 'file:///a.pipe',
    title: 'a.pipe',
    version: 1,
    overrides: {},
    options: defaultOptions,
  };
  const plan = planOf('quickstart.pipe');
  expect(readMessage({ ...message, plan: copyOf(plan) })).toBeDefined();
  const [pipeline] = plan.pipelines;
  const step = [...pipeline.step.slice(1), {}];
  expect(readMessage({ ...message, plan: copyOf({ ...plan, pipelines: [{ ...pipeline, step }] }) })).toBeUndefined();
});
