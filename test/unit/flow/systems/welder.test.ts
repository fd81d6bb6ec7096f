import { describe, expect, it } from 'vitest';
import { analyse, analyseExample, codesOf } from '../../../support/analyse.ts';

const { pipelines } = analyseExample('systems/welder.pipe');
const stageOf = (name: string) => {
  const found = pipelines.find(({ plan }) => plan.name === name)?.plan.stages[0];
  if (found === undefined) throw new Error(name);
  return found;
};

describe('welder.pipe', () => {
  it('computes 4096³ products where elements move once or in large tiles', () => {
    for (const name of ['square_once', 'square_large'])
      expect(stageOf(name).forward).toBeCloseTo((2 * 4096 ** 3) / 312e12, 12);
  });

  it('moves 1,644,167,168 bytes by tiles of 128 × 256', () => {
    const { forward, backwardInput } = stageOf('square_tiled');
    expect(forward).toBeCloseTo(1_644_167_168 / 2039e9, 12);
    expect(backwardInput).toBeCloseTo(2 * forward, 12);
  });

  it('moves little more where the inner dimension is short', () => {
    expect(stageOf('outer_once').forward).toBeCloseTo((2 * (2 * 4096 * 64 + 4096 ** 2)) / 2039e9, 12);
    expect(stageOf('outer_tiled').forward).toBeCloseTo((2 * (32 * 16 * 384 * 64 + 4096 ** 2)) / 2039e9, 12);
  });
});

describe('cache', () => {
  const file = (device: string) => `
model m { sequence = 1  layer a = matmul(rows = 64, inner = 64, columns = 64) }
device base { memory = 1GiB  compute = 1TFLOPS  bandwidth = 1GB/s  cache = 5KiB }
device d { ${device} }
cluster c { gpu[1] = d  link = 1GB/s }
pipeline p { model = m  devices = c  microbatches = 1  stages = balance(1)  schedule = gpipe }
let unused = base`;

  it('has room for a tile', () => {
    const analysis = analyse(file('from = base  cache = 1KiB'));
    expect(analysis.findings.map(({ code, message }) => `${code} ${message}`)).toContainEqual(
      expect.stringMatching(/^value\/range .*5 KiB/),
    );
    expect(codesOf(analyse(file('from = base  cache = 5KiB')))).not.toContain('value/range');
  });

  it('is taken over from another device', () => {
    const forward = (device: string) => analyse(file(device)).pipelines[0]?.plan.stages[0].forward;
    expect(forward('from = base')).toBe(forward('from = base  cache = 5KiB'));
    expect(forward('from = base')).toBeGreaterThan(forward('from = base  cache = 100KiB') ?? Infinity);
  });

  it('has no effect without a bandwidth', () => {
    const codes = codesOf(analyse(file('memory = 1GiB  compute = 1TFLOPS  cache = 100KiB')));
    expect(codes).toContain('key/not-applicable');
  });
});
