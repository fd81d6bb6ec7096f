import { describe, expect, it } from 'vitest';
import { analyse, codesOf, runOf } from '../../support/analyse.ts';
import { checkFindings } from '../../support/expected.ts';

/** Samples of 1,024 tokens, two in a microbatch. */
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
const four = 'stages = balance(4)  schedule = 1f1b';
const messages = (text: string) =>
  analyse(text).findings.flatMap(({ code, message }) => (code === 'expect/failed' ? [message] : []));

describe('tokens', () => {
  it.each([
    ['stages = balance(4)  schedule = 1f1b', 4, 1],
    ['stages = balance(8)  schedule = interleaved_1f1b(chunks = 2)  tensor = 2', 8, 1],
    ['stages = balance(4)  schedule = gpipe  tensor = 2  data = 4', 32, 4],
    ['stages = balance(2)  schedule = 1f1b  context = 2  data = 2', 8, 2],
    ['stages = balance(4)  schedule = chimera', 4, 1],
    ['stages = balance(4)  schedule = seq1f1b(segments = 4)', 4, 1],
    ['stages = balance(4)  schedule = pipedream_2bw', 4, 1],
    ['schedule = 1f1b  stage a { layers = block[0..3]  tensor = 4 }  stage b { layers = block[4..7]  data = 2 }', 6, 1],
  ])('%s: microbatches × samples × data ranks × sequence, on %i devices', (pipeline, devices, replicas) => {
    const { report } = runOf(file(pipeline)).run;
    const each = 8 * 2 * replicas * 1024;
    expect(report.tokens?.per_iteration).toBe(each);
    expect(report.tokens?.per_second).toBeCloseTo(each / report.iteration, 6);
    expect(report.tokens?.per_second_per_gpu).toBeCloseTo(each / report.iteration / devices, 6);
    expect(report.tokens?.per_second).toBeCloseTo(report.throughput * 1024, 6);
    expect(report.tokens).not.toHaveProperty('days');
  });

  it('take days and GPU-hours: all of them at the rate of the pipeline', () => {
    const { report } = runOf(file(`${four}  data = 2  tokens = 15Btok`)).run;
    const seconds = (15e9 / (8 * 2 * 2 * 1024)) * report.iteration;
    expect(report.tokens?.total).toBe(15e9);
    expect(report.tokens?.days).toBeCloseTo(seconds / (24 * 60 * 60), 9);
    expect(report.tokens?.gpu_hours).toBeCloseTo((8 * seconds) / (60 * 60), 9);
  });

  it.each([
    ['15Ttok', 15e12],
    ['300Btok', 3e11],
    ['2Mtok * 500', 1e9],
    ['64Ktok', 64e3],
    ['7tok', 7],
  ])('%s is a number of tokens', (written, total) => {
    expect(runOf(file(`${four}  tokens = ${written}`)).run.report.tokens?.total).toBe(total);
  });

  it.each([
    ['⟦syntax/unit:15T⟧', '"Ttok"'],
    ['⟦type/dimension:15000000⟧', 'write for example `15Ttok`'],
    ['⟦type/dimension:15TB⟧', 'Expected a number of tokens, found bytes'],
    ['⟦value/range:0tok⟧', '"tokens" is 0'],
  ])('%s is none', (written, message) => {
    checkFindings(file(`${four}  tokens = ${written}`), [message]);
  });

  it('need a sequence', () => {
    const measured = file(`${four}  ⟦key/not-applicable:tokens⟧ = 1Btok`)
      .replace('sequence = 1024', '')
      .replace(/layer block.*/, 'layer block[8] { forward = 1ms  backward = 2ms }');
    checkFindings(measured.replace('gpu[32]', 'gpu[4]'), ['model "m" has no "sequence"']);
    expect(runOf(measured.replace(/⟦.*?:(tokens)⟧/, '$1')).run.report).not.toHaveProperty('tokens');
  });

  it('are figures of expect', () => {
    const { report } = runOf(file(`${four}  tokens = 1Btok`)).run;
    const { per_second: all = 0, per_second_per_gpu: each = 0, days = 0, gpu_hours: hours = 0 } = report.tokens ?? {};
    const asked = (factor: number) =>
      file(
        `${four}  tokens = 1Btok`,
        `expect p { tokens_per_second < ${(all * factor).toFixed(3)}  tokens_per_second_per_gpu < ${(each * factor).toFixed(3)}  days < ${(days * factor).toFixed(6)}  gpu_hours < ${(hours * factor).toFixed(3)} }`,
      );
    expect(codesOf(analyse(asked(1.01)))).not.toContain('expect/failed');
    expect(messages(asked(0.99))).toEqual([
      expect.stringContaining(`is ${Number(all.toPrecision(4))}`),
      expect.stringContaining(`is ${Number(each.toPrecision(4))}`),
      expect.stringContaining(`is ${Number(days.toPrecision(4))}`),
      expect.stringContaining(`is ${Number(hours.toPrecision(4))}`),
    ]);
  });

  it('are unknown to expect where the file does not say them', () => {
    expect(messages(file(four, 'expect p { days < 30 }'))).toEqual([
      expect.stringContaining('unknown, because the pipeline sets no `tokens`, or the model has no `sequence`'),
    ]);
  });
});
