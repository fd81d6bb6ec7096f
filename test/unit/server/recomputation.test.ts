import { expect, test } from 'vitest';
import type { CompletionList, Hover, SignatureHelp } from 'vscode-languageserver';
import { recomputeModules } from '../../../engine/costs/recompute.ts';
import { ask, invoked } from '../../support/asked.ts';
import { toy } from './samples.ts';

const file = (mode: string): string => toy.replace('schedule     = 1f1b', `schedule     = 1f1b  recompute = ${mode}`);
const labels = async (mode: string) =>
  (await ask<CompletionList | null>(file(mode), 'textDocument/completion', invoked))?.items.map(({ label }) => label);

test('what may be recomputed is offered, each once', async () => {
  expect((await labels('$0'))?.toSorted()).toEqual([
    'budget',
    'full',
    'modules',
    'none',
    'operations',
    'selective',
    'stage',
  ]);
});

test('modules, arguments of `full` and its methods are offered', async () => {
  expect(await labels('modules($0)')).toEqual([...recomputeModules]);
  expect(await labels('modules(mlp, $0)')).toEqual([...recomputeModules]);
  expect(await labels('full($0)')).toEqual(expect.arrayContaining(['layers', 'method', 'every']));
  expect(await labels('full(layers = 2, method = $0)')).toEqual(['block', 'uniform']);
});

test('help names the arguments of `full`', async () => {
  const found = await ask<SignatureHelp | null>(file('full($0)'), 'textDocument/signatureHelp');
  expect(found?.signatures[0]?.label).toBe('full(layers = all, method = block, every?)');
});

test.each([
  ['full$0', 'only the input of each layer'],
  ['ope$0rations', 'torchtitan'],
  ['sel$0ective', 'attention scores'],
  ['mod$0ules(mlp)', '--recompute-modules'],
  ['modules(m$0lp)', 'with the norm before it'],
  ['modules(mlp, layer$0norm)', 'The norms before latent attention and experts'],
])('a hover over %s explains it', async (mode, text) => {
  const found = await ask<Hover | null>(file(mode), 'textDocument/hover');
  expect(JSON.stringify(found?.contents)).toContain(text);
});

test('a hover over a layer shows what its modules free, by part, and how long they take', async () => {
  const text = `device d { memory = 80GiB  compute(bf16) = 1TFLOPS }
cluster c { gpu[1] = d }
model m { sequence = 32
  layer blo$0ck[2] = transformer(hidden = 64, heads = 4, gated = true, bias = false, flash = true, dropout = false) }
pipeline p { model = m  devices = c  microbatches = 1  schedule = 1f1b  stages = balance(1)  recompute = modules(layernorm, mlp) }`;
  const shown = JSON.stringify((await ask<Hover | null>(text, 'textDocument/hover'))?.contents);
  // 32 tokens: 2 · 64 bytes of the norm before the MLP, 6 · 256 between products.
  expect(shown).toContain('Its backward makes 52 KiB again in 3.15 µs');
  expect(shown).toMatch(/linear inputs \| 4 KiB.*MLP \| 48 KiB/);
});
