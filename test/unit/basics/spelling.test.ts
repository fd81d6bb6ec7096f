import { describe, expect, test } from 'vitest';
import { nearest } from '../../../engine/basics/spelling.ts';

describe('the nearest spelling', () => {
  test('adds letters before it changes as many: the size of a model stays', () => {
    const models = ['llama2_70b', 'llama3_8b', 'llama3_70b', 'llama3_1_405b'];
    for (const order of [models, models.toReversed()]) expect(nearest('llama3_405b', order)).toBe('llama3_1_405b');
    expect(nearest('llama3_71b', models)).toBe('llama3_70b');
  });

  test('keeps the first letter: a longer name of a device is meant rather than another device', () => {
    const devices = ['a100_80', 'b100', 'h100', 'h200'];
    for (const order of [devices, devices.toReversed()]) {
      expect(nearest('h100_80', order)).toBe('h100');
      expect(nearest('h100_sxm5', order)).toBe('h100');
    }
    // A slip of the first letter is still one change, and one that changes less is nearer than a name that goes on.
    expect(nearest('xata', ['data'])).toBe('data');
    expect(nearest('gradient_sinc', ['gradient', 'gradient_sync'])).toBe('gradient_sync');
  });

  test('is the fewest changes otherwise', () => {
    expect(nearest('stags', ['stage', 'stages'])).toBe('stages');
    expect(nearest('stgae', ['stages', 'stage'])).toBe('stage');
    expect(nearest('bx', ['box', 'b'])).toBe('box');
    expect(nearest('bucket', ['barrier', 'order'])).toBeUndefined();
  });
});
