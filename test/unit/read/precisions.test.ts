import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const text = (precision: string, device: string): string => `device x { memory = 80GiB  ${device} }
cluster k { gpu[2] = x  link = 100GB/s }
model m { sequence = 128  precision = ${precision}  layer l[2] = linear(inputs = 1024, outputs = 1024) }
pipeline p { model = m  devices = k  microbatches = 2  stages = balance(2)  schedule = 1f1b }`;

const forward = (precision: string, device: string): number => {
  const { plan, findings } = resolveText(text(precision, device));
  expect(findings.filter((finding) => finding.severity === 'error').map((finding) => finding.message)).toEqual([]);
  return plan.pipelines[0].stages[0].forward;
};

/** 128 tokens through a matrix of 1024 × 1024. */
const flops = 2 * 128 * 1024 * 1024;

describe('figures by number format', () => {
  const device = 'compute = 100TFLOPS  compute(fp8) = 200TFLOPS  efficiency = 50%  efficiency(fp32) = 80%';
  test.each([
    ['bf16', 100e12 * 0.5],
    ['fp8', 200e12 * 0.5],
    ['fp32', 100e12 * 0.8],
  ])('%s', (precision, rate) => expect(forward(precision, device)).toBeCloseTo(flops / rate, 12));

  test('the order of the entries is free, and no figure for all is needed where the one that counts is there', () => {
    expect(forward('fp8', 'compute(fp8) = 200TFLOPS  compute = 1TFLOPS')).toBeCloseTo(flops / 200e12, 12);
    expect(forward('bf16', 'compute(bf16) = 200TFLOPS')).toBeCloseTo(flops / 200e12, 12);
    const { findings } = resolveText(text('fp32', 'compute(bf16) = 200TFLOPS'));
    expect(findings.map((finding) => finding.code)).toContain('key/missing');
  });

  test('hovers show them', () => {
    const { symbols } = resolveText(text('bf16', 'compute = 100TFLOPS  compute(fp8) = 200TFLOPS'));
    expect(symbols.symbols.get('device:x')?.detail).toBe('80 GiB, 100 TFLOPS, 200 TFLOPS in fp8');
  });

  test('mistakes', () => {
    checkFindings('device x { memory = 1GiB  compute(⟦name/unknown:fp9⟧) = 1TFLOPS }');
    checkFindings('device x { memory = 1GiB  compute(⟦type/mismatch:8⟧) = 1TFLOPS }');
    checkFindings('device x { memory = 1GiB  compute(fp8, ⟦type/mismatch:fp16⟧) = 1TFLOPS }');
    checkFindings('device x { memory = 1GiB  compute(fp8) = 1TFLOPS  ⟦key/duplicate:compute⟧(fp8) = 2TFLOPS }');
    checkFindings('device x { memory = 1GiB  compute = 1TFLOPS  ⟦key/duplicate:compute⟧ = 2TFLOPS }');
    checkFindings('device x { memory = 1GiB  efficiency(fp8) = ⟦value/range:120%⟧ }');
    checkFindings(
      'device x { memory = 1GiB  memory⟦type/mismatch:⟧(fp8) = 1GiB }'.replace(
        'memory⟦type/mismatch:⟧',
        '⟦type/mismatch:memory⟧',
      ),
    );
  });
});
