/** A change of the batch is no fix of a pipeline that does not fit its devices, unless it fits then. */
import { expect, test } from 'vitest';
import { analyse, fixesOf } from '../../support/analyse.ts';

const file = (nodes: number, optimizer: string) => `
import { llama2_70b } from "std:models"
import { dgx_h100 } from "std:clusters" with { nodes = ${nodes} }
pipeline train {
  model = llama2_70b  devices = dgx_h100  tensor = 4  sequence_parallel = ${nodes > 2}  data = ${nodes / 2}
  global_batch = ${4 * nodes}  stages = balance(4)  schedule = 1f1b  optimizer = ${optimizer}
}`;

const titles = (text: string): readonly string[] => fixesOf(analyse(text), 'schedule/bubble').map(({ title }) => title);

test('a bubble gets more samples where all devices fit', () => {
  expect(titles(file(8, 'megatron_bf16(shard = distributed)'))).toContainEqual(
    expect.stringMatching(/^Set global_batch to \d+: .*batch 32 → /u),
  );
});

test('and no more samples where a device is over its memory all the same', () => {
  const found = titles(file(2, 'adam_mixed'));
  expect(found).not.toEqual([]);
  // Other changes that only lessen what is missing are still offered.
  expect(found.join('\n')).toMatch(/still [\d.]+ [GM]iB over/u);
  for (const title of found) if (title.includes('still')) expect(title).not.toContain('batch');
});
