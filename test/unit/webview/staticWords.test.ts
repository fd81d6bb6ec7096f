import { expect, it } from 'vitest';
import { staticWords } from '../../../webview/picture/staticWords.ts';

const wordsOf = (weights: number, gradients: number, optimizer: number, buffers = 0) =>
  staticWords({
    memory: { weights, gradients, optimizer, buffers, activations: 9, versions: 9, workspace: 9, reserved: 9 },
  });

it('names what a device holds all the time, and no optimizer state where there is none', () => {
  expect(wordsOf(2, 2, 0)[0]).toBe('weights + gradients');
  expect(wordsOf(2, 2, 12)[0]).toBe('weights + gradients + optimizer state');
  expect(wordsOf(2, 0, 0)[0]).toBe('weights');
  expect(wordsOf(0, 0, 0)).toEqual([]);
});

it('names transfer buffers unless they are too small to see', () => {
  expect(wordsOf(90, 0, 0, 10)[0]).toBe('weights + transfer buffers');
  expect(wordsOf(1000, 0, 0, 1)[0]).toBe('weights');
});

it('says that more is there where there is little room', () => {
  expect(wordsOf(2, 2, 12).slice(1)).toEqual(['weights + gradients + …', 'weights + …']);
});
