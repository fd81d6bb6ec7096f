import { describe, expect, it, test } from 'vitest';
import { after, analyse, fixesOf } from '../../../support/analyse.ts';
import { type Case, checkCase } from './promise.ts';
import { good, rowed, staged, wrong } from './text.ts';

const chain = `model chain {
  layer a { forward = 1ms  backward = 2ms } // first
  layer b { forward = 1ms  backward = 2ms }
  layer c { forward = 1ms  backward = 2ms }
}
`;

/** Fills both devices greedily, within a limit of microbatches in flight. */
const rule = (name: string): string => `
schedule ${name} {
  placement = [[0, 2], [1, 3]]
  order = greedy(prefer = [F, B])
  in_flight(s) = stages - s
}
`;

/** Two ranks that exchange gradients. */
const exchanged = (sync: string, layers = 8): string => `
model m { layer a[${layers}] { forward = 1ms  backward = 2ms  weights = 10MB } }
device gpu { memory = 64GiB }
cluster c { gpu[2] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 1 stages = balance(1) schedule = 1f1b data = 2
  sync = ${sync} }
`;

const cases: readonly Case[] = [
  {
    code: 'key/not-applicable',
    text: exchanged('overlap(early_start = true, partition = 1MB)'),
    titles: ['Write barrier = false', 'Remove "early_start"'],
    makes: 'overlap(early_start = true, partition = 1MB, barrier = false)',
  },
  {
    code: 'value/range',
    text: exchanged('overlap(bucket = best, barrier = false)', 2_001),
    titles: ['Change to 25MiB'],
    makes: 'overlap(bucket = 25MiB, barrier = false)',
  },
  {
    code: 'value/range',
    text: exchanged('pace', 2_001),
    titles: ['Write bucket = 25MiB'],
    makes: 'pace(bucket = 25MiB)',
  },
  // Types and values.
  { code: 'type/mismatch', text: wrong('16GiB', '"16 GiB"'), titles: ['Write 16GiB'], makes: 'memory = 16GiB' },
  { code: 'type/mismatch', text: wrong('balance(4)', '4'), titles: ['Write balance(4)'] },
  { code: 'type/mismatch', text: wrong('microbatches = 8', 'microbatches = [8]'), titles: ['Write 8'] },
  {
    code: 'type/mismatch',
    text: wrong('microbatches = 8', 'microbatches = 8, 9'),
    titles: ['Keep the first value only'],
  },
  { code: 'type/mismatch', text: wrong('1f1b', '"1f1b"'), titles: ['Write 1f1b'] },
  {
    code: 'type/mismatch',
    text: wrong('pipeline', 'schedule mine { order = 3 }\npipeline'),
    titles: ['Write greedy(prefer = [B, F])'],
  },
  { code: 'type/dimension', text: wrong('16GiB', '16GB/s'), titles: ['Change to 16GB'] },
  { code: 'type/dimension', text: wrong('4ms', '4'), titles: ['Change to 4ms'] },
  { code: 'type/dimension', text: wrong('25GB/s + 5us', '25GB'), titles: ['Change to 25GB/s'] },
  { code: 'type/dimension', text: wrong('microbatches = 8', 'microbatches = 8ms'), titles: ['Change to 8'] },
  { code: 'type/dimension', text: wrong('4ms', '4ms + 2GiB'), titles: ['Change to 2ms', 'Keep only 4ms'] },
  {
    code: 'value/range',
    text: wrong('memory = 16GiB', 'memory = 16GiB  efficiency = 140%  compute = 1TFLOPS'),
    titles: ['Change to 100%'],
  },
  {
    code: 'value/range',
    text: wrong('microbatches = 8', 'microbatches = 2.6'),
    titles: ['Change to 3', 'Change to 2'],
  },
  { code: 'value/range', text: wrong('microbatches = 8', 'microbatches = 0'), titles: ['Change to 1'] },
  { code: 'value/range', text: wrong('balance(4)', 'balance(40)'), titles: ['Change to 4', 'Change to 1'] },
  {
    code: 'value/range',
    text: wrong('balance(4)', 'split(2, 2, 2, 3)'),
    titles: ['Write split(2, 2, 2, 2)', 'Use balance(4)'],
  },
  { code: 'value/range', text: wrong('forward = 4ms', 'forward = -4ms'), titles: ['Change to 4ms'] },
  {
    code: 'value/range',
    text: `param m = 80 in 1..64\n${wrong('microbatches = 8', 'microbatches = m')}`,
    titles: ['Change to 64', 'Widen the range to 80'],
  },
  {
    code: 'value/range',
    text: `param m = 8 in 64..1\n${wrong('microbatches = 8', 'microbatches = m')}`,
    titles: ['Exchange 64 and 1'],
  },
  { code: 'value/range', text: wrong('forward = 4ms', 'forward = 4ms / 0'), titles: ['Change to 1'] },
  // Layers.
  {
    code: 'layer/cycle',
    text: wrong(
      'layer a { forward = 1ms  backward = 2ms }',
      'layer a { forward = 1ms  backward = 2ms  after = [c] }',
      chain,
    ),
    titles: ['Remove "c" from the after of "a"'],
  },
  {
    code: 'layer/unreachable',
    text: wrong(
      'layer c { forward = 1ms  backward = 2ms }',
      'layer c { forward = 1ms  backward = 2ms  after = [a] }',
      chain,
    ),
    titles: ['Let "c" use "b"', 'Remove layer "b"'],
    makes: 'after = [a, b]',
  },
  {
    code: 'layer/no-cost',
    text: wrong('layer a { forward = 1ms  backward = 2ms }', 'layer a { weights = 1GiB }', chain),
    titles: [
      'Take the times of "b": forward = 1ms  backward = 2ms',
      'Write that it takes no time: forward = 0ms  backward = 0ms',
      'Remove layer "a"',
    ],
  },
  // Stages.
  {
    code: 'stage/unassigned-layer',
    text: staged(['block[0..1]', 'block[2..3]', 'block[4..5]', 'block[6]']),
    titles: ['Add block[7] to "s3"'],
    makes: 'layers = block[6..7] } // part 3',
  },
  {
    code: 'stage/unassigned-layer',
    text: staged(['block[0..1]', 'block[3]', 'block[4..5]', 'block[7]']),
    titles: ['Add each to the stage of its neighbours'],
  },
  {
    code: 'stage/unassigned-layer',
    text: staged(['block[0..1]', 'block[2..3]', 'block[4..5]']),
    titles: ['Add stage "s3" with block[6..7]', 'Add block[6..7] to "s2"'],
  },
  {
    code: 'stage/assigned-twice',
    text: staged(['block[0..1]', 'block[2..3]', 'block[4..6]', 'block[6..7]']),
    titles: ['Remove block[6] from "s2"', 'Remove block[6] from "s3"'],
  },
  {
    code: 'stage/assigned-twice',
    text: staged(['block[0..4]', 'block[2..3]', 'block[4..5]', 'block[6..7]']),
    titles: ['Remove block[2..3] from "s0"'],
  },
  {
    code: 'stage/assigned-twice',
    text: staged(['block[0..1]', 'block[2..3], block[3]', 'block[4..5]', 'block[6..7]']),
    titles: ['Name each layer of "s1" once'],
  },
  {
    code: 'stage/dependency-order',
    text: staged(['block[2..3]', 'block[0..1]', 'block[4..5]', 'block[6..7]']),
    titles: ['Exchange stages "s0" and "s1"', 'Exchange the layers of "s0" and "s1"'],
  },
  {
    code: 'stage/empty',
    text: staged(['block[0..1]', 'block[2..3]', 'block[4..7]', '[]']),
    titles: ['Move block[6..7] from "s2" to "s3"', 'Remove stage "s3"'],
  },
  // Routes.
  {
    code: 'device/unknown-route',
    text: wrong('  link = 25GB/s + 5us', ''),
    titles: ['Add link = pcie4x16 from "std:hardware"', 'Add link = 25GB/s + 5us'],
  },
  {
    code: 'device/unknown-route',
    text: wrong('  link = 25GB/s + 5us', '  link gpu[0] -- gpu[1] = 10GB/s  link gpu[1] -- gpu[2] = 10GB/s'),
    titles: ['Add link = 10GB/s to all devices', 'Add link gpu[2] -- gpu[3] = 10GB/s'],
  },
  // Schedules.
  {
    code: 'schedule/incomplete',
    text: rowed('  row(0) = F[0..1], B[0] // late\n  row(1) = F[0], B[0], F[1], B[1]'),
    titles: ['Add B[1] to the row of gpu[0]'],
    makes: 'F[0..1], B[0..1] // late',
  },
  {
    code: 'schedule/incomplete',
    text: rowed('  row(0) = F[0..1], B[0..1]\n  row(1) = F[0], B[0], B[1]'),
    titles: ['Add F[1] to the row of gpu[1]'],
  },
  {
    code: 'schedule/incomplete',
    text: rowed('  row(d) = F[0], B[0]'),
    titles: ['Add F[1], B[1] to the row of each device'],
  },
  {
    code: 'schedule/repeated',
    text: rowed('  row(0) = F[0..1], B[0..1], B[1]\n  row(1) = F[0], B[0], F[1], B[1]'),
    titles: ['Remove 0B1 from the row'],
    makes: 'row(0) = F[0..1], B[0..1]\n',
  },
  {
    code: 'schedule/repeated',
    text: rowed('  row(0) = F[0..2], B[0..1]\n  row(1) = F[0], B[0], F[1], B[1]'),
    titles: ['Remove 0F2 from the row'],
    makes: 'row(0) = F[0..1], B[0..1]',
  },
  {
    code: 'schedule/deadlock',
    text: rowed('  row(0) = F[1], B[1], F[0], B[0]\n  row(1) = F[0], B[0], F[1], B[1]'),
    titles: ['Move B[1] after B[0] in row(0)', 'Move F[0] before F[1] in row(0)'],
  },
  {
    code: 'schedule/deadlock',
    text: rowed('  row(0) = B[0], F[0..1], B[1]\n  row(1) = F[0..1], B[0..1]'),
    titles: ['Move B[0] after F[1] in row(0)', 'Move B[0] after B[1] in row(0)'],
    makes: 'row(0) = F[0..1], B[0..1]\n',
  },
  {
    code: 'schedule/deadlock',
    text: rowed('  row(0) = F[1], B[1], F[0], B[0]\n  row(1) = F[0..1], B[0..1]'),
    titles: ['Move B[1] after B[0] in row(0)'],
  },
  {
    // A rule in which blocking transfers wait for each other, though all are issued as early as they can be. The other rule stays.
    code: 'schedule/deadlock',
    text: `${rule('mine')}${rule('spare')}
device small { memory = 16GiB }
cluster pair { gpu[2] = small  link = 25GB/s + 5us }
model toy { layer block[4] { forward = 4ms  backward = 8ms  weights = 1MiB  activation = 1MiB  output = 1MiB } }
pipeline train {
  model = toy  devices = pair  stages = balance(4)  microbatches = 5  schedule = mine
  transfer = rendezvous(batched = all)
}
`,
    titles: ['Remove the limit of microbatches in flight'],
  },
  {
    code: 'schedule/shape',
    text: wrong(
      'microbatches = 8',
      'microbatches = 10',
      wrong('1f1b', 'interleaved_1f1b(chunks = 2)', wrong('balance(4)', 'balance(8)')),
    ),
    titles: ['Set microbatches to 12', 'Set microbatches to 8'],
  },
  // Imports.
  {
    code: 'import/not-found',
    text: `import { h100 } from "std:hardwar"\n${good}`,
    titles: ['Change to "std:hardware"'],
  },
  {
    code: 'import/not-found',
    text: `import "other.pip"\n${good}`,
    files: { 'other.pipe': 'device large { memory = 80GiB }', 'zebra.pipe': '' },
    titles: ['Change to "other.pipe"', 'Remove the import'],
  },
];

describe.each(cases.map((each) => [`${each.code}: ${each.titles[0] ?? ''}`, each] as const))('%s', (_, each) => {
  it('is offered, gone afterwards, without a new error, with the figures of a fresh simulation', () => checkCase(each));
});

test('the limit of another rule stays when a limit that causes a deadlock is removed', () => {
  const stuck = cases.find(({ titles }) => titles[0]?.startsWith('Remove the limit'));
  const analysis = analyse(stuck?.text ?? '');
  const [fix] = fixesOf(analysis, 'schedule/deadlock');
  const left = after(analysis, fix).syntax.text;
  expect(left.slice(left.indexOf('schedule spare'))).toContain('in_flight(s) = stages - s');
  expect(left.slice(0, left.indexOf('schedule spare'))).not.toContain('in_flight');
});
