/** Weights that are gathered for each microbatch: what is offered instead is simulated, and fits. */
import { expect, test } from 'vitest';
import { analyse, fixesOf } from '../../support/analyse.ts';

const sharded = (memory: number, optimizer = 'adam_mixed(shard = fsdp)'): string => `
model m {
  sequence = 2048
  layer embed = embedding(vocab = 32000, hidden = 4096)
  layer block[16] = transformer(hidden = 4096, heads = 32, flash = true)
  layer head = lm_head(vocab = 32000, hidden = 4096)
}
device gpu { memory = ${memory}GiB  compute = 300TFLOPS  bandwidth = 2TB/s }
cluster box { gpu[2] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = box  data = 2  stages = balance(1)  microbatches = 8  schedule = 1f1b
  recompute = full  optimizer = ${optimizer}
}
`;
const titles = (text: string): readonly string[] => fixesOf(analyse(text), 'comm/exposed').map(({ title }) => title);
const starts = (all: readonly string[], words: string): boolean => all.some((title) => title.startsWith(words));

test('whole weights are offered where they fit', () => {
  const found = titles(sharded(200));
  expect(starts(found, 'Keep gathered weights until the update: iteration −')).toBe(true);
  expect(starts(found, 'Shard only the state of the optimizer: iteration −')).toBe(true);
  expect(starts(found, 'Exchange gradients once an iteration: iteration −')).toBe(true);
});

test('what runs out of memory is not offered', () => {
  const peak = (text: string) => analyse(text).pipelines[0].run?.report.devices[0].peak ?? Number.NaN;
  const need = (optimizer: string) => peak(sharded(200, optimizer)) / 2 ** 30;
  const [split, kept, state] = ['shard = fsdp', 'shard = fsdp, reshard = false', 'shard = zero1'].map((args) =>
    need(`adam_mixed(${args})`),
  );
  expect(split).toBeLessThan(Math.min(kept, state));
  const tight = titles(sharded((split + Math.min(kept, state)) / 2));
  expect(starts(tight, 'Keep gathered weights')).toBe(false);
  expect(starts(tight, 'Shard only the state')).toBe(false);
  const between = titles(sharded((kept + state) / 2));
  expect(starts(between, 'Keep gathered weights')).toBe(kept < state);
  expect(starts(between, 'Shard only the state')).toBe(state < kept);
});

test('a share that is kept is replaced, and what only sharded weights have is removed', () => {
  const text = sharded(200, 'adam_mixed(shard = fsdp, reshard = true)');
  const fix = fixesOf(analyse(text), 'comm/exposed').find(({ title }) => title.startsWith('Shard only the state'));
  expect(fix?.edits[0].text).toBe('adam_mixed(shard = zero1)');
});

test('gradients are exchanged once, or weights are kept, not both', () => {
  const text = sharded(200, 'adam_mixed(shard = fsdp, gradient_sync = last, prefetch = 2)');
  const fixes = fixesOf(analyse(text), 'comm/exposed');
  expect(
    starts(
      fixes.map(({ title }) => title),
      'Exchange gradients once',
    ),
  ).toBe(false);
  const kept = fixes.find(({ title }) => title.startsWith('Keep gathered weights'));
  expect(kept?.edits[0].text).toBe('adam_mixed(shard = fsdp, reshard = false)');
  const once = fixesOf(analyse(sharded(200)), 'comm/exposed').find(({ title }) =>
    title.startsWith('Exchange gradients once'),
  );
  expect(once?.edits[0].text).toBe('adam_mixed(shard = fsdp, gradient_sync = last)');
});
