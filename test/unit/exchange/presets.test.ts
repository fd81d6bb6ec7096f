import { describe, expect, test } from 'vitest';
import { exchangePresets, findPreset } from '../../../engine/exchange/presets.ts';
import { exchangeRule, presetText } from '../../../engine/exchange/rule.ts';
import { findFunction } from '../../../engine/language/functions.ts';

const shown = (name: string, parameter: string): string | undefined =>
  findFunction('gradientSync', name)?.parameters.find((each) => each.name === parameter)?.default;

describe('the signature of a rule', () => {
  test('says what the rule says, not what overlap does', () => {
    expect(shown('bytescheduler', 'barrier')).toBe('false');
    expect(shown('bytescheduler', 'order')).toBe('forward');
    expect(shown('bytescheduler', 'credit')).toBe('4,000,000 parameters');
    expect(shown('ddp', 'bucket')).toBe('25MiB');
    expect(shown('ddp', 'first')).toBe('1MiB');
    expect(shown('horovod', 'cycle')).toBe('1ms');
    expect(shown('p3', 'slice')).toBe('50000');
    expect(shown('pace', 'partition')).toBe('at_preemption');
    expect(shown('pace', 'slice')).toBe('whole buckets');
    expect(shown('overlap', 'barrier')).toBe('true');
  });
});

test('every rule is one on its own, for any number of ranks', () => {
  for (const preset of exchangePresets)
    for (const ranks of [2, 8, 4096]) {
      const rule = exchangeRule({ preset, written: {}, ranks, gradient: 4 });
      expect(`${preset.name} ${'allowed' in rule}`).toBe(`${preset.name} false`);
    }
});

test('megatron takes larger buckets where there are more than 40 data ranks', () => {
  const preset = findPreset('megatron');
  if (preset === undefined) throw new Error('There is no rule megatron.');
  const bucket = (ranks: number) => {
    const rule = exchangeRule({ preset, written: {}, ranks, gradient: 4 });
    return 'bucket' in rule ? rule.bucket : undefined;
  };
  expect(bucket(8)).toBe(160e6);
  expect(bucket(64)).toBe(256e6);
  expect(presetText(preset, 'bucket')).toBe('40,000,000 parameters');
});
