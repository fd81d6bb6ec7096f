import { expect, it } from 'vitest';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { analyse, fixesOf } from '../../support/analyse.ts';
import { checkPromise } from './promise.ts';

/** One stage on a cluster of eight devices; a mixed Adam keeps 16 bytes of each of its 8e8 parameters. */
const file = (memory: number, optimizer: string, microbatches = 'global_batch = 64') =>
  analyse(`
device gpu { memory = ${memory}GiB  compute(bf16) = 900TFLOPS }
cluster box { gpu[8] = gpu  link = 400GB/s }
model m { precision = bf16  sequence = 1024
  layer block[4] = transformer(hidden = 4096, heads = 32) }
pipeline train { model = m  devices = box  stages = balance(1)  schedule = 1f1b
  ${microbatches}
  optimizer = ${optimizer} }
`);

const fixes = (before: ReturnType<typeof file>, code: Code) => {
  const finding = before.findings.find((each) => each.code === code);
  if (finding === undefined) throw new Error(`There is no ${code}.`);
  return fixesOf(before, code).map((fix) => ({
    what: fix.title.replace(/: .*/, ''),
    text: checkPromise(before, { ...fix, finding }).syntax.text,
  }));
};

it('a shard without data ranks is given those that are idle before it is removed', () => {
  const found = fixes(file(80, 'adam_mixed(shard = fsdp)'), 'key/not-applicable');
  expect(found.map(({ what }) => what)).toEqual(['Use 8 data ranks', 'Remove "shard"']);
  expect(found[0]?.text).toContain('data = 8');
});

it('a pipeline that shards but does not fit is given the ranks that are idle', () => {
  const found = fixes(file(8, 'adam_mixed(shard = fsdp)'), 'memory/out-of-memory');
  expect(found.map(({ what }) => what)).toContain('Use 8 data ranks');
});

it('without a shard more ranks free no memory and are not offered', () => {
  const before = file(8, 'adam_mixed');
  const titles = fixesOf(before, 'memory/out-of-memory').map(({ title }) => title);
  expect(titles.filter((title) => title.startsWith('Use 8'))).toEqual([]);
});
