/** Bytes and seconds of the update of the weights. */
import { describe, expect, it } from 'vitest';
import { findOptimizer } from '../../../engine/costs/optimizer.ts';
import { planOf } from '../../support/resolve.ts';

const updated = (
  name: string,
  values: readonly (readonly [string, string])[] = [],
  clip = false,
): number | undefined => {
  const found = findOptimizer(name);
  const made = found?.with?.(new Map(values)) ?? found;
  if (made === undefined || typeof made === 'string') throw new Error(name);
  return made.updated?.('bf16', clip);
};

describe('bytes of the update of a parameter', () => {
  it.each([
    // Weight, gradient and moments are read, weight and moments are written, all in fp32.
    ['adamw', 4 + 4 + 8 + 4 + 8],
    ['adam', 28],
    ['sgd', 4 + 4 + 4],
    ['momentum', 4 + 4 + 4 + 4 + 4],
    ['adam_bf16', 2 + 2 + 4 + 2 + 4],
    ['lion', 4 + 4 + 4 + 4 + 4],
    // The gradient is read for its squares, for the size of the update, and to apply it.
    ['adafactor', 3 * 4 + 4 + 4],
    ['adam_8bit', 4 + 4 + 2 + 4 + 2],
    ['muon', 4 + 4 + 4 + 4 + 4],
    // Gradient, main weight and moments are read, main weight and moments are written, and the 16-bit weight.
    ['adam_mixed', 2 + 12 + 12 + 2],
    ['megatron_bf16', 4 + 12 + 12 + 2],
    ['megatron_fp8', 4 + 12 + 12 + 2],
    ['deepspeed_bf16', 4 + 12 + 12 + 2],
    // Gradients are copied to fp32 first: 2 read and 4 written, then 4 read.
    ['megatron_fp16', 2 + 4 + 4 + 12 + 12 + 2],
  ])('%s: %d', (name, bytes) => {
    expect(updated(name)).toBe(bytes);
  });

  it('remainder: bf16 weight and remainder are read and written', () => {
    expect(updated('megatron_bf16', [['main_params', 'remainder']])).toBe(4 + 2 * (2 + 8) + 2 * 2);
  });

  it('clip: gradients are read for the norm, then read and written', () => {
    expect(updated('adamw', [], true)).toBe(28 + 12);
    expect(updated('megatron_fp16', [], true)).toBe(36 + 12);
  });

  it('without an optimizer: none', () => {
    expect(updated('none')).toBeUndefined();
  });
});

describe('seconds of the update', () => {
  const [layers, hidden, bandwidth] = [2, 1024, 1e12];
  /** 12·h² + 13·h of a GPT layer. */
  const parameters = layers * (12 * hidden ** 2 + 13 * hidden);
  const step = (optimizer: string, { device = '', mesh = 'data = 4', layer = '' } = {}): number =>
    planOf(`
model m { sequence = 1024  micro_batch = 1  layer block[${layers}] ${layer || `= transformer(hidden = ${hidden}, heads = 16)`} }
device g { memory = 80GiB  compute = 100TFLOPS  bandwidth = ${bandwidth}B/s  ${device} }
cluster c { gpu[4] = g  link = 100GB/s }
pipeline p { model = m  devices = c  ${mesh}  microbatches = 2  stages = balance(1)  schedule = 1f1b  optimizer = ${optimizer} }`)
      .step[0].optimizer;
  const bySize = { device: 'memory_efficiency = 20%  memory_efficiency(64MB) = 50%' };

  it('are its bytes at the bandwidth and its share for their size', () => {
    expect(step('adamw', bySize)).toBeCloseTo((28 * parameters) / (0.5 * bandwidth), 12);
    // A quarter is under 64 MB less: 28 · 6.3 million bytes are above, 28 · 2 million are not.
    expect(step('adamw(shard = zero1)', bySize)).toBeCloseTo((28 * parameters) / 4 / (0.5 * bandwidth), 12);
    expect(
      step('adamw(shard = zero1)', { device: 'memory_efficiency = 20%  memory_efficiency(500MB) = 50%' }),
    ).toBeCloseTo((28 * parameters) / 4 / (0.2 * bandwidth), 12);
  });

  it('are those of the part that a device holds: shards, groups of shards, tensor ranks', () => {
    const whole = step('adamw', bySize);
    for (const shard of ['zero1', 'zero2', 'fsdp'])
      expect(step(`adamw(shard = ${shard})`, bySize)).toBeCloseTo(whole / 4, 12);
    expect(step('adamw(shard = zero1, over = 2)', bySize)).toBeCloseTo(whole / 2, 12);
    const split = (layers * (12 * hidden ** 2)) / 2;
    expect(step('adamw', { ...bySize, mesh: 'tensor = 2  data = 2' })).toBeGreaterThan(
      (28 * split) / (0.5 * bandwidth),
    );
    expect(step('adamw', { ...bySize, mesh: 'tensor = 2  data = 2' })).toBeLessThan(0.51 * whole);
    expect(step('adamw(clip = true)', bySize)).toBeCloseTo((whole * 40) / 28, 12);
  });

  it('are what the file says, and 0 of measured layers and on devices with one roofline', () => {
    expect(step('adamw(step = 3ms)', bySize)).toBe(0.003);
    expect(step('adamw(step = 0ms)', bySize)).toBe(0);
    expect(step('adamw')).toBe(0);
    expect(step('adamw', { ...bySize, layer: '{ forward = 1ms  backward = 2ms  weights = 100MB }' })).toBe(0);
  });
});
