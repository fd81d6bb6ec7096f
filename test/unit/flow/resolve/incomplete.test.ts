/** What a plan would be silent about: no optimizer, idle devices, a number format that a device does not have. */
import { describe, expect, test } from 'vitest';
import { fixesFor } from '../../../../engine/fixes/fix.ts';
import { after, analyse, checkedAfter } from '../../../support/analyse.ts';
import { checkFindings } from '../../../support/expected.ts';
import { resolveText } from '../../../support/resolve.ts';

const measured = 'layer block[8] { forward = 1ms  backward = 2ms  weights = 1MiB }';
const shaped = 'layer block[8] = transformer(hidden = 512, heads = 8)';

interface File {
  readonly layers?: string;
  readonly precision?: string;
  readonly device?: string;
  readonly devices?: number;
  readonly pipelines: string;
}
const file = ({ layers = measured, precision = 'bf16', device = '', devices = 2, pipelines }: File): string => `
device gpu { memory = 80GiB  compute = 100TFLOPS  ${device} }
cluster box { gpu[${devices}] = gpu  link = 100GB/s }
model toy { sequence = 1024  precision = ${precision}  ${layers} }
${pipelines}`;

const pipeline = (keys: string, name = 'p', devices = 'box'): string =>
  `pipeline ${name} { model = toy  devices = ${devices}  microbatches = 8  stages = balance(2)  schedule = 1f1b  ${keys} }\n`;

describe('no optimizer', () => {
  const named = (keys: string) => pipeline(keys, '⟦warning memory/no-optimizer:p⟧');

  test('of a model with shapes: bytes per parameter without and with the usual recipe', () => {
    // bf16: 2 + 2 bytes, and Megatron-LM's 2 + 4 + 12. fp16: 2 + 2 + 16. fp32: 4 + 4, and Adam's 4 + 4 + 8.
    for (const [precision, kept, usual, usually] of [
      ['bf16', 4, 'megatron_bf16', 18],
      ['fp16', 4, 'megatron_fp16', 20],
      ['fp32', 8, 'adam', 16],
      ['tf32', 8, 'adam', 16],
    ] as const)
      checkFindings(file({ layers: shaped, precision, pipelines: named('') }), [
        `${kept} bytes per parameter: a real run needs more. With \`optimizer = ${usual}\` it is ${usually} bytes`,
      ]);
  });

  test('is nothing to say where layers state their bytes, have no parameters, or the file says that there is none', () => {
    checkFindings(file({ pipelines: pipeline('') }));
    checkFindings(file({ layers: 'layer block[8] = custom(flops = 1GFLOP)', pipelines: pipeline('') }));
    checkFindings(file({ layers: shaped, pipelines: pipeline('optimizer = none') }));
    const [silent, none] = ['', 'optimizer = none'].map(
      (keys) => resolveText(file({ layers: shaped, pipelines: pipeline(keys) })).plan.pipelines,
    );
    expect(none).toEqual(silent);
  });

  test('gets the recipe, split too where there are data ranks, even if the plan then does not fit', () => {
    const text = (keys: string, memory: string) =>
      file({ layers: shaped, devices: 4, pipelines: pipeline(keys) }).replace('80GiB', memory);
    const fixes = (source: string) => {
      const analysis = analyse(source);
      const finding = analysis.findings.find(({ code }) => code === 'memory/no-optimizer');
      return finding === undefined
        ? []
        : fixesFor(analysis, finding, checkedAfter(analysis)).map((fix) => ({ analysis, fix }));
    };
    const titles = (source: string) => fixes(source).map(({ fix }) => fix.title.replace(/:.*/, ''));
    expect(titles(text('', '80GiB'))).toEqual(['Set optimizer to megatron_bf16']);
    expect(titles(text('data = 2', '80GiB'))).toEqual([
      'Set optimizer to megatron_bf16(shard = distributed)',
      'Set optimizer to megatron_bf16',
    ]);
    // 12.6 million parameters on each of two stages: 48 MiB at 4 bytes, 216 MiB at 18.
    const [{ analysis, fix }] = fixes(text('recompute = full', '180MiB'));
    expect(fix.title).toMatch(/ MiB over$/);
    expect(analysis.findings.map(({ code }) => code)).not.toContain('memory/out-of-memory');
    expect(after(analysis, fix).findings.map(({ code }) => code)).toContain('memory/out-of-memory');
  });
});

describe('a number format', () => {
  const on = (precision: string, device = '', layers = shaped, place = '⟦warning device/number-format:box⟧') =>
    file({ layers, precision, device, pipelines: pipeline('optimizer = none', 'p', place) });

  test('that the device sets to none takes the rate of its other formats', () => {
    checkFindings(on('bf16', 'compute(bf16) = none'), ['"gpu" has no bf16: the times use the 100 TFLOPS']);
    const [without, plain] = [on('bf16', 'compute(bf16) = none', shaped, 'box'), on('bf16', '', shaped, 'box')].map(
      (text) => resolveText(text).plan.pipelines[0].stages.map(({ forward }) => forward),
    );
    expect(without).toEqual(plain);
    checkFindings(on('fp16', 'compute(bf16) = none', shaped, 'box'));
    checkFindings(on('bf16', '', shaped, 'box'));
  });

  test('of eight bits needs a rate: a device with fp8 computes it faster than 16 bits', () => {
    checkFindings(on('fp8'), [
      '"gpu" has no rate for fp8: the times use the 100 TFLOPS of its other formats. Use `precision = bf16`',
    ]);
    checkFindings(on('fp8', 'compute(fp8) = none'), ['"gpu" has no fp8']);
    checkFindings(on('fp8', 'compute(fp8) = 200TFLOPS', shaped, 'box'));
    checkFindings(on('fp8', 'compute(bf16) = none'), ['Use `precision = fp16`']);
  });

  test('changes nothing for measured layers', () => {
    checkFindings(on('bf16', 'compute(bf16) = none', measured, 'box'));
    checkFindings(on('fp8', '', measured, 'box'));
  });

  test('of std:hardware: none of the devices before Ampere has bf16, and a device from one of them has none', () => {
    const with16 = (device: string, precision: string) =>
      resolveText(`import { ${device} } from "std:hardware"
device mine { from = ${device}  efficiency = 50% }
cluster box { gpu[2] = mine  link = 100GB/s }
model toy { sequence = 1024  precision = ${precision}  ${shaped} }
${pipeline('optimizer = none')}`).findings.map(({ code }) => code);
    for (const device of [
      'p100',
      'p100_pcie',
      'v100',
      'v100_32',
      'v100_pcie',
      'titan_v',
      'titan_rtx',
      'rtx2060',
      'p4000',
    ])
      expect([device, with16(device, 'bf16'), with16(device, 'fp16')]).toEqual([device, ['device/number-format'], []]);
    for (const device of ['a100_80', 'a10', 'mi250x']) {
      expect([device, with16(device, 'bf16'), with16(device, 'fp8')]).toEqual([device, [], ['device/number-format']]);
    }
    // Whether a format reaches the same share of its peak is another finding.
    for (const device of ['h100', 'l4', 'rtx4090', 'mi300x', 'b200'])
      expect(with16(device, 'fp8')).not.toContain('device/number-format');
    for (const device of ['b200', 'gb200', 'gb300'])
      expect(with16(device, 'fp4')).not.toContain('device/number-format');
    for (const device of ['h100', 'rtx4090', 'mi300x'])
      expect([device, with16(device, 'fp4')]).toEqual([device, ['device/number-format']]);
  });

  test('needs the name of a format: a device computes in some format', () => {
    checkFindings('device x { memory = 1GiB  compute = ⟦type/mismatch:none⟧ }', ['a single number format']);
  });
});

describe('idle devices', () => {
  const idle = '⟦warning device/idle:box⟧';

  test('as many as no pipeline uses, and the data ranks that would use them', () => {
    checkFindings(file({ devices: 8, pipelines: pipeline('', 'p', idle) }), [
      '6 of the 8 devices of "box" are idle: no pipeline uses them. With `data = 4` all devices work',
    ]);
    checkFindings(file({ devices: 7, pipelines: pipeline('', 'p', idle) }), ['With `data = 3` 6 devices work']);
    checkFindings(file({ devices: 3, pipelines: pipeline('', 'p', idle) }), [
      '1 of the 3 devices of "box" is idle: no pipeline uses it. Use more stages or ranks',
    ]);
    checkFindings(file({ devices: 8, pipelines: pipeline('data = 2', 'p', idle) }), ['With `data = 4` all devices']);
    checkFindings(file({ devices: 4, pipelines: pipeline('data = 2') }));
  });

  test('of several pipelines: only what none of them uses, at the largest', () => {
    const two = pipeline('', 'small') + pipeline('data = 2', 'large', idle);
    checkFindings(file({ devices: 8, pipelines: two }), ['4 of the 8 devices']);
    checkFindings(file({ devices: 4, pipelines: two.replace(idle, 'box') }));
  });

  test('are not counted where a pipeline on the cluster has an error, or where stages share a device', () => {
    const wrong = pipeline('microbatchs = 3', 'wrong').replace('microbatchs', '⟦key/unknown:microbatchs⟧');
    checkFindings(file({ devices: 8, pipelines: pipeline('') + wrong }));
    const shared = `pipeline p { model = toy  devices = box  microbatches = 8  schedule = 1f1b
      stage a { layers = block[0..3]  on = gpu[0] }
      stage b { layers = block[4..7]  on = ⟦device/oversubscribed:gpu[0]⟧ } }`;
    checkFindings(file({ pipelines: shared }));
  });

  test('with stages on devices by name, more data ranks are no way out', () => {
    const placed = `pipeline p { model = toy  devices = ${idle}  microbatches = 8  schedule = 1f1b
      stage a { layers = block[0..3]  on = gpu[0] }
      stage b { layers = block[4..7]  on = gpu[1] } }`;
    checkFindings(file({ devices: 4, pipelines: placed }), [
      '2 of the 4 devices of "box" are idle: no pipeline uses them. Use more',
    ]);
  });
});
