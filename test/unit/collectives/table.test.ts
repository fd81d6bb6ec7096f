import { describe, expect, test } from 'vitest';
import { readTable } from '../../../engine/network/collectives/table.ts';

describe('a table of measured times', () => {
  test('reads a heading, comments, and any common separator', () => {
    const expected = { bytes: [1024, 2048, 1e6], seconds: [1e-5, 2e-5, 0.003] };
    expect(readTable('bytes,seconds\n1024,1e-5\n2048,2e-5\n1e6,0.003\n')).toEqual(expected);
    expect(readTable('# measured\r\n1024; 1e-5\r\n\r\n2048\t2e-5 # twice\r\n1e6   .003')).toEqual(expected);
  });
  test('may have a larger size that is faster, but not at its end', () => {
    expect(readTable('1 3\n2 2\n3 4')).toEqual({ bytes: [1, 2, 3], seconds: [3, 2, 4] });
    expect(readTable('1 3\n3 4\n\n4 2\n')).toEqual({ line: 4, kind: 'faster', seconds: 2, before: 4 });
  });
  test.each([
    ['a gap', '1 1\n2\n3 3', { line: 2, kind: 'columns', found: 1 }],
    ['a gap between commas', '1,1\n2,\n3,3', { line: 2, kind: 'columns', found: 1 }],
    ['a column too many', '1 1\n2 2 2', { line: 2, kind: 'columns', found: 3 }],
    ['disorder', '1 1\n\n5 2\n3 3', { line: 4, kind: 'order', bytes: 3, before: 5 }],
    ['a size twice', '1 1\n1 2', { line: 2, kind: 'order', bytes: 1, before: 1 }],
    ['a word', '1 1\n2 fast', { line: 2, kind: 'number', text: 'fast' }],
    ['a second heading', 'bytes seconds\nbytes seconds\n1 1', { line: 2, kind: 'number', text: 'bytes' }],
    ['a negative time', '1 1\n2 -1', { line: 2, kind: 'number', text: '-1' }],
    ['a number too large', '1 1\n2 1e999', { line: 2, kind: 'number', text: '1e999' }],
    ['one point', '1 1\n', { line: 2, kind: 'points', found: 1 }],
    ['nothing', '', { line: 1, kind: 'points', found: 0 }],
  ])('names the line of %s', (_, text, problem) => {
    expect(readTable(text)).toEqual(problem);
  });
});
