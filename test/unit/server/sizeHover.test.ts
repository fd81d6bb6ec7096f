/** Hovers over models and layers before a pipeline exists. */
import { expect, test } from 'vitest';
import { hoverAt } from '../../support/asked.ts';
import { amount } from '../../../engine/basics/quantities.ts';

const [vocab, hidden, ffn, layers] = [32_000, 4096, 11_008, 32];
const llama = `model m {
  sequence = 2048  micro_batch = 2
  layer embed = embedding(vocab = ${vocab}, hidden = ${hidden}, dropout = false)
  layer block[${layers}] = transformer(hidden = ${hidden}, heads = 32, ffn = ${ffn}, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false)
  layer head = lm_head(vocab = ${vocab}, hidden = ${hidden}, norm = rmsnorm)
}`;

// Touvron et al., "Llama 2": four square matrices of attention, three of the MLP, two norms.
const block = 4 * hidden * hidden + 3 * hidden * ffn + 2 * hidden;
const model = layers * block + 2 * vocab * hidden + hidden;

test('a layer says its parameters and FLOPs without a device', async () => {
  const text = await hoverAt(llama.replace('layer block', 'layer bl$0ock'));
  expect(text).toContain(`Each layer has ${amount(block)} parameters.`);
  // Two FLOPs for each weight of a product; half the keys, since each token meets earlier ones only.
  const flops = 2 * (4 * hidden * hidden + 3 * hidden * ffn) + 2 * 2048 * hidden;
  expect(text).toContain(`A forward takes ${amount(flops)}FLOP for each token.`);
});

test('a model says the sum of its layers, 6.74 billion parameters for Llama 2 7B', async () => {
  expect(amount(model)).toMatch(/^6\.7/);
  expect(await hoverAt(llama.replace('model m', 'model $0m'))).toContain(`It has ${amount(model)} parameters.`);
});

test('an imported model too; measured layers have no such figures', async () => {
  expect(await hoverAt('import { gpt2 } from "std:models"\nmodel mine { from = gp$0t2 }')).toContain(
    'parameters. A forward',
  );
  const measured =
    'model $0m { layer a = linear(inputs = 8, outputs = 8)  sequence = 8  layer b { forward = 1ms  backward = 1ms } }';
  expect(await hoverAt(measured)).not.toContain('parameters');
});

test('once a pipeline has the model, its own figures are shown', async () => {
  const pipeline = `device d { memory = 80GiB  compute = 100TFLOPS  bandwidth = 1TB/s }
cluster c { gpu[2] = d  link = 100GB/s }
pipeline p { model = m  devices = c  microbatches = 4  stages = balance(2)  schedule = 1f1b }`;
  const text = await hoverAt(`${llama.replace('model m', 'model $0m')}\n${pipeline}`);
  expect(text).toContain(`${amount(model)} parameters`);
  expect(text).not.toContain('for each token');
});
