import { describe, expect, test } from 'vitest';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { after, analyse, codesOf, checkedAfter } from '../../support/analyse.ts';
import { checkFindings, checkFix } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const detailOf = (text: string, device = 'd', files: Readonly<Record<string, string>> = {}) => {
  const { findings, symbols } = resolveText(text, { files });
  expect(findings.map((finding) => finding.message)).toEqual([]);
  return symbols.symbols.get(`device:${device}`)?.detail;
};

const full =
  'memory = 80GiB  reserved = 4GiB  compute = 300TFLOPS  compute(fp8) = 600TFLOPS  bandwidth = 2TB/s  efficiency = 50%  efficiency(fp8) = 40%  memory_efficiency = 80%  launch = 4us  memory_overlap = 0%  speed = 0.8';

/** Figures of the one layer, and of the device, of a pipeline on device `d`. */
function figures(devices: string, layer: string, precision = 'bf16') {
  const { plan, findings } = resolveText(`${devices}
model m { sequence = 1  precision = ${precision}  layer a ${layer} }
cluster c { gpu[1] = d }
pipeline p { model = m  devices = c  microbatches = 1  stages = balance(1)  schedule = 1f1b  optimizer = none }`);
  // A plain `compute` also replaces the rate of fp8, which is a finding for a model in fp8, as is a plain `efficiency`.
  const ofFormats = ['device/number-format', 'device/efficiency'];
  expect(findings.filter(({ code }) => !ofFormats.includes(code))).toEqual([]);
  const [{ stages, devices: kinds }] = plan.pipelines;
  const { forward, backwardInput, backwardWeight } = stages[0];
  const { memory, reserved, compute } = kinds[0];
  return { forward, backwardInput, backwardWeight, memory, reserved, compute };
}

const custom = '= custom(flops = 3GFLOP, traffic = 8MB, params = 10)';
const seconds = (devices: string, precision?: string) => figures(devices, custom, precision).forward;

describe('from = NAME of a device', () => {
  test('takes every key of the device, whichever comes first in the file', () => {
    for (const precision of ['bf16', 'fp8']) {
      const written = figures(`device d { ${full} }`, custom, precision);
      expect(figures(`device e { ${full} }\ndevice d { from = e }`, custom, precision)).toEqual(written);
      expect(figures(`device d { from = (e) }\ndevice e { ${full} }`, custom, precision)).toEqual(written);
      expect(figures(`device d { from = f }\ndevice f { from = e }\ndevice e { ${full} }`, custom, precision)).toEqual(
        written,
      );
    }
    expect(
      figures(`device e { ${full} }\ndevice d { from = e }`, '{ forward = 8ms  backward = 8ms }').forward,
    ).toBeCloseTo(0.01, 15);
  });

  test('a plain key replaces all figures of its key, a key with parentheses only the same one', () => {
    const base = `device e { ${full} }\n`;
    // memory_overlap = 0%: seconds of compute, then of memory traffic, then the launch.
    const rest = 8e6 / (2e12 * 0.8) + 4e-6;
    const of = (more: string, precision: string) => seconds(`${base}device d { from = e  ${more} }`, precision) - rest;
    expect(of('', 'bf16')).toBeCloseTo(3e9 / (300e12 * 0.8 * 0.5), 12);
    expect(of('', 'fp8')).toBeCloseTo(3e9 / (600e12 * 0.8 * 0.4), 12);
    expect(of('compute(fp8) = 900TFLOPS', 'fp8')).toBeCloseTo(3e9 / (900e12 * 0.8 * 0.4), 12);
    expect(of('compute(fp8) = 900TFLOPS', 'bf16')).toBeCloseTo(3e9 / (300e12 * 0.8 * 0.5), 12);
    expect(of('compute = 900TFLOPS', 'fp8')).toBeCloseTo(3e9 / (900e12 * 0.8 * 0.4), 12);
    expect(of('efficiency = 20%', 'fp8')).toBeCloseTo(3e9 / (600e12 * 0.8 * 0.2), 12);
    expect(of('efficiency(2GFLOP) = 20%', 'bf16')).toBeCloseTo(3e9 / (300e12 * 0.8 * 0.2), 12);
    expect(of('efficiency(4GFLOP) = 20%', 'bf16')).toBeCloseTo(3e9 / (300e12 * 0.8 * 0.5), 12);
    expect(of('speed = 1', 'bf16')).toBeCloseTo(3e9 / (300e12 * 0.5), 12);
    expect(detailOf(`${base}device d { from = e  memory = 40GiB }`)).toBe(
      '40 GiB, 300 TFLOPS, 600 TFLOPS in fp8, relative speed 0.8',
    );
  });

  test('speed scales compute and measured layers, and leaves bandwidth and the peak of MFU alone', () => {
    const device = (more: string) => `device d { memory = 1GiB  compute = 100TFLOPS  bandwidth = 1TB/s  ${more} }`;
    const of = (layer: string, more: string) => figures(device(more), layer);
    const flops = '= custom(flops = 1TFLOP, params = 10)';
    const bytes = '= custom(traffic = 1GB, params = 10)';
    expect(of(flops, 'speed = 0.5').forward).toBeCloseTo(2 * of(flops, '').forward, 12);
    expect(of(flops, 'speed = 0.5').backwardWeight).toBeCloseTo(2 * of(flops, '').backwardWeight, 12);
    expect(of(bytes, 'speed = 0.5').forward).toBe(of(bytes, '').forward);
    expect(of('{ forward = 3ms  backward = 3ms }', 'speed = 0.5').forward).toBeCloseTo(6e-3, 15);
    expect(of(flops, 'speed = 0.5').compute).toBe(100e12);
  });

  test('takes devices of std:hardware and of other files, with figures that are named there', () => {
    const h100 = detailOf('import { h100 } from "std:hardware"\ndevice d { from = h100 }');
    expect(h100).toMatch(/^79\.\d+ GiB, 989(\.\d)? TFLOPS, .* in fp8/);
    expect(detailOf('import { h100 } from "std:hardware"\ndevice d { from = h100  speed = 0.9 }')).toBe(
      `${h100 ?? ''}, relative speed 0.9`,
    );
    const files = { 'lab.pipe': 'let size = 12GiB\ndevice e { memory = 2 * size }' };
    expect(detailOf('import { e } from "lab.pipe"\ndevice d { from = e }', 'd', files)).toBe('24 GiB');
  });

  test('a figure that does not fit the figures of the device', () => {
    checkFindings(`device e { ${full} }\ndevice d { from = e  memory = ⟦value/range:3GiB⟧ }`, ['4 GiB']);
    checkFindings(
      `device e { memory = 9GiB  reserved = framework }\ndevice d { from = e  memory = ⟦value/range:1GiB⟧ }`,
    );
    checkFindings('device e { memory = 9GiB }\ndevice d { from = e  ⟦key/missing:efficiency⟧(2GFLOP) = 50% }');
  });

  test('a name that is unknown, or is something else', () => {
    checkFindings('device h100 { memory = 1GiB }\ndevice d { from = ⟦name/unknown:h10⟧ }', ['"h10"']);
    checkFindings('model m { layer a { forward = 1ms  backward = 1ms } }\ndevice d { from = ⟦type/mismatch:m⟧ }', [
      'a device',
    ]);
    checkFindings('device d { from = ⟦type/mismatch:3⟧ }', ['the name of a device or `system("FILE")`']);
    checkFindings('device e { memory = ⟦value/range:0GiB⟧ }\ndevice d { from = e }');
    const unknown = analyse('device d { from = h100 }\n');
    const [fix] = fixesFor(unknown, unknown.findings[0], checkedAfter(unknown));
    expect(fix.title).toBe('Import "h100" from "std:hardware"');
    expect(codesOf(after(unknown, fix))).toEqual([]);
  });

  test('circles are reported once, and one "from" less ends them', () => {
    checkFindings('device d { from = ⟦name/cycle:d⟧ }', ['d → d']);
    checkFindings('device a { from = ⟦name/cycle:b⟧ }\ndevice b { from = c }\ndevice c { from = a }', [
      'a → b → c → a',
    ]);
    checkFix('device a { from = ⟦name/cycle:b⟧ }\ndevice b { memory = 1GiB⟦  from = a→⟧ }\n');
  });
});
