import { expect, test } from 'vitest';
import type { Hover } from 'vscode-languageserver';
import { exampleText } from '../../support/example.ts';
import { main, positionAt, slice, withClient } from '../../support/server.ts';
import { ask, hoverAt, serverWith, shownBy } from '../../support/asked.ts';
import { staged, toy } from './samples.ts';

/** Hovers at `$0`; the text must have each of the parts, and stand over `over`. */
async function checkHover(source: string, over: string, ...parts: readonly (string | RegExp)[]): Promise<void> {
  await serverWith(source, async (opened) => {
    const found = await opened.ask<Hover | null>('textDocument/hover');
    for (const part of parts) expect(shownBy(found)).toMatch(part);
    expect(found?.range && slice(opened.text, found.range)).toBe(over);
  });
}

const mark = (text: string, before: string): string => text.replace(before, `$0${before}`);

test('a policy: what it does, with the numbers of this pipeline, and its page', () =>
  // p = 4, m = 8: warm-up p − i; fill and drain (p − 1)(F + B) = 3 · 24 ms.
  checkHover(mark(toy, '1f1b'), '1f1b', /4, 3, 2, 1/, /72 ms/, 'file:///docs/schedules/1f1b.md'));

test('zb_auto: the limit, the order that was taken, and how far it is from the best there can be', () =>
  // F = 8 ms, I = W = 8 ms: 3m + p − 1 operations, which none can be under.
  checkHover(
    toy.replace('= 1f1b', '= $0zb_auto(limit = 4)'),
    'zb_auto',
    /limit: the activations of 4 microbatches on a device/,
    /order: zb_h1/,
    /end: 216 ms, and no order within the limit of 4 microbatches on each device ends sooner/,
  ));

test('zb_auto: one line says where its order ends', async () => {
  const text = await hoverAt(exampleText('search.pipe').replace('= zb_auto', '= $0zb_auto'));
  expect(text.match(/end: /gi)).toHaveLength(1);
  // 1.2792 s, and `search` proves that 1.2449 s are the least.
  expect(text).toContain(
    '- end: 1.28 s, at most 2.8 % above the least possible within the memory of the devices (1.24 s)',
  );
});

test('the schedule of a pipeline: how far its end is from the least possible, and a proof only where they are equal', async () => {
  // No device can start later than after 3 F, with 8 · 24 ms to do: 216 ms. 1F1B takes (m + p − 1)(F + B) = 11 · 24 ms.
  const above = /End: 264 ms, at most 22\.3 % above the least possible with split backwards \(216 ms\)\./;
  await checkHover(mark(toy, '1f1b'), '1f1b', above);
  const proven = /End: 216 ms, and it is proven that no order of these operations ends sooner\./;
  await checkHover(toy.replace('= 1f1b', '= $0zb_h1'), 'zb_h1', proven);
  // With memory for two microbatches, other orders are shorter that do not fit.
  const tight = toy.replace('memory = 16GiB', 'memory = 4GiB').replace('= 1f1b', '= $0dapple(in_flight = 2)');
  expect(await hoverAt(tight)).toMatch(
    /End: .* above the least possible within the memory of the devices with split backwards \(/,
  );
  // The search says it among its own figures.
  expect(await hoverAt(toy.replace('= 1f1b', '= $0search'))).not.toContain('End: ');
  // Without a flush there is no end.
  expect(await hoverAt(toy.replace('= 1f1b', '= $0pipedream'))).not.toContain('End: ');
});

test('a param: its value and doc', () =>
  checkHover(toy.replace('= microbatches', '= $0microbatches'), 'microbatches', /8/, 'How many microbatches.'));

test('a device and a model', async () => {
  const shares = 'device e { memory = 1GiB  speed = 0.9 }\ndevice d { from = $0e }';
  await checkHover(shares, 'e', /device e/, /1 GiB, relative speed 0\.9/);
  await checkHover('device d { $0from = d }', 'from', /from another device/);
  await checkHover(toy.replace('gpu[4] = v100', 'gpu[4] = $0v100'), 'v100', /device v100/);
  await checkHover(toy.replace('model        = toy', 'model        = $0toy'), 'toy', 'Eight equal layers.');
});

test('a pipeline: its figures', () => checkHover(mark(toy, 'train {\n'), 'train', /iteration 264 ms/, /27\.3 %/));

test('a stage: costs of a microbatch and what fills the peak', () =>
  // gpipe, m = 4: four activations of 2 MiB, weights and gradients of 1 MiB each.
  checkHover(
    mark(staged, 'first {'),
    'first',
    /forward \| 1 ms/,
    /input gradient \| 1 ms/,
    /activation \| 2 MiB/,
    /activations \| 8 MiB/,
    /weights \| 1 MiB/,
    /gradients \| 1 MiB/,
  ));

test('a stage in segments: costs of the whole microbatch, and segments in flight', () =>
  // Four microbatches of two segments on two stages: p + k − 1 = 3 segments of 1 MiB in flight.
  checkHover(
    mark(staged.replace('gpipe', 'seq1f1b(segments = 2)'), 'first {'),
    'first',
    /2 segments/,
    /forward \| 1 ms/,
    /activation \| 2 MiB/,
    /1.5 microbatches in flight \(3 segments\)/,
    /activations of first\[0\] \| 2 MiB \| 0\.2 % \| 2 × 1 MiB/,
    /activations of first\[1\] \| 1 MiB/,
    /weights \| 1 MiB/,
  ));

const tight = staged.replace('memory = 1GiB', 'memory = 4GiB  reserved = framework').replaceAll('MiB', '0MiB');

test('memory of a stage: each item with its share of the capacity, the moment, what is left, what is reserved', () =>
  // 4 GiB less a context and one communicator; 4 × 20 MiB after four forwards of 1 ms, 10 MiB of weights and of gradients.
  checkHover(
    mark(tight, 'first {'),
    'first',
    /gpu\[0\] peaks at 100 MiB of 2 GiB at 4 ms \(0F3\), 4 microbatches in flight:/,
    /weights \| 10 MiB \| 0\.5 % \|/,
    /activations \| 80 MiB \| 3\.9 % \| 4 × 20 MiB/,
    /\*\*left\*\* \| 1\.9 GiB \| 95\.1 %/,
    'Of its 4 GiB, 2 GiB are reserved: context 1.5 GiB, communicators 512 MiB.',
  ));

test('memory of a device, over `on`, and of all devices, over `devices`', async () => {
  const pinned = tight
    .replace('layers = b', 'layers = b  on = gpu[1]')
    .replace('layers = a', 'layers = a  on = gpu[0]');
  // The second stage begins when the first transfer has come, 5 µs late, and holds all four after four forwards more.
  await checkHover(mark(pinned, 'gpu[1] }'), 'gpu[1]', /gpu\[1\] peaks at 100 MiB of 2 GiB/, /4 × 20 MiB/);
  await checkHover(
    mark(tight, 'pair\n'),
    'pair',
    /gpu\[0\]: first \| 100 MiB \| 4\.9 % \| 1\.9 GiB left/,
    /gpu\[1\]: second \| 100 MiB/,
    /gpu\[0\] peaks at 100 MiB/,
    /activations \| 80 MiB/,
  );
  const small = tight.replace('4GiB  reserved = framework', '64MiB');
  await checkHover(mark(small, 'pair\n'), 'pair', /36 MiB over/, /\*\*over\*\* \| 36 MiB \| 56\.3 %/);
});

test('the word for what a framework holds', () =>
  checkHover(mark(tight, 'framework'), 'framework', /1\.5 GiB/, /3 GiB/));

test('a key, a declaration keyword, a word, a function, a quantity', async () => {
  await checkHover(mark(toy, 'forward'), 'forward', /forward pass/);
  await checkHover(mark(toy, 'pipeline'), 'pipeline', /One model on one cluster/);
  await checkHover('model m { precision = $0fp8 }', 'fp8', /one byte/);
  await checkHover('schedule s { placement = $0v_shape }', 'v_shape', /back up/);
  await checkHover(mark(toy, 'balance'), 'balance', /balance\(stages/);
  await checkHover(mark(toy, '16GiB'), '16GiB', /16 GiB/, /2³⁰ bytes/);
  await checkHover(mark(toy, 'bubble'), 'bubble', /Idle share/);
});

test('where the figures of an imported device come from, and a switch', async () => {
  await checkHover('import { $0h100 } from "std:hardware"', 'h100', /79\.1 GiB/, /Sources: /, /Confidence: high/);
  await checkHover('cluster k { /// A bus.\n switch $0bus {} }', 'bus', /switch bus/);
});

test('an operation of a row', () =>
  checkHover('schedule s { row(d) = $0F[0..3], B[0..3] }', 'F[0..3]', /Forward pass/));

test('nothing over white space and comments', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    for (const text of [' slider', '\n\ndevice'])
      expect(
        await client.request('textDocument/hover', {
          textDocument: { uri: main },
          position: positionAt(toy, toy.indexOf(text) + 1),
        }),
      ).toBeNull();
  });
});

test('at the end of a name it is still the name, and one character on it is not', async () => {
  await checkHover(toy.replace('= microbatches', '= microbatches$0'), 'microbatches', /param microbatches/);
  expect(await ask(toy.replace('model        = toy', 'model        = toy $0'), 'textDocument/hover')).toBeNull();
});

test('a search: its keys, values and figures', async () => {
  const hover = (body: string): Promise<string> => hoverAt(`${toy}\nsearch train { ${body} }`);
  expect(await hover('ten$0sor in [1]')).toContain('Values to try. Tensor-parallel ranks of each stage.');
  expect(await hover('micro_ba$0tch in [1]')).toContain('Samples of a microbatch to try');
  expect(await hover('schedule in [zb_h$01]')).toContain('zb_h1(');
  expect(await hover('subject_to = peak_me$0mory < 1GiB')).toContain('Most bytes held at any time.');
});

test('a schedule of a pipeline with jitter: the 95th percentile behind the iteration', () =>
  checkHover(toy.replace('= 1f1b', '= $01f1b  jitter = 5%'), '1f1b', /iteration \S+ ms · p95 \S+ ms · bubble/));

test('a stage: what the iteration takes if the stage is slower or faster', () =>
  checkHover(mark(staged, 'first {'), 'first', /If the stage is 10 % slower, the iteration gets .* longer/));

test('a stage: its slack, up to the slowest stage', async () => {
  // F + B: 6 ms and 3 ms for two layers and one.
  const uneven = staged.replace('layer b {', 'layer c { forward = 1ms  backward = 2ms }  layer b {');
  const source = uneven.replace('layers = a', 'layers = a, c').replace(' + 5us', '');
  await checkHover(
    mark(source, 'second {'),
    'second',
    /Slack: 3 ms per microbatch. Up to that, the iteration gets longer only once\./,
  );
  await checkHover(mark(source, 'first {'), 'first', /shorter \([\d.]+ %\)\. It has no slack\./);
  const steady = source.replace('gpipe', 'pipedream').replace('microbatches = 4', 'microbatches = 1  iterations = 64');
  await checkHover(
    mark(steady, 'second {'),
    'second',
    /Slack: 3 ms per microbatch. Up to that, the period stays the same\./,
  );
});

test('a cluster and a device at their declarations: what the pipelines of the file need of them', async () => {
  // Warm-up 4: four microbatches of 1 GiB, and 512 MiB each of weights and gradients.
  await checkHover(
    toy.replace('cluster box', 'cluster $0box'),
    'box',
    'In `train`:',
    'gpu[0] peaks at 5 GiB of 16 GiB',
  );
  await checkHover(
    toy.replace('device v100', 'device $0v100'),
    'v100',
    'In `train`:',
    'gpu[0] peaks at 5 GiB of 16 GiB',
  );
  const two = `${toy}\ndevice spare { memory = 8GiB }\ncluster other { gpu[2] = spare }\n`;
  expect(await hoverAt(two.replace('device spare', 'device $0spare'))).not.toContain('peaks');
  expect(await hoverAt(two.replace('cluster other', 'cluster $0other'))).not.toContain('peaks');
});

test('a link: the transfers whose slowest link it is', async () => {
  // Eight microbatches of 25 MB each way, 1 ms each at 25 GB/s.
  const sent = toy.replace('activation = 512MiB', 'activation = 512MiB  output = 25MB');
  const row = /gpu\[0\] → gpu\[1\] \| 191 MiB \| [23][\d.]* % busy/;
  await checkHover(sent.replace('link = 25GB/s', '$0link = 25GB/s'), 'link', row);
  await checkHover(sent.replace('link = 25GB/s', 'link = $025GB/s'), '25GB/s', row);
  const inner = sent.replace('gpu[4] = v100  link', 'node[1] { gpu[4] = v100  link = 250GB/s }  link');
  expect(await hoverAt(inner.replace('link = 250GB/s', '$0link = 250GB/s'))).toContain('gpu[1] | 191 MiB');
  expect(await hoverAt(inner.replace('link = 25GB/s', '$0link = 25GB/s'))).not.toContain('191 MiB');
  // Nothing is sent.
  expect(await hoverAt(toy.replace('link = 25GB/s', '$0link = 25GB/s'))).not.toContain('Transfers');
});

test('a word of an argument says what it alone means', async () => {
  const shard = toy.replace('schedule ', 'optimizer = adam(shard = $0distributed)  schedule ');
  await checkHover(shard, 'distributed', "the optimizer state; Megatron-LM's name of `zero1`");
  await checkHover(
    toy.replace('balance(4)', 'balance(4, $0by = time)'),
    'by',
    '- `memory`: the memory of the fullest device',
  );
});
