/** Inputs that tensor ranks gather with sequence parallelism: PyTorch (FSDP) keeps them whole, Megatron-LM gathers them again. */
import { describe, expect, it } from 'vitest';
import { planOf } from '../../support/resolve.ts';
import { cost } from './settings.ts';

const [sequence, hidden, heads, tensor, microBatch] = [2048, 1024, 16, 4, 3];
const sbh = sequence * microBatch * hidden;
const layer = { hidden, heads, flash: true };
const split = { sequence, microBatch, tensor, sequenceParallel: true } as const;
const whole = { ...split, wholeInputs: true } as const;

describe('inputs that stay gathered', () => {
  it.each(['full', 'operations'] as const)(
    'are whole while a layer runs again (%s), and so is the gradient of one',
    (recompute) => {
      const [again, kept] = [split, whole].map((setting) => cost('transformer', layer, { ...setting, recompute }));
      // Inputs of both halves are 2·s·b·h bytes each, of which a rank has a t-th anyway.
      expect(again.workspace).toBe(0);
      expect(kept.workspace).toBe(2 * 2 * sbh * (1 - 1 / tensor) + 2 * sbh);
      expect([kept.activation, kept.recomputed]).toEqual([again.activation, again.recomputed]);
    },
  );

  it('are gathered again by layers that are not recomputed', () => {
    for (const recompute of ['none', 'selective'] as const)
      expect(cost('transformer', layer, { ...whole, recompute }).workspace).toBe(0);
  });

  it('are no larger without sequence parallelism, where they are whole anyway', () => {
    const setting = { ...split, sequenceParallel: false, recompute: 'full' } as const;
    const figures = [setting, { ...setting, wholeInputs: true } as const].map((each) => {
      const { activation, workspace } = cost('transformer', layer, each);
      return [activation, workspace];
    });
    expect(figures[1]).toEqual(figures[0]);
  });

  it('of a head take 2·s·b·h', () => {
    const head = { hidden, vocab: 1000, pad: 1, norm: 'rmsnorm', loss: 'fused' };
    const [again, kept] = [split, whole].map((setting) => cost('lm_head', head, setting));
    expect(kept.activation - again.activation).toBe(2 * sbh * (1 - 1 / tensor));
    expect(kept.activationForWeight - again.activationForWeight).toBe(2 * sbh * (1 - 1 / tensor));
  });

  it('come with shards of the weights', () => {
    const workspace = (shard: string, recompute = 'full', data = 2, recipe = 'adamw') =>
      planOf(`
model m { sequence = ${sequence}  micro_batch = ${microBatch}  layer block[2] = transformer(hidden = ${hidden}, heads = ${heads}, flash = true) }
device g { memory = 80GiB  compute = 100TFLOPS }
cluster c { gpu[${data * tensor}] = g  link = 100GB/s }
pipeline p {
  model = m  devices = c  tensor = ${tensor}  sequence_parallel = true  data = ${data}  microbatches = 2  recompute = ${recompute}
  stages = balance(1)  schedule = 1f1b  optimizer = ${recipe}(shard = ${shard})
}`).stages[0].workspace;
    // The rest is the whole weights and gradients of the layers in use.
    const inputs = (shard: string) => workspace(shard) - workspace(shard, 'none');
    for (const shard of ['zero3', 'fsdp']) expect(inputs(shard)).toBe(2 * 2 * sbh * (1 - 1 / tensor) + 2 * sbh);
    expect(inputs('zero2')).toBe(0);
    // Megatron-LM gathers them again, also with its own FSDP.
    expect(workspace('fsdp', 'full', 2, 'megatron_bf16')).toBe(workspace('fsdp', 'none', 2, 'megatron_bf16'));
    // A shard over one rank splits nothing: no framework wraps the layers for it.
    expect(workspace('fsdp', 'full', 1)).toBe(0);
  });
});
