import { describe, expect, test } from 'vitest';
import { nearest } from '../../../engine/basics/spelling.ts';

describe('the nearest spelling', () => {
  test('adds letters before it changes as many: the size of a model stays', () => {
    const models = ['llama2_70b', 'llama3_8b', 'llama3_70b', 'llama3_1_405b'];
    for (const order of [models, models.toReversed()]) expect(nearest('llama3_405b', order)).toBe('llama3_1_405b');
    expect(nearest('llama3_71b', models)).toBe('llama3_70b');
  });

  test('is the fewest changes otherwise', () => {
    expect(nearest('stags', ['stage', 'stages'])).toBe('stages');
    expect(nearest('stgae', ['stages', 'stage'])).toBe('stage');
    expect(nearest('bx', ['box', 'b'])).toBe('box');
    expect(nearest('bucket', ['barrier', 'order'])).toBeUndefined();
  });
});
