/** Figures worked out by hand, from the text of a file to the iteration. Milliseconds. */
import { describe, expect, test } from 'vitest';
import { exampleText } from '../../../support/example.ts';
import { pipelinesOf, runsOf } from './fixture.ts';

type Case = readonly [name: string, sync: string, collective: string, milliseconds: number];

const plain = 'stages = balance(1)  schedule = 1f1b';
const keys = (sync: string, collective: string, data = 2): string =>
  `data = ${data}  sync = ${sync}  ${collective === '' ? '' : `collective = ${collective}`}`;

/** Runs cases of one model in one file, and expects their milliseconds. */
function expectMilliseconds(head: string, common: string, cases: readonly Case[], files = {}, data = 2): void {
  const text =
    head +
    pipelinesOf(
      common,
      cases.map(([name, sync, collective]) => [name, keys(sync, collective, data)]),
    );
  const runs = runsOf(text, { files });
  for (const [name, sync, , milliseconds] of cases)
    expect((runs.get(name)?.iteration ?? NaN) * 1e3, `${name}: ${sync}`).toBeCloseTo(milliseconds, 8);
}

const pair = `device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
`;
/** Tensors of 1, 1 and 4 ms. */
const toy = `model toy {
  layer front { forward = 1ms  backward = 1ms  weights = 10MB }
  layer mid   { forward = 1ms  backward = 1ms  weights = 10MB }
  layer back  { forward = 1ms  backward = 1ms  weights = 40MB }
}
${pair}`;
const forward = 'order = forward, barrier = false';

describe('three layers of 1 ms on two ranks', () => {
  test('rules', () => {
    expectMilliseconds(toy, `model = toy  devices = pair  microbatches = 1  ${plain}`, [
      ['at_the_end', 'end', '', 12],
      ['each_layer', 'overlap', '', 10],
      ['ddp_buckets', 'ddp', '', 10],
      ['front_first', `overlap(${forward})`, '', 9],
      ['pieces', `overlap(${forward}, partition = 10MB, credit = 10MB)`, '', 8],
      ['one_piece', `overlap(${forward}, partition = 10MB)`, '', 8],
      ['much_credit', `overlap(${forward}, partition = 10MB, credit = 40MB)`, '', 10],
      ['late_ack', `overlap(${forward}, partition = 10MB, credit = 10MB, ack = 0.5ms)`, '', 10.5],
      ['late_ack_of_two', `overlap(${forward}, partition = 10MB, credit = 20MB, ack = 0.5ms)`, '', 8],
      ['one_bucket', 'overlap(bucket = 60MB, barrier = false)', '', 12],
      ['early', 'overlap(bucket = 60MB, barrier = false, partition = 10MB, early_start = true)', '', 10],
      ['horovod_cycle', 'horovod(cycle = 1.5ms)', '', 10.5],
      ['dear_halves', 'dear', '', 8],
      ['pace_tail', 'pace', '', 8],
    ]);
  });
  test('calls of 0.2 ms and of 0.5 ms', () => {
    const [short, long] = ['ring(call = 0.2ms)', 'ring(call = 0.5ms)'];
    expectMilliseconds(toy, `model = toy  devices = pair  microbatches = 1  ${plain}`, [
      ['of_10', `overlap(${forward}, partition = 10MB, credit = 10MB)`, short, 9.2],
      ['of_5', `overlap(${forward}, partition = 5MB, credit = 5MB)`, short, 10.4],
      ['ddp_buckets', 'ddp', short, 10.4],
      ['cut', `overlap(${forward}, partition = at_preemption)`, short, 9],
      ['pace_tail', 'pace', long, 9.5],
      ['best_buckets', 'overlap(bucket = best)', long, 11],
    ]);
  });
  test('two servers', () => {
    expectMilliseconds(toy, `model = toy  devices = pair  microbatches = 1  ${plain}`, [
      ['each_layer', 'overlap', 'ps(servers = 2)', 14],
      ['of_10', 'overlap(partition = 10MB)', 'ps(servers = 2)', 11],
      ['front_first', `overlap(${forward}, partition = 10MB)`, 'ps(servers = 2)', 9],
      ['slices', 'p3', 'ps(servers = 2, link = 10GB/s)', 8.01],
    ]);
  });
  test('two microbatches', () => {
    expectMilliseconds(toy, `model = toy  devices = pair  microbatches = 2  ${plain}`, [
      ['each_layer', 'overlap', '', 16],
      ['pieces', `overlap(${forward}, partition = 10MB)`, '', 14],
    ]);
  });
});

test('four layers, with tensors of 0.5, 1, 2 and 6 ms', () => {
  const layers = [5, 10, 20, 60].map(
    (megabytes, at) => `layer l${at} { forward = 1ms  backward = 2ms  weights = ${megabytes}MB }`,
  );
  expectMilliseconds(
    `model four {\n${layers.join('\n')}\n}\n${pair}`,
    `model = four  devices = pair  microbatches = 1  ${plain}`,
    [
      ['each_layer', 'overlap', '', 15.5],
      ['front_first', `overlap(${forward})`, '', 13.5],
      ['of_10', `overlap(${forward}, partition = 10MB)`, '', 12.5],
      ['of_5', `overlap(${forward}, partition = 5MB, credit = 10MB)`, '', 13],
    ],
  );
});

test.each([
  ['', 'overlap(barrier = false)', 40],
  ['', `overlap(${forward}, partition = 10MB)`, 39],
  ['output = 5MB', `overlap(${forward}, partition = 10MB)`, 41],
])('two stages of two layers; %s between them, %s', (output, sync, milliseconds) => {
  const stage = (at: number, sends: string) =>
    `layer a${at} { forward = 1ms  backward = 2ms  weights = 20MB }
     layer b${at} { forward = 1ms  backward = 2ms  weights = 100MB  ${sends} }`;
  expectMilliseconds(
    `model two {\n${stage(0, output)}\n${stage(1, '')}\n}
     device gpu { memory = 16GiB }
     cluster quad { gpu[4] = gpu  link = 10GB/s }\n`,
    'model = two  devices = quad  microbatches = 4  stages = balance(2)  schedule = 1f1b',
    [['p', sync, '', milliseconds]],
  );
});

test('the profile of VGG-16 on four GPUs over 10 Gb/s', () => {
  expectMilliseconds(
    `model vgg { from = profile("vgg16.graph.txt") }
     device gpu { memory = 64GiB }
     cluster four { gpu[4] = gpu  link = 1.25GB/s + 20us }\n`,
    `model = vgg  devices = four  microbatches = 1  ${plain}`,
    [
      ['at_the_end', 'end', '', 1336.7712112],
      ['each_layer', 'overlap', '', 900.4862112],
      ['ddp_buckets', 'ddp', '', 899.2862112],
      ['front_first', `overlap(${forward})`, '', 782.095248],
      ['slices', 'bytescheduler', '', 691.7205024],
      ['of_16', 'bytescheduler(partition = 16MB, credit = 16MB)', '', 673.7205024],
      ['cut', `overlap(${forward}, partition = at_preemption)`, '', 672.6636016],
    ],
    { 'vgg16.graph.txt': exampleText('profiles/vgg16.graph.txt') },
    4,
  );
});

/** One layer of 100 MB that computes nothing: an iteration is one exchange. */
const still = (cluster: string, layer = 'layer all { forward = 0ms  backward = 0ms  weights = 100MB }') =>
  `model still {\n${layer}\n}\ndevice gpu { memory = 16GiB }\n${cluster}\n`;
const alone = `model = still  devices = box  microbatches = 1  ${plain}`;

describe('collectives of 100 MB', () => {
  test('over 8 ranks with 10 us and 10 GB/s', () => {
    expectMilliseconds(
      still('cluster box { gpu[8] = gpu  link = 10GB/s + 10us }'),
      alone,
      [
        ['rings', 'end', 'ring', 17.64],
        ['halved', 'end', 'halving', 17.56],
        ['trees', 'end', 'tree', 20.06],
        ['servers', 'end', 'ps', 20.02],
        ['on_workers', 'end', 'ps(colocated = true)', 17.52],
        ['ordered', 'overlap', 'halving', 17.56],
      ],
      {},
      8,
    );
  });
  test('over 8 nodes of 4', () => {
    const cluster = 'cluster box { node[8] { gpu[4] = gpu  link = 100GB/s + 5us }  link = 1.25GB/s + 20us }';
    expectMilliseconds(
      still(cluster),
      alone,
      [
        ['inside_first', 'end', 'blueconnect', 2 * (0.015 + 0.75 + 0.14 + (7 / 8) * 20)],
        ['rings', 'end', 'ring(channels = 1)', 2 * 31 * 0.02 + ((2 * 31) / 32) * 80],
        // A ring for each card of a node.
        ['all_cards', 'end', 'ring', 2 * 31 * 0.02 + ((2 * 31) / 32) * 20],
      ],
      {},
      32,
    );
  });
});

const named = (ranks: number, gigabytes: number, pairs: readonly (readonly [number, number])[]): string =>
  `cluster box { gpu[${ranks}] = gpu
    ${pairs.map(([a, b]) => `link gpu[${a}] -- gpu[${b}] = ${gigabytes}GB/s`).join('\n')}`;
const pairsWhere = (ranks: number, linked: (a: number, b: number) => boolean): readonly (readonly [number, number])[] =>
  Array.from({ length: ranks ** 2 }, (_, at) => [Math.floor(at / ranks), at % ranks] as const).filter(
    ([a, b]) => a < b && linked(a, b),
  );

describe('several spanning trees carry so many GB/s', () => {
  // Links have no latency, so 100 MB take 100 MB / Y.
  test.each<[name: string, cluster: string, ranks: number, collective: string, gigabytes: number]>([
    [
      'a triangle of 10, 10 and 1',
      `${named(3, 10, [
        [0, 1],
        [1, 2],
      ])}  link gpu[0] -- gpu[2] = 1GB/s }`,
      3,
      'trees',
      10.5,
    ],
    [
      'all pairs of four',
      `${named(
        4,
        10,
        pairsWhere(4, () => true),
      )} }`,
      4,
      'trees',
      20,
    ],
    [
      'a cube',
      `${named(
        8,
        10,
        pairsWhere(8, (a, b) => [1, 2, 4].includes(a ^ b)),
      )} }`,
      8,
      'trees',
      120 / 7,
    ],
    [
      'seven ports of 10 and one of 1',
      'cluster box { gpu[8] = gpu  switch s { ports = gpu[0..6]  link = 10GB/s }  link gpu[7] -- s = 1GB/s }',
      8,
      'trees',
      1,
    ],
    [
      'eight ports of 10 and four servers',
      'cluster box { gpu[8] = gpu  link = 10GB/s }',
      8,
      'trees(servers = 4)',
      55 / 7,
    ],
  ])('%s', (_, cluster, ranks, collective, gigabytes) => {
    expectMilliseconds(still(cluster), alone, [['p', 'end', collective, 100 / gigabytes]], {}, ranks);
  });
  test('the NVLinks of a DGX-1', () => {
    const text = `${exampleText('nvlink-hops.pipe').split('/// The same without NVLinks.')[0]}
      model still { layer all { forward = 0ms  backward = 0ms  weights = 100MB } }
      ${pipelinesOf(alone.replace('box', 'dgx1'), [['p', keys('end', 'trees', 8)]])}`;
    const { iteration } = [...runsOf(text).values()][0];
    // Besides, two steps down and up a tree of any depth cost microseconds.
    expect(iteration).toBeGreaterThan(0.1 / (480 / 7));
    expect(iteration).toBeLessThan(0.1 / (480 / 7) + 2 * 7 * 5.7e-6);
  });
});

describe('a fully connected layer between 8 workers', () => {
  // Factors: 2 · 32 · 7 · (25088 + 4096) = 13,074,432 elements in and out of a rank; servers: 359,661,568.
  test.each([
    [25088, 4096, 32, 'sfb', 13_074_432],
    [10000, 1000, 3000, 'ps', 35_000_000],
  ])('%d × %d with %d samples', (rows, columns, samples, name, elements) => {
    const layer = `layer all { forward = 0ms  backward = 0ms  weights = ${rows * columns * 4}B  matrix = [${rows}, ${columns}] }`;
    const text = `${still('cluster box { gpu[8] = gpu  link = 10GB/s }', `micro_batch = ${samples}  ${layer}`)}
      ${pipelinesOf(alone, [['p', keys('hybrid', 'ps(colocated = true)', 8)]])}`;
    const { plan, iteration } = [...runsOf(text).values()][0];
    expect(plan.exchange?.lanes[0].calls.map((call) => call.name)).toEqual([name]);
    // A link carries in and out at once: half of the elements pass in each direction.
    expect(iteration).toBeCloseTo((elements / 2) * (4 / 10e9), 9);
  });
});
