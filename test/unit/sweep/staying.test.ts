import { describe, expect, test } from 'vitest';
import { stayingText } from '../../../engine/sweep/staying.ts';
import { call } from '../cli/harness.ts';
import { shaped, sweepCase } from './sweepCase.ts';

const staying = (over: string, text = shaped): string => {
  const { base, axes } = sweepCase(over, { text });
  return stayingText(base, axes);
};

describe('what is not searched', () => {
  test.each([
    ['recompute = [none, full]', 'tensor 1, pipeline 4, data 2, optimizer adam_mixed'],
    // Data ranks are what is left.
    ['pipeline = [2, 4]', 'tensor 1, optimizer adam_mixed'],
    ['tensor = [1, 2]', 'pipeline 4, optimizer adam_mixed'],
    // Pipeline ranks are.
    ['data = [1, 2]', 'tensor 1, optimizer adam_mixed'],
    ['tensor = [1, 2], pipeline = [2, 4], optimizer = [adam_mixed, sgd]', ''],
  ])('%s: %s', (over, text) => expect(staying(over)).toBe(text));

  test('a value that follows from a param that is searched is not the same in every row', () => {
    const counted = `param wide = 1 in 1..2\n${shaped.replace('  data         = 2\n', '  tensor       = wide\n  data         = 2\n')}`;
    expect(staying('wide = [1], recompute = [none, full]', counted)).toBe('pipeline 4, data 2, optimizer adam_mixed');
    expect(staying('recompute = [none, full]', counted)).toMatch(/^tensor 1, /u);
  });

  test('is named beside the best row of a file, and only there', async () => {
    // Two devices have few rows.
    const two = shaped
      .replace('node[2]', 'node[1]')
      .replace('gpu[4] = card', 'gpu[2] = card')
      .replace('balance(4)', 'balance(2)')
      .replace('balance(8)', 'balance(2)')
      .replace('  data         = 2\n', '');
    const out = async (...more: readonly string[]) =>
      (
        await call(['plan', 'a.pipe', '--pipeline', 'train', '--threads', '1', ...more], {
          files: { 'a.pipe': two },
        })
      ).out;
    const named = 'Not searched, and in every row as in the file: tensor 1, optimizer adam_mixed.\n';
    expect(await out('--over', 'pipeline = [1, 2]')).toMatch(new RegExp(`can be under .*\\n${named}`, 'u'));
    expect(await out()).not.toContain('Not searched');
    expect(await out('--over', 'pipeline = [1, 2]', '--limit', 'iteration < 1us')).not.toContain('Not searched');
  });
});
