import { describe, expect, test } from 'vitest';
import { codesOf, analyse, after, fixesOf, runOf } from '../../support/analyse.ts';

interface Setting {
  readonly memory?: string;
  readonly weights?: string;
  readonly keys?: string;
  readonly expects?: string;
  readonly precision?: string;
}

const text = ({ memory = '24GiB', weights = 'weights = 1.5GiB', keys = '', expects = '', precision = '' }: Setting) => `
model measured { ${precision} layer block[8] { forward = 4ms  backward = 8ms  ${weights}  activation = 256MiB } }
device card { memory = ${memory} }
cluster box { gpu[4] = card  link = 25GB/s }
pipeline train { model = measured  devices = box  stages = balance(4)  microbatches = 8  schedule = 1f1b  ${keys} }
${expects === '' ? '' : `expect train { ${expects} }`}`;

const warned = (setting: Setting): readonly string[] =>
  analyse(text(setting)).findings.flatMap(({ code, message }) => (code === 'memory/no-optimizer' ? [message] : []));
const peak = (setting: Setting): number =>
  Math.max(...runOf(text(setting)).run.report.devices.map((device) => device.peak));

const GiB = 2 ** 30;

describe('measured layers without an optimizer', () => {
  test('are warned of where the state fills a device, with the peak that the optimizer then has', () => {
    // Two layers of 1.5 GiB in bf16 are 1.61 G parameters: 14 bytes each in addition to weights and gradients.
    const full = peak({ keys: 'optimizer = megatron_bf16' });
    expect(full / GiB).toBeCloseTo(8 + (3 / 2) * 14, 2);
    const [message] = warned({});
    expect(message).toContain(
      'With `optimizer = megatron_bf16` it is 18 bytes, and gpu[0] would need 29 GiB of its 24 GiB.',
    );
  });

  test.each(['bf16', 'fp16', 'fp32', 'fp8'])(
    'have the limit exactly at the peak of the usual optimizer: %s',
    (format) => {
      const precision = `precision = ${format}`;
      const [message] = warned({ precision, memory: '10GiB' });
      const usual = /`optimizer = (\w+)`/.exec(message)?.[1];
      const full = peak({ precision, keys: `optimizer = ${usual}` });
      expect(warned({ precision, memory: `${full}B` })).toEqual([]);
      expect(warned({ precision, memory: `${full - 2 ** 20}B` })).toHaveLength(1);
    },
  );

  test('are warned of where an upper bound on the peak holds today, and would not', () => {
    const setting = { memory: '80GiB', expects: 'peak_memory < 24GiB' };
    expect(warned(setting)[0]).toContain('and the peak would be 29 GiB, so `peak_memory < 24GiB` would not hold.');
    expect(warned({ memory: '80GiB', expects: 'peak_memory < 30GiB' })).toEqual([]);
    expect(warned({ memory: '80GiB', expects: 'peak_memory > 1GiB' })).toEqual([]);
    // It does not hold today either: one mistake, one finding.
    expect(codesOf(analyse(text({ memory: '80GiB', expects: 'peak_memory < 4GiB' })))).not.toContain(
      'memory/no-optimizer',
    );
  });

  test.each<readonly [string, Setting]>([
    ['a device has room for the state', { memory: '30GiB' }],
    ['the file says that there is none', { keys: 'optimizer = none' }],
    ['the file names another', { keys: 'optimizer = sgd_mixed' }],
    ['no weights are stated', { weights: '' }],
    ['a device is over its memory as it is', { memory: '4GiB' }],
  ])('are not warned of where %s', (_, setting) => {
    expect(warned(setting)).toEqual([]);
  });

  test('have a fix that writes the optimizer and says by how much the plan is then too large', () => {
    const analysis = analyse(text({}));
    const [fix] = fixesOf(analysis, 'memory/no-optimizer');
    expect(fix.title).toMatch(/^Set optimizer to megatron_bf16: peak 29 GiB, .*5 GiB/);
    const changed = after(analysis, fix);
    expect(changed.syntax.text).toContain('optimizer = megatron_bf16');
    expect(codesOf(changed)).toContain('memory/out-of-memory');
    expect(codesOf(changed)).not.toContain('memory/no-optimizer');
  });
});
