import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const text = (device: string, precision = 'bf16', before = ''): string => `${before}
device x { memory = 80GiB  compute = 100TFLOPS  compute(fp8) = 200TFLOPS  efficiency = 50%  ${device} }
cluster k { gpu[2] = x  link = 100GB/s }
model m {
  sequence = 4096  precision = ${precision}
  layer l[2] = transformer(hidden = 256, heads = 2, flash = true, dropout = false)
}
pipeline p { model = m  devices = k  microbatches = 2  stages = balance(2)  schedule = 1f1b }`;

/** Of a stage: 24·h² FLOPs of products and 4·s/2·h of the core for each token. */
const tokens = 4096;
const products = tokens * 24 * 256 ** 2;
const core = tokens * 4 * 2048 * 256;

const stage = (...args: Parameters<typeof text>) => {
  const { plan, findings } = resolveText(text(...args));
  expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
  return plan.pipelines[0].stages[0];
};

describe('attention_efficiency', () => {
  test.each([
    ['attention_efficiency = 20%', 0.2, 0.2],
    ['attention_efficiency = 20%  attention_efficiency(2048) = 40%', 0.4, 0.4],
    ['attention_efficiency = 20%  attention_efficiency(2049) = 40%', 0.2, 0.2],
    ['attention_efficiency = 20%  attention_efficiency(backward) = 10%', 0.2, 0.1],
    ['attention_efficiency = 20%  attention_efficiency(backward, 1024) = 30%', 0.2, 0.3],
    ['attention_efficiency(2048) = 40%  attention_efficiency = 20%  attention_efficiency(forward) = 25%', 0.25, 0.4],
  ])('%s', (written, forward, backward) => {
    const found = stage(written);
    expect(found.forward).toBeCloseTo(products / 50e12 + core / (forward * 100e12), 12);
    expect(found.backwardInput).toBeCloseTo(products / 50e12 + (2.5 * core) / (backward * 100e12), 12);
  });

  test('fp8 speeds up products, never the core', () => {
    const written = 'attention_efficiency = 20%';
    expect(stage(written, 'fp8').forward).toBeCloseTo(products / 100e12 + core / 20e12, 12);
    expect(stage(`${written}  compute(bf16) = 50TFLOPS`, 'fp8').forward).toBeCloseTo(
      products / 100e12 + core / 10e12,
      12,
    );
  });

  test('a device that is from another one has its shares, and may replace each', () => {
    const base = 'device b { memory = 80GiB  attention_efficiency = 20%  attention_efficiency(backward) = 10% }';
    expect(stage('from = b', 'bf16', base).forward).toBeCloseTo(products / 50e12 + core / 20e12, 12);
    const own = stage('from = b  attention_efficiency(backward) = 25%', 'bf16', base);
    expect(own.forward).toBeCloseTo(products / 50e12 + core / 20e12, 12);
    expect(own.backwardInput).toBeCloseTo(products / 50e12 + (2.5 * core) / 25e12, 12);
  });
});

test('mistakes', () => {
  const inDevice = (marked: string, messages: readonly string[] = []) =>
    checkFindings(`device x { memory = 1GiB  ${marked} }`, messages);
  inDevice('⟦key/missing:attention_efficiency⟧(2048) = 40%', ['`attention_efficiency = 45%`']);
  inDevice('attention_efficiency = 20%  attention_efficiency(⟦name/unknown:fp8⟧) = 40%', ['fp8']);
  inDevice('attention_efficiency = 9%  attention_efficiency(backward, 8, ⟦type/mismatch:9⟧) = 9%', [
    '(backward, 2048)',
  ]);
  inDevice('attention_efficiency = 9%  attention_efficiency(backward, ⟦type/dimension:8GFLOP⟧) = 9%');
  inDevice('attention_efficiency = ⟦value/range:120%⟧');
  inDevice('attention_efficiency = 9%  attention_efficiency(8) = 9%  ⟦key/duplicate:attention_efficiency⟧(8) = 8%');
});
