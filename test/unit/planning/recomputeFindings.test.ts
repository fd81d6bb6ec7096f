import { test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';

const file = (layer: string, keys: string, stages = 'stages = balance(2)'): string => `
device d { memory = 80GiB  compute(bf16) = 1TFLOPS }
cluster c { gpu[2] = d  link = 400GB/s }
model m { sequence = 32
  layer block[8] ${layer} }
pipeline p { model = m  devices = c  microbatches = 4  schedule = 1f1b  optimizer = none
  ${stages}
  ${keys} }
`;
const shape = (more: string): string =>
  `= transformer(hidden = 64, heads = 4, bias = false, norm = rmsnorm, dropout = false${more})`;
const dense = shape(', gated = true, flash = true');
const experts = shape(', gated = true, flash = true, experts = 8, experts_per_token = 2, shared_experts = 1');

const told = (layer: string, mode: string, ...messages: readonly string[]) =>
  checkFindings(file(layer, `recompute = ⟦key/not-applicable:${mode}⟧`), messages);
const quiet = (layer: string, mode: string) => checkFindings(file(layer, `recompute = ${mode}`));

test('`selective` says that FlashAttention leaves it nothing, and what other modes free', () => {
  // The norm's result, 64, and gate, up and product of 4 · 64 each, of 32 tokens: 4 KiB + 48 KiB. All but the input: 162.5 KiB − 4 KiB.
  told(dense, 'selective', '`modules(mlp)` frees 52 KiB of a layer');
  told(experts, 'selective', '`modules(moe)` frees');
  quiet(shape(', gated = true'), 'selective');
});

test('modules that no layer has', () => {
  told(dense, 'modules(mla_up_proj)', 'kv_lora_rank');
  told(dense, 'modules(layernorm, mlp)', 'no layer has a norm apart from the product behind it');
  told(dense, 'modules(moe_act, mlp)', '"moe_act"');
  told(experts, 'modules(mlp, moe)', 'write `moe`');
  told(dense, 'modules(core_attention, mlp)', 'runs its attention again');
  quiet(experts, 'modules(shared_experts, moe_act, layernorm)');
  quiet(shape(', gated = true'), 'modules(core_attention, mlp)');
});

test('more layers than a stage has', () => {
  told(dense, 'full(layers = 5)', 'no stage has more than 4 such layers; write `full`');
  told(dense, 'full(layers = 9, method = uniform)', '`full(layers = 4, method = uniform)`');
  told(dense, 'full(every = 5)', 'write at most 4');
  for (const mode of ['full(layers = 4)', 'full(every = 4)', 'full(layers = 4, method = uniform)']) quiet(dense, mode);
  quiet('{ forward = 1ms  backward = 2ms  activation = 1MiB  output = 1KiB }', 'full(layers = 2)');
});

test('a stage is looked at by itself', () => {
  const stages = (own: string) =>
    `stage a { layers = block[0..1]  recompute = ${own} }\n  stage b { layers = block[2..7] }`;
  checkFindings(file(dense, 'recompute = full(layers = 4)', stages('⟦key/not-applicable:full(layers = 3)⟧')), [
    'no stage has more than 2',
  ]);
  checkFindings(file(dense, 'recompute = full(layers = 4)', stages('none')));
});
