import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const file = (pipeline: string, rest = '') => `
model m {
  sequence = 1024  micro_batch = 2
  layer block[8] = transformer(hidden = 1024, heads = 16, flash = true, dropout = false)
}
device gpu { memory = 80GiB  compute = 100TFLOPS  efficiency = 50% }
cluster box { gpu[32] = gpu  link = 100GB/s }
pipeline p {
  model = m  devices = box  microbatches = 8  ${pipeline}
}
${rest}`;
// Forward: 24·h² a token for the layers with weights, 2·s·h for a causal core. All of it three times.
const [s, b, h] = [1024, 2, 1024];
const flops = 3 * 8 * 8 * s * b * (24 * h * h + 2 * s * h);

const reportOf = (text: string) => {
  const { pipelines, resolution } = analyse(text);
  const report = pipelines[0]?.run?.report;
  if (report === undefined) throw new Error(resolution.findings.map(({ message }) => message).join('\n'));
  return report;
};

describe('model FLOPs utilisation', () => {
  it.each([
    ['stages = balance(4)  schedule = 1f1b', 4, 1],
    ['stages = balance(4)  schedule = zb_h1  recompute = full', 4, 1],
    ['stages = balance(8)  schedule = interleaved_1f1b(chunks = 2)  tensor = 2', 8, 1],
    ['stages = balance(4)  schedule = gpipe  tensor = 2  data = 4', 32, 4],
    ['stages = balance(2)  schedule = 1f1b  context = 2  data = 2', 8, 2],
    ['stages = balance(4)  schedule = chimera', 4, 1],
    ['stages = balance(4)  schedule = seq1f1b(segments = 4)', 4, 1],
    ['stages = balance(4)  schedule = pipedream_2bw', 4, 1],
    ['schedule = 1f1b  stage a { layers = block[0..3]  tensor = 4 }  stage b { layers = block[4..7]  data = 2 }', 6, 1],
  ])('%s: 3 × the forward of all microbatches over %i devices', (pipeline, devices, replicas) => {
    const { model_flops: found, iteration } = reportOf(file(pipeline));
    expect(found?.rate).toBeCloseTo((flops * replicas) / devices / iteration, -3);
    expect(found?.utilisation).toBeCloseTo((found?.rate ?? 0) / 100e12, 12);
    expect(found?.utilisation).toBeLessThan(0.5);
  });

  // Blocks 0 to 3 are frozen and first: they have no backward at all. The last four have the whole one.
  it.each([
    '1f1b',
    'seq1f1b(segments = 2)',
    'seq1f1b(segments = 8)',
    'seq1f1b(segments = 2, shares = [75, 25], times = [50, 50])',
    'chimera',
    'zb_h1',
    'spare',
    'pipedream_2bw',
  ])('counts a frozen half of the model once under %s', (schedule) => {
    const spare = `schedule spare {
      on(s, j) = [s, mod(s - 1, devices)]
      spare = true
      row(d) = each(j in 0..<microbatches, F[j, stage = d], F[j, stage = mod(d + 1, devices)]), each(j in 0..<microbatches, B[j, stage = d])
    }`;
    const text = file(`stages = balance(4)  schedule = ${schedule}`, schedule === 'spare' ? spare : '').replace(
      'micro_batch = 2',
      '$&  frozen = block[0..3]',
    );
    const { model_flops: found, iteration, stages } = reportOf(text);
    expect(((found?.rate ?? 0) * 4 * iteration) / ((flops / 3) * 2)).toBeCloseTo(1, 9);
    // A segment without the weights has none that train.
    for (const { trainable, parameters } of stages) expect(trainable ?? parameters).toBeLessThanOrEqual(parameters);
  });

  it('reaches the efficiency of the kernels on one device that never waits', () => {
    const { model_flops: found } = reportOf(file('stages = balance(1)  schedule = 1f1b'));
    expect(found?.utilisation).toBeCloseTo(0.5, 9);
  });

  it.each([
    [0.5, 0.25],
    [1, 0.5],
    [2, 0.5],
  ])('is a share of the data sheet, or of the faster rate: speed %d', (speed, utilisation) => {
    const text = file('stages = balance(1)  schedule = 1f1b').replace('efficiency = 50%', `$&  speed = ${speed}`);
    expect(reportOf(text).model_flops?.utilisation).toBeCloseTo(utilisation, 9);
  });

  it('is not known where layers are measured', () => {
    const measured = file('stages = balance(4)  schedule = 1f1b', 'expect p { mfu > 10% }').replace(
      /layer block\[8\].*/,
      'layer block[8] { forward = 1ms  backward = 2ms  weights = 1MiB }',
    );
    expect(reportOf(measured).model_flops).toBeUndefined();
    const [failed] = analyse(measured).findings.filter(({ code }) => code === 'expect/failed');
    expect(failed?.message).toContain('unknown');
  });

  it('can be expected', () => {
    const text = file('stages = balance(1)  schedule = 1f1b', 'expect p { mfu > 49.9%  mfu < 45% }');
    const failed = analyse(text).findings.filter(({ code }) => code === 'expect/failed');
    expect(failed.map(({ message }) => message)).toHaveLength(1);
    expect(failed[0]?.message).toContain('50 %');
  });
});
