/** Memory of schedules without a pipeline, which have no bytes. */
import { expect, it } from 'vitest';
import { peakWords } from '../../../engine/analyze/figureWords.ts';
import { peakText } from '../../../engine/analyze/itemWords.ts';
import { unitOf } from '../../../engine/analyze/memoryWords.ts';
import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { figuresOf } from '../../../webview/session/figures.ts';
import { timelineSentence } from '../../../webview/session/shownTimeline.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { policyPlan } from '../schedule/plans.ts';

it.each([
  [4, true, '4 activations'],
  [1, true, '1 activation'],
  [0, true, '0 activations'],
  [4.5, true, '4.5 activations'],
  [4, undefined, '4 B'],
  [2 ** 30, false, '1 GiB'],
] as const)('%d with unit times %s is %s', (size, isUnit, words) => {
  expect(memoryAmount(size, isUnit)).toBe(words);
});

it.each([true, undefined])('the report and the preview count in the same unit, with unit times %s', (unitTimes) => {
  const { unitTimes: _, ...rest } = policyPlan('1f1b', 4, 8);
  const plan = {
    ...rest,
    ...(unitTimes === true ? { unitTimes } : {}),
    stages: rest.stages.map((stage) => ({
      ...stage,
      ...{ activation: 1, weights: 0, gradients: 0, optimizer: 0, workspace: 0, buffers: 0 },
    })),
  };
  const { run } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error('1F1B runs.');
  const [device] = plan.devices;
  const words = unitTimes === true ? '4 activations' : '4 B';
  expect(peakWords(run.report)?.startsWith(words)).toBe(true);
  const [first] = run.report.devices;
  expect(peakText(first, unitOf(plan), unitTimes)).toMatch(new RegExp(`^${words} of `));
  const picture = pictureOf({ plan }, run, 1);
  expect(figuresOf(plan, picture).find(({ key }) => key === 'peak')?.value).toBe(words);
  expect(timelineSentence({ plan, picture, chunk: new Uint8Array() })).toContain(`, peak ${words} on ${device.name}`);
});
