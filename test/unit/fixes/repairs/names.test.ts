import { describe, expect, it, test } from 'vitest';
import { bare, type Case, checkCase, repairsOf } from './promise.ts';
import { good, rowed, wrong } from './text.ts';

/** The device has no link to the host. */
const offloaded = '  row(d) = each(j in 0..1, F[j], E[j, to = host]), each(j in 0..1, L[j], B[j])';

const cases: readonly Case[] = [
  // Syntax.
  {
    code: 'syntax/unexpected',
    text: wrong('microbatches = 8', 'microbatches 8'),
    titles: ['Insert "=" before "8"'],
    makes: 'microbatches = 8',
  },
  {
    code: 'syntax/unexpected',
    text: wrong('small { memory', 'small { memory = }\ndevice other { memory'),
    titles: ['Write 80GiB'],
    makes: 'small { memory = 80GiB }',
  },
  {
    code: 'syntax/unexpected',
    text: wrong('pipeline train', 'pipelin train'),
    titles: ['Change to "pipeline"'],
    makes: '\npipeline train {',
  },
  {
    code: 'syntax/unexpected',
    text: wrong('schedule = 1f1b', 'schedule = 1f1b )'),
    titles: ['Remove ")"'],
    makes: 'schedule = 1f1b\n',
  },
  {
    code: 'syntax/unexpected',
    text: wrong('balance(4)', 'split(2 2, 2, 2)'),
    titles: ['Insert "," before "2"'],
    makes: 'split(2, 2, 2, 2)',
  },
  {
    code: 'syntax/unexpected',
    text: rowed('  row(d) = F[0..1] B[0..1]'),
    titles: ['Insert "," before "B"'],
    makes: 'row(d) = F[0..1], B[0..1]',
  },
  {
    code: 'syntax/unexpected',
    text: rowed('  row(d) F[0..1], B[0..1]'),
    titles: ['Insert "=" before "F"'],
    makes: 'row(d) = F[0..1], B[0..1]',
  },
  {
    code: 'type/mismatch',
    text: rowed(offloaded),
    titles: ['Add host = 25GB/s + 5us to device "small"'],
    makes: 'device small { memory = 16GiB  host = 25GB/s + 5us }',
  },
  {
    code: 'type/mismatch',
    text: rowed('  order = greedy(prefer = [B, E, L, F])\n  offload = host\n  allow(E, s) = s == 0'),
    titles: ['Add host = 25GB/s + 5us to device "small"'],
    makes: 'device small { memory = 16GiB  host = 25GB/s + 5us }',
  },
  {
    code: 'type/mismatch',
    text: wrong(
      'device small { memory = 16GiB }',
      'import { tpu_v4 } from "std:hardware"',
      rowed(offloaded).replace('= small', '= tpu_v4'),
    ),
    titles: ['Declare device tpu_v4_host { from = tpu_v4  host = 25GB/s + 5us } and use it'],
    makes: 'device tpu_v4_host { from = tpu_v4  host = 25GB/s + 5us }\ncluster box { gpu[2] = tpu_v4_host ',
  },
  {
    code: 'name/unknown',
    text: wrong('memory = 16GiB }', 'memory = 16GiB  host = pcie9 }'),
    titles: ['pcie5x16', 'pcie4x16', 'pcie3x16'].map((link) => `Import "${link}" from "std:hardware" in its place`),
    makes: 'host = pcie5x16 }',
  },
  {
    code: 'type/mismatch',
    text: rowed('  order = interleaved_1f1b(chunks = 2)'),
    titles: ['Write from = interleaved_1f1b'],
    makes: 'from = interleaved_1f1b(chunks = 2)',
  },
  {
    code: 'type/mismatch',
    text: rowed('  order = gpipe'),
    titles: ['Write from = gpipe'],
    makes: '  from = gpipe',
  },
  {
    code: 'type/mismatch',
    text: rowed('  let last = devices - 1  row(d) = F[0..1], B[0..1]  row(last) = F[0..1], B[0..1]'),
    titles: ['Write row(last + 0)'],
    makes: 'row(last + 0) =',
  },
  {
    code: 'type/mismatch',
    text: rowed('  row(d) = F[0..1], B[0..1]  row(devices) = F[0..1], B[0..1]'),
    titles: ['Write row(devices - 1)'],
    makes: 'row(devices - 1) =',
  },
  {
    code: 'type/mismatch',
    text: rowed('  row(d) = F[0..1, to = host], B[0..1]'),
    titles: ['Remove to = host'],
    makes: 'row(d) = F[0..1], B[0..1]',
  },
  {
    code: 'key/unknown',
    text: rowed('  row(d) = if(d = 0, F[0..1], F[0..1]), B[0..1]'),
    titles: ['Write d == …'],
    makes: 'if(d == 0, F[0..1]',
  },
  {
    code: 'key/unknown',
    text: rowed('  warm(d) = 1  row(d) = take(warm(d), F[0..1]), drop(warm(d), F[0..1]), B[0..1]'),
    titles: ['Write let warm(…) = …'],
    makes: 'let warm(d) = 1',
  },
  {
    code: 'key/unknown',
    text: rowed('  depth = 1  row(d) = take(depth, F[0..1]), drop(depth, F[0..1]), B[0..1]'),
    titles: ['Write let depth = …'],
    makes: 'let depth = 1',
  },
  {
    code: 'key/missing',
    text: wrong('16GiB', '16GiB  host = 25GB/s', rowed('  row(d) = F[0..1], E[0], L[0], B[0..1]')),
    titles: ['Add to = host'],
    makes: 'E[0, to = host]',
  },
  {
    code: 'name/unknown',
    text: wrong('model = toy', 'model = toy-8b', good.replace('model toy', 'model toy_8b')),
    titles: ['Change to "toy_8b"'],
    makes: 'model = toy_8b',
  },
  {
    code: 'name/unknown',
    text: wrong('1f1b', 'eager-1f1b'),
    titles: ['Change to "eager_1f1b"'],
    makes: 'schedule = eager_1f1b',
  },
  {
    code: 'name/unknown',
    text: `import { h100, dgx_h100 } from "std:hardware"\n${wrong('= small', '= h100')}`,
    titles: ['Import "dgx_h100" from "std:clusters"'],
    makes: 'import { h100 } from "std:hardware"\nimport { dgx_h100 } from "std:clusters"',
  },
  {
    code: 'name/unknown',
    text: `import { h100 } from "std:models"\n${wrong('= small', '= h100')}`,
    titles: ['Import "h100" from "std:hardware"'],
    makes: 'import { h100 } from "std:hardware"',
  },
  {
    code: 'name/unknown',
    text: `import { h100 } from "std:models"\nimport { a100_80 } from "std:hardware"\n${wrong('= small', '= h100')}`,
    titles: ['Import "h100" from "std:hardware"'],
    makes: 'import { a100_80, h100 } from "std:hardware"',
  },
  {
    code: 'type/mismatch',
    text: `import { dgx_h100 } from "std:clusters"\n${wrong('devices = box', 'devices = dgx_h100[8]')}`,
    titles: ['Give "dgx_h100" 8 nodes'],
    makes: 'from "std:clusters" with { nodes = 8 }',
  },
  {
    code: 'type/mismatch',
    text: wrong(
      'devices = box',
      'devices = box[4]',
      wrong('gpu[4] = small', 'node[2] { gpu[2] = small  link = 50GB/s }'),
    ),
    titles: ['Give "box" 4 nodes', 'Write box'],
    makes: 'node[4] { gpu[2] = small',
  },
  {
    code: 'type/mismatch',
    text: wrong('  devices = box', '  sequence = 8192\n  devices = box'),
    titles: ['Write sequence = 8192 in model "toy"', 'Write true'],
    makes:
      'model toy {\n  layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }\n  sequence = 8192',
  },
  {
    code: 'syntax/unclosed',
    text: `import { llama3-8b } from "std:models"\n${good}`,
    titles: ['Change to "llama3_8b"'],
    makes: 'import { llama3_8b } from',
  },
  {
    code: 'name/unknown',
    text: wrong('schedule = 1f1b', 'schedule = fsdp', wrong('  stages = balance(4)\n', '')),
    titles: ['Write stages = balance(1) and schedule = 1f1b'],
    makes: 'schedule = 1f1b\n  stages = balance(1)\n',
  },
  {
    code: 'name/unknown',
    text: wrong('schedule = 1f1b', 'schedule = DDP'),
    titles: ['Change to "1f1b"'],
    makes: 'schedule = 1f1b\n',
  },
  {
    code: 'name/unknown',
    text: wrong('schedule = 1f1b', 'schedule = 1f1b  sync = ring'),
    titles: ['Write collective = ring'],
    makes: 'schedule = 1f1b  collective = ring',
  },
  {
    code: 'name/unknown',
    text: wrong('schedule = 1f1b', 'sync = ps(servers = 4)  collective = tree  schedule = 1f1b'),
    titles: ['Write collective = ps(servers = 4)'],
    makes: '  collective = ps(servers = 4)  schedule = 1f1b',
  },
  {
    code: 'name/unknown',
    text: wrong('schedule = 1f1b', 'schedule = 1f1b  collective = ddp(bucket = 5MB)'),
    titles: ['Write sync = ddp(bucket = 5MB)'],
    makes: 'schedule = 1f1b  sync = ddp(bucket = 5MB)',
  },
  {
    code: 'key/not-applicable',
    text: wrong(
      'schedule = 1f1b',
      'schedule = 1f1b  data = 2  optimizer = adam(shard = zero2)  sync = dear(credit = 1)',
      wrong('gpu[4]', 'gpu[8]'),
    ),
    titles: ['Change to "overlap"'],
    makes: 'sync = overlap\n',
  },
  {
    code: 'name/unknown',
    text: rowed('  row(d) = F(0..1), B[0..1]'),
    titles: ['Write F[…]'],
    makes: 'row(d) = F[0..1], B[0..1]',
  },
  {
    code: 'name/unknown',
    text: rowed('  operation loss { time = 1ms  after = F[j] }  row(d) = F[0..1], loss[0..1], B[0..1]'),
    titles: ['Write after(j) = …'],
    makes: 'after(j) = F[j]',
  },
  {
    code: 'name/unknown',
    text: rowed('  operation loss { time = 1ms  after(s) = F[j, stage = s] }  row(d) = F[0..1], loss[0..1], B[0..1]'),
    titles: ['Write after(s, j) = …'],
    makes: 'after(s, j) = F[j, stage = s]',
  },
  {
    code: 'syntax/unexpected',
    text: rowed('  row(d) = F[0:microbatches], B[0..1]'),
    titles: ['Replace ":" by "..<"'],
    makes: 'F[0..<microbatches], B',
  },
  {
    code: 'schedule/repeated',
    text: rowed('  row(d) = F[0..microbatches], B[0..microbatches]'),
    titles: ['Write ..<microbatches'],
    makes: 'F[0..<microbatches], B[0..<microbatches]',
  },
  {
    code: 'name/unknown',
    text: 'schedule mine { row(d) = F[0..<microbatches], B[0..<microbatches] }\nexpect wine4 { valid }',
    titles: ['Change to "mine"'],
    makes: 'expect mine { valid }',
  },
  {
    code: 'type/mismatch',
    text: rowed('  row(d) = F[0, 1], B[0..1]'),
    titles: ['Write 0..1'],
    makes: 'F[0..1], B',
  },
  {
    code: 'type/mismatch',
    text: rowed('  row(d) = F[0, microbatches], B[0..1]'),
    titles: ['Write 0..<microbatches'],
    makes: 'F[0..<microbatches], B',
  },
  {
    code: 'type/mismatch',
    text: rowed('  row(d) = F[0..1], B[0..1]  row[1] = F[0..1], B[0..1]'),
    titles: ['Write row(1) = F[0..1], B[0..1]'],
    makes: '  row(1) = F',
  },
  {
    code: 'type/mismatch',
    text: rowed('  row(d) = take(F[0..1], 2), B[0..1]'),
    titles: ['Write take(2, F[0..1])'],
    makes: 'row(d) = take(2, F[0..1]), B[0..1]',
  },
  {
    code: 'syntax/unexpected',
    text: wrong('microbatches = 8', 'microbatches = 8 @'),
    titles: ['Remove "@"'],
    makes: 'microbatches = 8\n',
  },
  { code: 'syntax/unexpected', text: wrong('memory = 16GiB', 'memory'), titles: ['Write memory = 80GiB'] },
  { code: 'syntax/unexpected', text: `${good}let x =`, titles: ['Write 1'], makes: 'let x = 1' },
  {
    code: 'syntax/unclosed',
    text: wrong('memory = 16GiB }', 'memory = 16GiB'),
    titles: ['Insert "}"'],
    makes: 'memory = 16GiB }\ncluster',
  },
  {
    code: 'syntax/unclosed',
    text: wrong('balance(4)', 'balance(4'),
    titles: ['Insert ")"'],
    makes: 'stages = balance(4)\n',
  },
  {
    code: 'syntax/unclosed',
    text: good.slice(0, good.lastIndexOf('}')),
    titles: ['Insert "}"'],
    makes: 'schedule = 1f1b\n}',
  },
  {
    code: 'syntax/unclosed',
    text: `import { h100 } from "std:hardware\n${good}`,
    titles: ['Insert a closing quote'],
    makes: '"std:hardware"\ndevice',
  },
  { code: 'syntax/unclosed', text: `${good}/* a note`, titles: ['Close the comment'], makes: '/* a note */' },
  {
    code: 'syntax/unit',
    text: wrong('16GiB', '16Gib'),
    titles: ['Change to "16GiB"', 'Change to "16GB"'],
    makes: 'memory = 16GiB',
  },
  { code: 'syntax/unit', text: wrong('16GiB', '16000M'), titles: ['Change to "16000MB"', 'Change to "16000MiB"'] },
  {
    code: 'syntax/unit',
    text: wrong('forward = 4ms', 'forward = 4msec'),
    titles: ['Change to "4ms"'],
    makes: 'forward = 4ms',
  },
  { code: 'syntax/unit', text: wrong('25GB/s', '25Gbs'), titles: ['Change to "25Gb/s"', 'Change to "25GB/s"'] },
  // Names.
  {
    code: 'name/unknown',
    text: rowed('  row(0) = F[0..1], B[0..1]\n  row(1) = F0, B[0], F[1], B[1]'),
    titles: ['Change to "F[0]"'],
    makes: 'row(1) = F[0], B[0], F[1], B[1]',
  },
  {
    code: 'name/unknown',
    text: wrong('model = toy', 'model = toi'),
    titles: ['Change to "toy"', 'Declare model "toi"'],
    makes: 'model = toy // the model',
  },
  {
    code: 'name/unknown',
    text: wrong('= small', '= h100'),
    titles: ['Import "h100" from "std:hardware"', 'Declare device "h100"'],
    makes: 'import { h100 } from "std:hardware"',
  },
  {
    // A standard model that is nearer than an imported one.
    code: 'name/unknown',
    text: `import { llama3_70b } from "std:models"\n${wrong('model = toy', 'model = llama3_405b')}`,
    titles: ['Import "llama3_1_405b" from "std:models" in its place', 'Change to "llama3_70b"'],
    makes: 'import { llama3_70b, llama3_1_405b } from "std:models"',
  },
  {
    code: 'name/unknown',
    text: wrong('= small', '= ours'),
    files: { 'ours.pipe': 'device ours { memory = 8GiB }' },
    titles: ['Import "ours" from "ours.pipe"'],
  },
  {
    code: 'name/unknown',
    text: wrong('microbatches = 8', 'microbatches = m'),
    titles: ['Declare let m = 8'],
    makes: 'let m = 8\npipeline train',
  },
  { code: 'name/unknown', text: wrong('1f1b', '1f1bb'), titles: ['Change to "1f1b"'] },
  { code: 'name/unknown', text: wrong('= small  link', '= smal  link'), titles: ['Change to "small"'] },
  {
    code: 'name/unknown',
    text: wrong('stages = balance(4)', 'stages = balance(4, by = memry)'),
    titles: ['Change to "memory"'],
  },
  {
    code: 'name/duplicate',
    text: wrong('model toy', 'device small { memory = 32GiB } // large\nmodel toy'),
    titles: ['Rename to "small_2"', 'Remove the second device "small"', 'Remove the first device "small"'],
    makes: 'device small_2 { memory = 32GiB } // large',
  },
  {
    code: 'name/duplicate',
    text: wrong('  layer', '  layer block { forward = 1ms  backward = 2ms }\n  layer'),
    titles: ['Rename to "block_2"'],
  },
  { code: 'name/unused', text: `/// Never.\nlet spare = 3 // spare\n${good}`, titles: ['Remove let "spare"'] },
  {
    code: 'name/unused',
    text: `import { h100, a100_80 } from "std:hardware"\n${wrong('= small', '= h100')}`,
    titles: ['Remove "a100_80" from the import'],
    makes: 'import { h100 } from',
  },
  {
    code: 'name/unused',
    text: wrong('pipeline', 'schedule mine { order = greedy(prefer = [B, F]) }\npipeline'),
    titles: ['Remove schedule "mine"', 'Use it in pipeline "train"'],
  },
  {
    code: 'name/cycle',
    text: `let a = b + 1ms\nlet b = a + 1ms\n${wrong('forward = 4ms', 'forward = a')}`,
    titles: ['Write 1ms for "b" in "a"', 'Write 1ms for "a" in "b"'],
  },
  // Keys.
  {
    code: 'key/unknown',
    text: wrong('microbatches', 'microbatchs'),
    titles: ['Change to "microbatches"'],
    makes: 'microbatches = 8',
  },
  {
    code: 'key/unknown',
    text: wrong('memory = 16GiB', 'memory = 16GiB  microbatches = 8', wrong('  microbatches = 8\n', '')),
    titles: ['Move "microbatches" to pipeline "train"'],
  },
  {
    code: 'key/unknown',
    text: wrong('memory = 16GiB', 'memory = 16GiB  colour = 3'),
    titles: ['Remove "colour"'],
    makes: 'memory = 16GiB }',
  },
  {
    code: 'key/unknown',
    text: wrong('balance(4)', 'balance(4, bye = memory)'),
    titles: ['Change to "by"', 'Remove "bye"'],
  },
  {
    code: 'key/missing',
    text: wrong('  stages = balance(4)\n  microbatches = 8\n  schedule = 1f1b\n', ''),
    titles: ['Add microbatches = 8, stages = balance(4) and schedule = 1f1b'],
    makes: '  devices = box\n  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b\n}',
  },
  {
    code: 'key/missing',
    text: 'pipeline train {}\n',
    titles: ['Add model = gpt2, devices = dgx_a100, microbatches = 8, stages = balance(4) and schedule = 1f1b'],
    makes:
      'pipeline train { model = gpt2  devices = dgx_a100  microbatches = 8  stages = balance(4)  schedule = 1f1b }',
  },
  { code: 'key/missing', text: wrong('  microbatches = 8\n', ''), titles: ['Add microbatches = 8'] },
  { code: 'key/missing', text: wrong('model = toy // the model\n', ''), titles: ['Add model = toy'] },
  { code: 'key/missing', text: wrong('  stages = balance(4)\n', ''), titles: ['Add stages = balance(4)'] },
  {
    code: 'key/missing',
    text: wrong('  schedule = 1f1b\n', ''),
    titles: ['Add schedule = 1f1b', 'Add schedule = gpipe'],
  },
  { code: 'key/missing', text: wrong('backward = 8ms  ', ''), titles: ['Add backward = 8ms'] },
  {
    code: 'key/missing',
    text: wrong('{ memory = 16GiB }', '{}'),
    titles: ['Add memory = 80GiB'],
    makes: 'device small { memory = 80GiB }',
  },
  { code: 'key/missing', text: wrong('balance(4)', 'plan()'), titles: ['Write plan(pipedream)'] },
  {
    code: 'key/missing',
    text: wrong(
      'layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB }',
      'layer block[8] = transformer(heads = 16)',
      wrong('memory = 16GiB', 'memory = 16GiB  compute = 100TFLOPS  bandwidth = 1TB/s'),
    ),
    titles: ['Add hidden = 4096'],
  },
  {
    code: 'key/duplicate',
    text: wrong('memory = 16GiB', 'memory = 16GiB  memory = 32GiB'),
    titles: ['Remove the second "memory"', 'Remove the first "memory"'],
  },
  {
    code: 'key/duplicate',
    text: wrong('balance(4)', 'balance(4, by = time, by = memory)'),
    titles: ['Remove the second "by"', 'Remove the first "by"'],
  },
  {
    code: 'key/not-applicable',
    text: wrong('backward = 8ms', 'backward = 8ms  backward_input = 4ms  backward_weight = 5ms'),
    titles: ['Remove "backward"', 'Remove "backward_input" and "backward_weight", so that "backward" applies'],
  },
];

test('a number is declared for a name in a row, never a link', () => {
  const text = rowed('  row(0) = F[0..last], B[0..1]\n  row(1) = F[0..1], B[0..1]');
  expect(repairsOf({ code: 'name/unknown', text }).map(bare)).toEqual(['Declare let last = 1']);
});

describe.each(cases.map((each) => [`${each.code}: ${each.titles[0] ?? ''}`, each] as const))('%s', (_, each) => {
  it('is offered, gone afterwards, without a new error, with the figures of a fresh simulation', () => checkCase(each));
});
