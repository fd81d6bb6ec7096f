/** Layers whose weights are gathered ahead: seconds and bytes by hand. */
import { expect, test } from 'vitest';
import { analyse, runOf } from '../../../support/analyse.ts';

/** A gather and a scatter of a layer take 1 ms: a half of 20 MB over 10 GB/s. */
const file = (more: string): string => `
model toy { layer block[4] { forward = 3ms  backward = 6ms  weights = 20MB } }
device gpu { memory = 80GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline p { model = toy  devices = pair  data = 2  stages = balance(1)  microbatches = 3  schedule = 1f1b  optimizer = adam_mixed(shard = fsdp${more}) }
`;
const found = (more: string) => {
  const { run, plan } = runOf(file(more));
  return { ms: 1e3 * run.report.iteration, stage: plan.stages[0] };
};

test('each pass of a layer waits for its own gather, and backwards still hide scatters', () => {
  // At both ends of an iteration a gather and a scatter have no pass that hides them.
  expect(found('').ms).toBeCloseTo(3 * 4 * (3 + 6) + 1 + 1, 6);
  expect(found(', prefetch = 1').ms).toBe(found('').ms);
  expect(found(', prefetch = 0').ms).toBeCloseTo(3 * 4 * (1 + 3 + 1 + 6) + 1, 6);
  // Layers are alike, so that one ahead hides all.
  expect(found(', prefetch = 3').ms).toBe(found('').ms);
});

test('what is scattered once comes after the last backward', () => {
  const last = found(', prefetch = 0, gradient_sync = last').ms;
  // A scatter of the front layer comes after its backward.
  expect(last).toBeCloseTo(3 * 4 * (1 + 3 + 1 + 6) + 1, 6);
});

test('each layer ahead is in memory', () => {
  const bytes = ['0', '1', '2', '3', '9'].map((count) => found(`, prefetch = ${count}`).stage.workspace);
  // A backward has the gradients of its layer and of the one behind it, 2 bytes as the weights. Behind the last of four there is none.
  expect(bytes).toEqual([20e6 + 40e6, 40e6 + 40e6, 60e6 + 40e6, 80e6 + 20e6, 80e6 + 20e6]);
});

test('the traffic is the same', () => {
  const bytes = (more: string) => found(more).stage.traffic?.weights?.bytes;
  expect(bytes(', prefetch = 0')).toBe(bytes(''));
  expect(analyse(file(', prefetch = 1.5')).findings.map(({ code }) => code)).toContain('value/range');
});
