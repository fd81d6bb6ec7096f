import { expect, test } from 'vitest';
import type { CodeLens, Hover, InlayHint, MarkupContent } from 'vscode-languageserver';
import { main, positionAt, withClient } from '../../support/server.ts';

/**
 * One transformer layer of s = h = 1024, 16 heads, one sample: s·b·h = 2²⁰. Linear layers take 24·s·h² = 25.77 GFLOP, the causal core
 * 2·s²·h = 2.147 GFLOP; kernels reach 50 TFLOP/s and there is no memory bandwidth to wait for.
 */
const source = (more = '', ranks = 'tensor = 2  sequence_parallel = true', stages = 2) => `
model gpt {
  sequence = 1024  micro_batch = 1  precision = bf16
  layer block[2] = transformer(hidden = 1024, heads = 16)
  layer head = lm_head(vocab = 1024, hidden = 1024)
}
device card { memory = 64GiB  compute = 100TFLOPS  efficiency = 50% }
cluster box { gpu[16] = card  link = 100GB/s }
pipeline run {
  model = gpt  devices = box  microbatches = 4  ${ranks}  ${more}
  ${stages === 2 ? 'stage first { layers = block[0] }  stage last { layers = block[1..1], head }' : 'stages = balance(1)'}
  schedule = 1f1b
}
`;

async function hoverOver(text: string, mark: string): Promise<string> {
  let shown = '';
  await withClient(async (client) => {
    client.open(main, text);
    const found = await client.request<Hover | null>('textDocument/hover', {
      textDocument: { uri: main },
      position: positionAt(text, text.indexOf(mark)),
    });
    shown = (found?.contents as MarkupContent | undefined)?.value ?? '';
  });
  return shown;
}

test('a layer with a shape: parameters, FLOPs, times, traffic, what its forward leaves and would leave', async () => {
  const text = await hoverOver(source(), 'block[2]');
  expect(text).toContain('On one card in `run` (tensor 2, sequence parallel), one microbatch:');
  // 12h² + 13h; of it 6h² + 9.5h on one of two ranks, which have biases behind sums and norms whole.
  expect(text).toContain('| parameters | 12.6 M, 6.3 M on the device |');
  expect(text).toContain('| FLOPs of the forward | 14 GFLOP |');
  // (25.77 + 2.147) / 2 GFLOP in 279.2 µs; two gathers and two scatters of 2 MiB, half of each over the link: 41.94 µs.
  expect(text).toContain('| forward | 321 µs |');
  // (25.77 + 2 · 2.147) / 2 in 300.6 µs, and as many again; 25.77 / 2 in 257.7 µs.
  expect(text).toContain('| input gradient | 343 µs |');
  expect(text).toContain('| weight gradient | 258 µs |');
  expect(text).not.toContain('recompute |');
  expect(text).toContain('| output | 1 MiB |');
  expect(text).toContain('| tensor ranks | 8 MiB in 83.9 µs, all exposed |');
  expect(text).toContain('Its forward keeps 57 MiB:');
  // Of 34·s·b·h / t + 5·a·s²·b / t (arXiv:2205.05198, table 2): 4, 4, 2, 6, 2, 16 and 80 times s·b·h / 2.
  for (const row of [
    '| norm inputs | 2 MiB | 3.5 % |',
    '| linear inputs | 2 MiB |',
    '| dropout masks | 1 MiB |',
    '| queries, keys, values | 3 MiB |',
    '| scores | 40 MiB | 70.2 % |',
    '| attention output | 1 MiB |',
    '| MLP | 8 MiB |',
    '| **together** | 57 MiB |  |',
    '| with `recompute = selective` | 17 MiB |  |',
    '| with `recompute = full` | 1 MiB |  |',
  ])
    expect(text).toContain(row);
});

test('traffic beside computing is told as hidden, recomputation with its forward again', async () => {
  const half = await hoverOver(source('overlap(tensor) = 50%'), 'block[2]');
  expect(half).toContain('| forward | 300 µs |');
  expect(half).toContain('| tensor ranks | 8 MiB in 83.9 µs, 41.9 µs exposed |');
  const hidden = await hoverOver(source('overlap(tensor) = 100%'), 'block[2]');
  expect(hidden).toContain('| tensor ranks | 8 MiB in 83.9 µs, hidden |');
  expect(hidden).toContain('| forward | 279 µs |');
  // Three passes of 4 MiB each.
  const full = await hoverOver(source('recompute = full'), 'block[2]');
  expect(full).toContain('| recompute | 321 µs |');
  expect(full).toContain('| tensor ranks | 12 MiB in 126 µs, all exposed |');
  expect(full).toContain('Its forward keeps 1 MiB (`recompute = full`):');
  expect(full).toContain('| with `recompute = none` | 57 MiB |');
  expect(full).not.toContain('together');
  const stage = await hoverOver(source('recompute = stage'), 'block[2]');
  expect(stage).toContain('Under `recompute = stage` the backward recomputes these activations:');
  expect(stage).toContain('| **together** | 57 MiB |');
});

test('a head: logits as workspace; nothing to tell apart where recomputation changes nothing', async () => {
  const text = await hoverOver(source('', ''), 'head =');
  expect(text).toContain('On one card in `run`, one microbatch:');
  // 4-byte logits and a 16-bit copy of s · V, V = 1024.
  expect(text).toContain('| workspace | 6 MiB |');
  expect(text).toContain('| FLOPs of the forward | 2.15 GFLOP |');
  expect(text).not.toMatch(/ranks|with `recompute/);
});

test('the hint stays short', async () => {
  await withClient(async (client) => {
    const text = source();
    client.open(main, text);
    const hints = await client.request<InlayHint[]>('textDocument/inlayHint', {
      textDocument: { uri: main },
      range: { start: { line: 0, character: 0 }, end: positionAt(text, text.length) },
    });
    expect(hints.map((hint) => hint.label)).toContain('12.6 M parameters, F 321 µs, 57 MiB');
  });
});

test('a stage: its ranks in words, what they exchange, what a forward leaves by part, once', async () => {
  const ranks = 'tensor = 2  sequence_parallel = true  data = 4';
  const text = await hoverOver(source('', ranks), 'first {');
  expect(text).toContain('| ranks | tensor 2 × data 4: 8 devices |');
  expect(text).toContain('| forward | 321 µs |');
  expect(text).toContain('| tensor ranks | 8 MiB in 83.9 µs, all exposed |');
  expect(text).toContain('| scores | 40 MiB | 70.2 % |');
  expect(text).toContain('| **together** | 57 MiB |  |');
  expect(text).not.toContain('microbatch of first leaves');
  // Over the device, which may hold several stages, in one line.
  const pinned = source('', ranks)
    .replace('{ layers = block[0] }', '{ layers = block[0]  on = gpu[0..7] }')
    .replace(', head }', ', head  on = gpu[8..15] }');
  expect(await hoverOver(pinned, 'gpu[0..7]')).toContain('One microbatch of first keeps norm inputs 2 MiB');
});

test('a stage in segments: all of them together', async () => {
  const text = await hoverOver(source().replace('= 1f1b', '= seq1f1b(segments = 2)'), 'first {');
  expect(text).toContain('one microbatch (2 segments):');
  expect(text).toContain('| tensor ranks | 8 MiB in 83.9 µs, all exposed |');
  expect(text).toContain('| scores | 40 MiB | 70.2 % |');
  expect(text).toContain('| **together** | 57 MiB |  |');
});

test('the lens and the hover of a pipeline end with the share of the peak that model FLOPs have', async () => {
  // One device, no communication, three passes of one forward at half the peak: all of the time is computing.
  const text = source('', '', 1);
  await withClient(async (client) => {
    client.open(main, text);
    const [lens] = await client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri: main } });
    expect(lens?.command?.title).toMatch(/ of 64 GiB ± \d+ % · MFU 50 %$/);
  });
  expect(await hoverOver(text, 'run {')).toContain('· MFU 50 %');
});
