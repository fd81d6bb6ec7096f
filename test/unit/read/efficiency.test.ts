import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const text = (device: string, precision = 'bf16', tokens = 128): string => `device x { memory = 80GiB  ${device} }
cluster k { gpu[2] = x  link = 100GB/s }
model m { sequence = ${tokens}  precision = ${precision}  layer l[2] = linear(inputs = 1024, outputs = 1024, bias = false) }
pipeline p { model = m  devices = k  microbatches = 2  stages = balance(2)  schedule = 1f1b  optimizer = none }`;

const forward = (...args: Parameters<typeof text>): number => {
  const { plan, findings } = resolveText(text(...args));
  expect(findings.filter((finding) => finding.severity === 'error').map((finding) => finding.message)).toEqual([]);
  return plan.pipelines[0].stages[0].forward;
};

/** So many tokens through a matrix of 1024 × 1024: 2^21 FLOPs each. */
const flops = (tokens = 128) => tokens * 2 ** 21;
const bytes = 2 * (2 * 128 * 1024 + 2 ** 20);

describe('shares by size', () => {
  const device = 'compute = 100TFLOPS  efficiency = 10%  efficiency(1GFLOP) = 60%  efficiency(16GFLOP) = 90%';
  test.each([
    [128, 0.1],
    [476, 0.1],
    [477, 0.6],
    [7630, 0.9],
  ])('%i tokens', (tokens, share) =>
    expect(forward(device, 'bf16', tokens)).toBeCloseTo(flops(tokens) / (100e12 * share), 12),
  );

  test('the order of entries is free, sizes may be computed, and are the same in any unit', () => {
    const other = 'efficiency(16 * 1GFLOP) = 90%  efficiency(1000MFLOP) = 60%  compute = 100TFLOPS  efficiency = 10%';
    for (const tokens of [128, 477, 7630]) expect(forward(other, 'bf16', tokens)).toBe(forward(device, 'bf16', tokens));
    const { findings } = resolveText(`let small = 1GFLOP\n${text(device.replace('1GFLOP', 'small'))}`);
    expect(findings).toEqual([]);
  });

  test('a number format with entries of its own has no others, but the share of the smallest products', () => {
    const both = `${device}  efficiency(fp8, 2GFLOP) = 70%  efficiency(fp16) = 50%`;
    expect(forward(both, 'bf16', 1000)).toBeCloseTo(flops(1000) / 60e12, 12);
    expect(forward(both, 'fp8', 1000)).toBeCloseTo(flops(1000) / 70e12, 12);
    expect(forward(both, 'fp8', 500)).toBeCloseTo(flops(500) / 10e12, 12);
    expect(forward(both, 'fp16', 7630)).toBeCloseTo(flops(7630) / 50e12, 12);
    const own = 'compute = 100TFLOPS  efficiency(fp8) = 20%  efficiency(fp8, 1GFLOP) = 70%';
    expect(forward(own, 'fp8')).toBeCloseTo(flops() / 20e12, 12);
    expect(forward(own, 'bf16')).toBeCloseTo(flops() / 100e12, 12);
  });

  test('memory', () => {
    const slow = 'compute = 1000PFLOPS  bandwidth = 1GB/s';
    expect(forward(slow)).toBeCloseTo(bytes / 1e9, 12);
    expect(forward(`${slow}  memory_efficiency = 50%`)).toBeCloseTo(bytes / 0.5e9, 12);
    const table = `${slow}  memory_efficiency = 30%  memory_efficiency(1MB) = 60%`;
    expect(forward(table)).toBeCloseTo(bytes / 0.6e9, 12);
    expect(forward(table.replace('1MB', '10MB'))).toBeCloseTo(bytes / 0.3e9, 12);
  });

  test('launches', () => {
    const plain = 'compute = 100TFLOPS  efficiency = 50%';
    expect(forward(`${plain}  launch = 4us`)).toBeCloseTo(flops() / 50e12 + 4e-6, 12);
    expect(forward(`${device}  launch = 4us`)).toBeCloseTo(flops() / 10e12 + 4e-6, 12);
  });

  test('any table gives what a search through it gives', () => {
    const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 5 });
    const shares = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(sizes, shares, fc.integer({ min: 1, max: 200 }), (found, percent, tokens) => {
        const entries = found.map((size, index) => `efficiency(${size}MFLOP) = ${percent[index]}%`);
        const below = found
          .map((size, index) => ({ size: size * 1e6, share: percent[index] / 100 }))
          .filter(({ size }) => size <= flops(tokens));
        const nearest = below.reduce((best, each) => (each.size > best.size ? each : best), {
          size: 0,
          share: percent[5] / 100,
        });
        const time = forward(`compute = 1TFLOPS  ${entries.join('  ')}  efficiency = ${percent[5]}%`, 'bf16', tokens);
        expect(time).toBeCloseTo(flops(tokens) / (1e12 * nearest.share), 9);
      }),
      { numRuns: 100 },
    );
  });
});

test('mistakes', () => {
  const inDevice = (marked: string, messages: readonly string[] = []) =>
    checkFindings(`device x { memory = 1GiB  efficiency = 10%  memory_efficiency = 10%  ${marked} }`, messages);
  inDevice('efficiency(⟦type/dimension:16GB⟧) = 90%', ['an amount of FLOPs']);
  inDevice('efficiency(⟦type/dimension:16GFLOPS⟧) = 90%', ['a compute rate']);
  inDevice('efficiency(⟦type/dimension:8⟧) = 90%');
  inDevice('efficiency(fp8, ⟦type/dimension:1ms⟧) = 90%');
  inDevice('efficiency(⟦syntax/unit:1GFLOPP⟧) = 90%', ['GFLOP']);
  inDevice('efficiency(⟦value/range:0GFLOP⟧) = 90%', ['The size of "efficiency" is 0 FLOP']);
  inDevice('efficiency(⟦name/unknown:fp9⟧) = 90%', ['fp8']);
  inDevice('efficiency(⟦name/unknown:fp9⟧, 1GFLOP) = 90%');
  inDevice('efficiency(fp8, ⟦type/mismatch:fp16⟧) = 90%', ['`efficiency(fp8, 16GFLOP)`']);
  inDevice('efficiency(1GFLOP, ⟦type/mismatch:fp8⟧) = 90%');
  inDevice('efficiency(fp8, 1GFLOP, ⟦type/mismatch:2GFLOP⟧) = 90%');
  inDevice('efficiency(1GFLOP) = ⟦value/range:120%⟧');
  inDevice('efficiency(1GFLOP) = 90%  ⟦key/duplicate:efficiency⟧(1000MFLOP) = 80%', ['"efficiency(1000MFLOP)"']);
  inDevice('efficiency(fp8, 1GFLOP) = 9%  efficiency(1GFLOP) = 9%  ⟦key/duplicate:efficiency⟧(fp8, 1GFLOP) = 8%');
  inDevice('memory_efficiency(⟦type/dimension:16GFLOP⟧) = 90%', ['bytes']);
  inDevice('memory_efficiency(⟦name/unknown:fp8⟧) = 90%');
  inDevice('memory_efficiency(1MB) = 9%  ⟦key/duplicate:memory_efficiency⟧(1000KB) = 9%');
  inDevice('launch = ⟦type/dimension:4MB⟧');
  inDevice('launch = ⟦value/range:-4us⟧');
  inDevice('⟦type/mismatch:launch⟧(fp8) = 4us');
  checkFindings('device x { memory = 1GiB  compute(⟦type/mismatch:16GFLOP⟧) = 1TFLOPS }');
});

test('smaller products need a share where larger ones have one', () => {
  checkFindings('device x { memory = 1GiB  ⟦key/missing:efficiency⟧(16GFLOP) = 90% }', ['`efficiency = 50%`']);
  checkFindings('device x { memory = 1GiB  ⟦key/missing:efficiency⟧(fp8, 16GFLOP) = 90% }');
  checkFindings('device x { memory = 1GiB  ⟦key/missing:memory_efficiency⟧(1MB) = 90%  memory_efficiency(2MB) = 95% }');
  checkFindings('device x { memory = 1GiB  efficiency(fp8) = 10%  efficiency(fp8, 16GFLOP) = 90% }');
  checkFindings('device x { memory = 1GiB  efficiency(⟦name/unknown:no⟧) = 10%  efficiency(16GFLOP) = 90% }');
});
