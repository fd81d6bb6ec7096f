import { describe, expect, it } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import { subjectOf } from '../../../engine/fixes/candidates.ts';
import { remains } from '../../../engine/fixes/remains.ts';
import { shardCandidates } from '../../../engine/fixes/shard.ts';
import { fixesAmong } from '../../../engine/fixes/trial.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { analyse, codesOf, fixesOf } from '../../support/analyse.ts';
import { pipe } from './file.ts';
import { checkPromise } from './promise.ts';

const layers = 'layer block[32] { forward = 4ms  backward = 8ms  weights = 64MiB  activation = 1MiB  output = 1MiB }';

/** Eight layers on each of four stages, over four data ranks: one whole layer or two beside the shards do not outweigh them. */
const file = (memory: number, optimizer: string) =>
  analyse(
    pipe({
      layers,
      memory: `${memory}MiB`,
      pipeline: `  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b\n  data = 4\n  optimizer = ${optimizer}`,
    }).replace('gpu[4]', 'gpu[16]'),
  );

const peak = (optimizer: string) => file(1e6, optimizer).pipelines[0]?.run?.report.devices[0].peak ?? Number.NaN;
const mebi = 2 ** 20;

/** The shards that a device one MiB above the peak of `wanted` is offered. */
const offered = (written: string, wanted: string) => {
  const before = file(Math.ceil(peak(wanted) / mebi) + 1, written);
  expect(codesOf(before)).toContain('memory/out-of-memory');
  const finding = before.findings.find(({ code }) => code === 'memory/out-of-memory');
  const subject = subjectOf(before, 'train', analyse);
  if (finding === undefined || subject === undefined) return [];
  const goal = {
    pipeline: 'train',
    emphasis: 'memory',
    met: (changed: Analysis) => !remains(changed, finding),
    mostOfKind: 3,
  } as const;
  return toEnd(fixesAmong(before, goal, shardCandidates(subject), analyse)).flatMap((fix) => {
    const changed = checkPromise(before, { ...fix, finding });
    const text = /optimizer = (.*)/.exec(changed.syntax.text)?.[1];
    if (text === wanted) expect(changed.pipelines[0]?.run?.report.devices[0].peak).toBe(peak(wanted));
    return [{ title: fix.title.replace(/: .*/, ''), text }];
  });
};

describe('sharding', () => {
  it.each([
    ['adam_mixed', 'adam_mixed(shard = zero1)', 'Shard the optimizer over 4 data ranks'],
    ['adam_mixed', 'adam_mixed(shard = zero2)', 'Shard optimizer and gradients over 4 data ranks'],
    ['adam_mixed', 'adam_mixed(shard = zero3)', 'Shard optimizer, gradients and weights over 4 data ranks'],
    ['adam_mixed(shard = zero1)', 'adam_mixed(shard = zero2)', 'Shard optimizer and gradients over 4 data ranks'],
    ['adam_mixed(zero2)', 'adam_mixed(zero3)', 'Shard optimizer, gradients and weights over 4 data ranks'],
    ['megatron_bf16', 'megatron_bf16(shard = distributed)', 'Shard the optimizer over 4 data ranks'],
    [
      'megatron_bf16(distributed, 1ms)',
      'megatron_bf16(fsdp, 1ms)',
      'Shard optimizer, gradients and weights over 4 data ranks',
    ],
    ['adam(step = 1ms)', 'adam(step = 1ms, shard = zero1)', 'Shard the optimizer over 4 data ranks'],
    ['adam()', 'adam(shard = zero1)', 'Shard the optimizer over 4 data ranks'],
    ['custom(2, 4, 12)', 'custom(2, 4, 12, shard = zero1)', 'Shard the optimizer over 4 data ranks'],
    [
      'adam_mixed(shard = none, over = 2)',
      'adam_mixed(shard = zero1, over = 2)',
      'Shard the optimizer over groups of data ranks',
    ],
    ['sgd', 'sgd(shard = zero2)', 'Shard optimizer and gradients over 4 data ranks'],
  ])('%s becomes %s', (written, wanted, title) => {
    expect(offered(written, wanted)).toContainEqual({ title, text: wanted });
  });

  it('counts context ranks, which hold the same weights', () => {
    const of = (memory: number) =>
      analyse(
        pipe({
          layers,
          memory: `${memory}MiB`,
          pipeline:
            '  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b\n  data = 2\n  context = 2\n  optimizer = adam_mixed',
        }).replace('gpu[4]', 'gpu[16]'),
      );
    const whole = of(1e6).pipelines[0]?.run?.report.devices[0].peak ?? Number.NaN;
    const titles = fixesOf(of(Math.floor(whole / mebi) - 1), 'memory/out-of-memory').map(({ title }) => title);
    expect(titles.join()).toContain(' over 4 data and context ranks: ');
  });

  it('is not offered where all is split already, or where nothing can be', () => {
    for (const optimizer of ['adam_mixed(shard = zero3)', 'adam_mixed(fsdp)', 'none']) {
      const full = file(64, optimizer);
      expect(codesOf(full)).toContain('memory/out-of-memory');
      expect(fixesOf(full, 'memory/out-of-memory').filter(({ title }) => title.startsWith('Shard'))).toEqual([]);
    }
  });
});
