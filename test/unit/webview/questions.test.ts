import { expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import type { MemoryStack } from '../../../engine/simulate/memoryStack.ts';
import { gapAt } from '../../../webview/picture/blocks.ts';
import { shortName } from '../../../webview/picture/describe.ts';
import { questions } from '../../../webview/session/questions.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import type { ToWorker } from '../../../webview/worker/messages.ts';
import { answerTo } from '../../../webview/worker/questions.ts';
import { optimizerWord } from '../../../webview/picture/columns.ts';
import { analyseExample } from '../../support/analyse.ts';
import { policy, recipePlan } from '../support/plans.ts';

it('names the blocks of the chain of a gap, also behind a step at the end of a device', () => {
  const [evaluation] = analyseExample('systems/gradient_overlap.pipe').pipelines;
  const { plan, run } = evaluation;
  if (run === undefined) throw new Error('no run');
  const picture = pictureOf(evaluation, run, 1);
  const { columns } = picture;
  const asked = { plan, timeline: run.timeline, columns };
  const start = columns.start[columns.offsets[1]];
  const gap = gapAt(picture, 1, start / 2);
  if (gap === undefined) throw new Error('no gap');
  const answer = answerTo(asked, { kind: 'why', gap });
  if (answer?.kind !== 'why') throw new Error('no answer');
  expect(answer.why.steps.map(({ block }) => shortName(plan, picture, block))).toEqual(['0F0']);
  expect(answer.why).toMatchObject({ device: 1, from: 0, to: start });
  const end = gapAt(picture, 1, columns.makespan * 0.999999);
  if (end === undefined) throw new Error('no gap at the end');
  const last = answerTo(asked, { kind: 'why', gap: end });
  if (last?.kind !== 'why') throw new Error('no answer');
  for (const { block, position } of last.why.steps) expect(block < 0).toBe(position < 0);
});

it('explains the time in which a device still sends before its step', () => {
  const plan: PipelinePlan = {
    ...recipePlan({ devices: 2, microbatches: 1, schedule: policy('1f1b'), latency: 1, occupancy: 1, optimizer: 2 }),
    transfer: { kind: 'rendezvous', batched: 'none' },
  };
  const evaluation = evaluate(plan, defaultOptions);
  if (evaluation.run === undefined) throw new Error('no run');
  const { columns } = pictureOf(evaluation, evaluation.run, 1);
  const step = columns.offsets[2] - 1;
  expect(columns.word[step]).toBe(optimizerWord);
  const gap = { device: 1, from: columns.end[step - 1], to: columns.start[step], before: step };
  expect(gap.to - gap.from).toBe(2);
  const answer = answerTo({ plan, timeline: evaluation.run.timeline, columns }, { kind: 'why', gap });
  if (answer?.kind !== 'why') throw new Error('no answer');
  expect(answer.why.sentences[0].before).toBe('gpu[1] has no operation left, but it has still to send.');
  expect(answer.why.steps[0]).toMatchObject({ reason: 'result', blocks: true, block: step - 1 });
});

it('answers nothing about a device that the timeline lacks', () => {
  const [{ plan, run }] = analyseExample('quickstart.pipe').pipelines;
  if (run === undefined) throw new Error('no run');
  const { columns } = pictureOf({ plan }, run, 1);
  const asked = { plan, timeline: run.timeline, columns };
  expect(answerTo(asked, { kind: 'stack', device: 4 })).toBeUndefined();
  expect(answerTo(asked, { kind: 'why', gap: { device: 4, from: 0, to: 1, before: -1 } })).toBeUndefined();
  expect(answerTo(asked, { kind: 'stack', device: 3 })?.kind).toBe('stack');
});

it('gives an answer to the newest question of its kind only', () => {
  const sent: ToWorker[] = [];
  const asked = questions((message) => void sent.push(message));
  const taken: number[] = [];
  const stack = { device: 1 } as MemoryStack;
  asked.ask(7, { kind: 'stack', device: 0 }, () => taken.push(0));
  asked.ask(7, { kind: 'stack', device: 1 }, (answer) => taken.push(answer.stack.device));
  asked.answered(1, { kind: 'stack', stack });
  expect(taken).toEqual([]);
  asked.answered(2, { kind: 'stack', stack });
  expect(taken).toEqual([1]);
  asked.ask(7, { kind: 'stack', device: 2 }, () => taken.push(2));
  asked.drop('stack');
  asked.answered(3, { kind: 'stack', stack });
  expect(taken).toEqual([1]);
  expect(sent.map((message) => message.type === 'ask' && message.generation)).toEqual([7, 7, 7]);
});
