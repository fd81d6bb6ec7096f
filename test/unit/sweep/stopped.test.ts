/** What a search says when it is stopped, at every row, against the simulation of all rows. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { rowCount } from '../../../engine/sweep/axes.ts';
import * as fc from '../../support/property.ts';
import { holdsAtEveryStop } from './everyStop.ts';
import { repository, sweepCase } from './sweepCase.ts';

interface Words {
  readonly device?: string;
  readonly cluster?: string;
  readonly model?: string;
  readonly layers?: string;
  readonly before?: string;
  readonly pipeline?: string;
  readonly data?: number | string;
  readonly stages?: string;
  readonly microbatches?: number;
  readonly schedule?: string;
}

const dense = `layer embed = embedding(vocab = 32000, hidden = 2048)
  layer block[6] = transformer(hidden = 2048, heads = 16)
  layer head = lm_head(vocab = 32000, hidden = 2048)`;

/** Layers without a shape: `forward` and twice as long backwards. */
const measured = (layers: number, forward: string, more = 'activation = 1MiB'): string =>
  `layer l[${layers}] { forward = ${forward}  backward = 2 * ${forward}  ${more} }`;
const equal = measured(8, '1ms');

/** Eight devices in two nodes with slow links between them, so that every exchange matters. */
const fileOf = ({
  device = '',
  cluster = 'node[2] {\n    gpu[4] = card\n    link = 50GB/s + 3us\n  }\n  link = 2GB/s + 10us',
  model = '',
  layers = dense,
  before = '',
  pipeline = '',
  data = 2,
  stages = 'balance(4)',
  microbatches = 16,
  schedule = '1f1b',
}: Words): string => `device card { memory = 40GiB  compute = 100TFLOPS  bandwidth = 1TB/s  ${device} }
${before}
cluster box {
  ${cluster}
}
model small {
  sequence = 1024
  micro_batch = 1
  ${model}
  ${layers}
}
pipeline train {
  model = small
  devices = box
  data = ${data}
  ${pipeline.includes('global_batch') ? '' : `microbatches = ${microbatches}`}
  ${stages === '' ? '' : `stages = ${stages}`}
  schedule = ${schedule}
  ${pipeline}
}
`;

/** Six of eight devices have no stage. */
const leavesIdle: Words = {
  before: `schedule mine {
  placement = [[0], [1]]
  order = greedy(prefer = [B, F])
}`,
  layers: equal,
  data: 1,
  stages: 'balance',
  schedule: 'mine',
};

/** Each has something that a row may change: what its work is, where it runs, or what it exchanges. */
const cases: Readonly<Record<string, readonly [over: string, words: Words]>> = {
  'data ranks gather weights that they share': [
    'pipeline = [1, 2, 4, 8], schedule = [1f1b, gpipe, zb_h1, interleaved_1f1b]',
    { pipeline: 'optimizer = megatron_bf16(shard = fsdp)' },
  ],
  'weights are shared in groups of two': [
    'pipeline = [2, 4, 8], schedule = [1f1b, gpipe], recompute = [none, full]',
    { pipeline: 'optimizer = megatron_bf16(shard = fsdp, over = 2)' },
  ],
  'one data rank runs another loss': [
    'data = [8, 4, 2, 1], schedule = [1f1b, gpipe]',
    {
      device: 'launch = 2ms',
      pipeline: 'optimizer = megatron_bf16(shard = fsdp)',
      layers: dense.replace('block[6]', 'block[7]').replaceAll('32000', '256000'),
    },
  ],
  'ranks of a layer are apart': [
    'tensor = [1, 2, 4], pipeline = [1, 2, 4], rank_order = [tp_cp_dp_pp, tp_cp_pp_dp]',
    {},
  ],
  'context ranks with each exchange': [
    'context = [1, 2, 4], pipeline = [1, 2], context_exchange = [ring, all_to_all], schedule = [1f1b, gpipe]',
    {},
  ],
  'tensor ranks that overlap, under each mode of recomputation': [
    'tensor = [2, 4], pipeline = [1, 2], recompute = [none, selective, full, full(layers = 1)], sequence_parallel = [true, false]',
    { pipeline: 'overlap(tensor) = 60%' },
  ],
  'experts on other ranks': [
    'expert = [1, 2, 4], pipeline = [1, 2], schedule = [1f1b, gpipe], micro_batch = [1, 2]',
    {
      layers: dense.replace('heads = 16', 'heads = 16, experts = 4, experts_per_token = 2'),
      pipeline: 'optimizer = megatron_bf16(shard = zero2)',
    },
  ],
  'shards, and how they are exchanged': [
    'optimizer = [adam_mixed, megatron_bf16(shard = distributed), megatron_bf16(shard = zero2), megatron_bf16(shard = fsdp), megatron_bf16(shard = fsdp, reshard = false)], pipeline = [2, 4], sync = [end, overlap]',
    {},
  ],
  'collectives and transfers': [
    'collective = [ring, tree], transfer = [buffered, rendezvous], pipeline = [2, 4], schedule = [1f1b, zb_h1]',
    { pipeline: 'optimizer = adam_mixed' },
  ],
  'schedules with arguments': [
    'schedule = [1f1b, gpipe, torchgpipe, eager_1f1b, dapple, bpipe, breadth_first(chunks = 2), interleaved_1f1b(chunks = 3), hanayo, zb_h2, zb_v, v_half, v_min, 1f1b_v, interleaved_zb, seq1f1b(segments = 2), chimera, dualpipe, dualpipe_v, zb_auto], pipeline = [2, 4]',
    {},
  ],
  'schedules that do not wait for the last backward': [
    'schedule = [1f1b, pipedream, pipedream_2bw, xpipe, pipemare, pipelined_backprop], pipeline = [2, 4]',
    { microbatches: 8 },
  ],
  'devices of two kinds, of which one has the large layer in some rows only': [
    'schedule = [1f1b, gpipe, interleaved_1f1b(chunks = 2), zb_v]',
    {
      before: 'device fast { memory = 40GiB  speed = 10 }',
      cluster: 'node[1] {\n    gpu[1] = fast\n  }\n  node[1] {\n    gpu[1] = card\n  }\n  link = 100GB/s',
      layers: `${measured(3, '1ms')}\n  layer last { forward = 10ms  backward = 20ms }`,
      data: 1,
      stages: 'balance(2)',
    },
  ],
  'a device that is faster than its figures': [
    'schedule = [1f1b, gpipe, zb_h1, interleaved_1f1b], micro_batch = [1, 2]',
    {
      pipeline: 'slow(device = 0) = 0.2\n  slow(device = 1) = 0.2\n  slow(device = 2) = 0.2\n  slow(device = 3) = 0.2',
    },
  ],
  'times that vary': ['schedule = [1f1b, gpipe, zb_h1], jitter = [0, 0.2], pipeline = [2, 4]', {}],
  'ranks that a param of the file says': [
    'ranks = [4, 2, 1], schedule = [1f1b, gpipe]',
    {
      before: 'param ranks = 2 in 1..8',
      layers: equal,
      data: 'ranks',
      pipeline: 'global_batch = 4',
      stages: 'balance',
    },
  ],
  'chunks that a param of the file says, so that the stages are on all devices': [
    'schedule = [1f1b, gpipe, interleaved_1f1b(chunks = number)]',
    { before: 'param number = 2 in 1..4', layers: measured(16, '1ms'), data: 1 },
  ],
  'weights that only all devices have room for': [
    'schedule = [1f1b, interleaved_1f1b(chunks = number), interleaved_1f1b(chunks = 1 * number), interleaved_1f1b(chunks = 2 * number)]',
    {
      before: 'param number = 2 in 1..4',
      layers: measured(32, '1ms', 'activation = 1MiB  weights = 3GiB'),
      data: 1,
    },
  ],
  'widths of the model': [
    'schedule = [1f1b, gpipe], numbers = [1, 2, 4], pipeline = [2, 4]',
    {
      before: 'param numbers = 2 in 1..8',
      layers: dense.replace('hidden = 2048, heads', 'hidden = 1024 * numbers, heads'),
    },
  ],
  'microbatches of unequal lengths': [
    'schedule = [1f1b, gpipe, zb_h1], pipeline = [2, 4]',
    {
      data: 4,
      stages: 'balance(2)',
      microbatches: 8,
      pipeline: `tokens = [${[...Array<number>(8).fill(1024), ...Array<number>(8).fill(64)].join(', ')}]`,
    },
  ],
  'layers that the host keeps': [
    'offload = [activations(layers = 1), activations(layers = 2)], schedule = [1f1b, gpipe, zb_h1], pipeline = [2, 4]',
    { device: 'host = 20GB/s + 10us' },
  ],
  'adapters, and layers that do not train': [
    'schedule = [1f1b, gpipe, zb_h1], pipeline = [2, 4], recompute = [none, full]',
    { model: 'frozen = embed, block[0..2]' },
  ],
  'stages with ranks of their own': [
    'schedule = [gpipe, 1f1b, interleaved_1f1b(chunks = 2)], micro_batch = [1, 2]',
    {
      data: 1,
      stages: '',
      pipeline: `stage a {
    layers = embed, block[0..2]
    tensor = 4
  }
  stage b {
    layers = block[3..5], head
    tensor = 4
  }`,
    },
  ],
  'a schedule of the file that leaves devices idle': ['schedule = [1f1b, mine, gpipe, zb_h1]', leavesIdle],
  'schedules of all devices instead of it': ['schedule = [1f1b, gpipe, zb_h1]', leavesIdle],
  'measured layers': [
    'schedule = [1f1b, gpipe, zb_h1], pipeline = [2, 4], recompute = [none, full]',
    {
      layers: `${measured(7, '2ms', 'weights = 1GiB  activation = 100MiB')}\n  layer last { forward = 3ms  backward = 9ms  weights = 2GiB  activation = 1GiB }`,
    },
  ],
  'a planner that makes replicas': [
    'data = [8, 4, 2, 1], schedule = [1f1b, gpipe]',
    { stages: 'plan(dapple)', layers: equal, data: 8, microbatches: 4 },
  ],
  'a faster row that leaves less memory than the margin': [
    'pipeline = [2, 4], schedule = [gpipe, interleaved_1f1b], optimizer = [adam_mixed, megatron_bf16(shard = fsdp, over = 2)]',
    {
      layers: measured(8, '2ms', 'weights = 1GiB  activation = 200MiB  output = 64MiB'),
      pipeline: 'transfer = rendezvous',
    },
  ],
  'little memory': [
    'tensor = [1, 2], pipeline = [1, 2, 4], micro_batch = [1, 2, 4], recompute = [none, full]',
    { pipeline: 'optimizer = adam_mixed', layers: dense.replace('block[6]', 'block[30]') },
  ],
};

test('the file that once had a false certificate', () => {
  const text = readFileSync(path.join(repository, 'test/data/cases/search/early-stop-certificate.pipe'), 'utf8');
  holdsAtEveryStop(sweepCase('pipeline = [1, 2, 4, 8], schedule = [1f1b, gpipe]', { text, pipeline: 't' }));
});

describe('a search that is stopped at any row says nothing that a simulation refutes', () => {
  test.each(Object.entries(cases))('%s', (_, [over, words]) => {
    const text = fileOf(words);
    const { ran } = holdsAtEveryStop(sweepCase(over, { text }));
    expect(ran).toBeGreaterThan(2);
  });
});

test('nor does one over any keys of any file', () => {
  const some = (...words: readonly string[]) => fc.constantFrom(...words);
  const file = fc.record({
    layers: some(
      dense,
      dense.replace('heads = 16', 'heads = 16, experts = 4, experts_per_token = 2'),
      measured(8, '2ms', 'weights = 1GiB  activation = 200MiB  output = 64MiB'),
    ),
    device: some('', 'launch = 20us', 'efficiency = 50%'),
    model: some('', 'frozen = l[0]'),
    shard: some('', 'optimizer = megatron_bf16(shard = fsdp)', 'optimizer = adam_mixed(shard = zero2)'),
    more: some(
      '',
      'slow(device = 0) = 0.4',
      'overlap(tensor) = 60%',
      'recompute = full',
      'sync = overlap',
      'transfer = rendezvous',
    ),
    data: fc.constantFrom(1, 2, 4),
  });
  const axis = some(
    'pipeline = [1, 2, 4]',
    'data = [4, 2, 1]',
    'tensor = [1, 2]',
    'context = [1, 2]',
    'expert = [1, 2]',
    'micro_batch = [1, 2]',
    'recompute = [none, full]',
    'schedule = [1f1b, gpipe, zb_h1, interleaved_1f1b]',
    'schedule = [gpipe, chimera, zb_v, seq1f1b(segments = 2)]',
    'optimizer = [adam_mixed, megatron_bf16(shard = fsdp), megatron_bf16(shard = fsdp, over = 2)]',
    'rank_order = [tp_cp_pp_dp, tp_cp_dp_pp]',
    'sync = [end, overlap]',
  );
  const keyOf = (written: string): string => written.slice(0, written.indexOf(' '));
  let bounded = 0;
  fc.assert(
    fc.property(
      file,
      fc.uniqueArray(axis, { minLength: 2, maxLength: 3, selector: keyOf }),
      ({ shard, more, data, model, layers, ...words }, keys) => {
        const isMeasured = layers.startsWith('layer l');
        const text = fileOf({
          ...{ ...words, layers, data, stages: `balance(${8 / data})`, pipeline: `${shard}\n  ${more}` },
          model: isMeasured ? model : '',
        });
        const request = sweepCase(keys.join(', '), { text });
        expect(rowCount(request.axes)).toBeLessThanOrEqual(36);
        bounded += holdsAtEveryStop(request).bounded;
      },
    ),
    { numRuns: 5 },
  );
  expect(bounded).toBeGreaterThan(0);
});
