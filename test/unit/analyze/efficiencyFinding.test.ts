import { describe, expect, test } from 'vitest';
import { analyse, codesOf } from '../../support/analyse.ts';

const text = (device: string, { layer = 'transformer(hidden = 4096, heads = 32)', microbatches = 64 } = {}) => `
import { b200, mi300x, h100 } from "std:hardware"
${device}
cluster box { gpu[2] = g  link = 400GB/s }
model m { micro_batch = 1  sequence = 4096  layer block[4] = ${layer} }
pipeline train { model = m  devices = box  stages = balance(2)  microbatches = ${microbatches}  schedule = zb_h1  optimizer = megatron_bf16 }`;
const plain = (more = '') => `device g { memory = 80GiB  compute = 1000TFLOPS  ${more} }`;
const said = (source: string): readonly string[] =>
  analyse(source).findings.flatMap(({ code, message }) => (code === 'device/efficiency' ? [message] : []));

describe('times that rest on an efficiency that nobody measured', () => {
  test('are named where a device has no share, with what the pipeline reaches', () => {
    const analysis = analyse(text(plain()));
    const reached = analysis.pipelines[0].run?.report.model_flops?.utilisation ?? 0;
    expect(reached).toBeGreaterThan(0.9);
    expect(said(text(plain()))).toEqual([
      expect.stringMatching(
        /^Layers run at all of the `compute` of "g", because it has no `efficiency`: the pipeline reaches 9\d(\.\d)? % of the peak\. /,
      ),
    ]);
    expect(said(text(plain(), { microbatches: 1 }))).toHaveLength(1);
  });

  test('are not named where the file says the share', () => {
    expect(said(text(plain('efficiency = 95%')))).toEqual([]);
  });

  test('are named for a device whose figure is a guess, also in one from it', () => {
    for (const device of ['device g { from = mi300x }', 'device g { from = mi300x  memory = 100GiB }'])
      expect(said(text(device))).toEqual([
        expect.stringMatching(/^Times on g rest on a guess, `efficiency = 40%`: no published run was fitted\./),
      ]);
    expect(said(text('device g { from = mi300x  efficiency = 45% }'))).toEqual([]);
    expect(said(text('device g { from = h100 }'))).toEqual([]);
  });

  test('are named for a format without a share of its own, a guessed one, and one that was fitted to one scaling', () => {
    const at = (device: string, format: string): readonly string[] =>
      said(text(device).replace('micro_batch = 1', `micro_batch = 1  precision = ${format}`));
    const own = plain('compute(fp8) = 2000TFLOPS  efficiency = 45%');
    expect(at(own, 'bf16')).toEqual([]);
    expect(at(own, 'fp8')).toEqual([
      '"g" has no `efficiency(fp8)`: products in fp8 are taken to reach 45 % of their peak, as in other formats. Set `efficiency(fp8)` in a device `from` this one, or calibrate: `pipewright calibrate` writes the times of your run.',
    ]);
    expect(at(plain('compute(fp8) = 2000TFLOPS  efficiency = 45%  efficiency(fp8) = 40%'), 'fp8')).toEqual([]);
    const b200 = 'device g { from = b200 }';
    expect(at(b200, 'bf16')).toEqual([
      expect.stringMatching(/^The share of the peak that g reaches in bf16 is a guess: /),
    ]);
    expect(at('device g { from = b200  efficiency = 50% }', 'bf16')).toEqual([]);
    for (const device of [b200, 'device g { from = h100 }'])
      expect(at(device, 'fp8')).toEqual([
        expect.stringMatching(/^Times in fp8 are of products with one scale for a tensor\. /),
      ]);
    expect(at('device g { from = h100 }', 'bf16')).toEqual([]);
  });

  test('are no matter of measured layers', () => {
    const measured = text('device g { from = mi300x }').replace(
      'layer block[4] = transformer(hidden = 4096, heads = 32)',
      'layer block[4] { forward = 1ms  backward = 2ms }',
    );
    expect(codesOf(analyse(measured))).not.toContain('device/efficiency');
  });
});

describe('expert ranks of a model without experts', () => {
  const expert = (keys: string) =>
    analyse(text(plain()).replace('schedule = zb_h1', `schedule = zb_h1  ${keys}`)).findings;

  test('are refused with the reason: the model has none', () => {
    const messages = expert('expert = 8').map(({ message }) => message);
    expect(messages).toContain('"expert" is 8; it must be left out: no layer of "m" has experts.');
  });

  test('are without effect where the ranks would be there', () => {
    const found = expert('data = 1  expert = 1');
    expect(found.map(({ code }) => code)).not.toContain('value/range');
  });
});
