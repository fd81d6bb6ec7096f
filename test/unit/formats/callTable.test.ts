import { describe, expect, test } from 'vitest';
import { readCallTable } from '../../../engine/formats/callTable.ts';

/** The lines of the faults, from 1, and what they say. */
function faultsIn(text: string): readonly string[] {
  const read = readCallTable(text);
  if (!('faults' in read)) throw new Error('The table has no fault.');
  return read.faults.map(({ start, message }) => `${text.slice(0, start).split(/\r\n|\r|\n/).length}: ${message}`);
}

describe('a table of measured times', () => {
  test('reads a heading, comments, and any common separator', () => {
    const expected = { bytes: [1024, 2048, 1e6], seconds: [1e-5, 2e-5, 0.003] };
    expect(readCallTable('bytes,seconds\n1024,1e-5\n2048,2e-5\n1e6,0.003\n')).toEqual(expected);
    expect(readCallTable('# measured\r\n1024; 1e-5\r\n\r\n2048\t2e-5 # twice\r\n1e6   .003')).toEqual(expected);
  });
  test('may have a larger size that is faster, but not at its end', () => {
    expect(readCallTable('1 3\n2 2\n3 4')).toEqual({ bytes: [1, 2, 3], seconds: [3, 2, 4] });
    expect(faultsIn('1 3\n3 4\n\n4 2\n')).toEqual([
      '4: The last size takes less time than the size before it; larger ones would take less and less.',
    ]);
  });
  test.each([
    ['a gap', '1 1\n2\n3 3', 2, 'Expected bytes and seconds'],
    ['a gap between commas', '1,1\n2,\n3,3', 2, 'Expected bytes and seconds'],
    ['a column too many', '1 1\n2 2 2', 2, 'Expected bytes and seconds'],
    ['disorder', '1 1\n\n5 2\n3 3', 4, 'not larger than the size before it'],
    ['a size twice', '1 1\n1 2', 2, 'not larger than the size before it'],
    ['a word', '1 1\n2 fast', 2, 'Expected bytes and seconds'],
    ['a second heading', 'bytes seconds\nbytes seconds\n1 1\n2 2', 2, 'Expected bytes and seconds'],
    ['a negative time', '1 1\n2 -1', 2, 'Expected bytes and seconds'],
    ['a number too large', '1 1\n2 1e999', 2, 'Expected bytes and seconds'],
    ['one point', '1 1\n', 1, 'at least two sizes, and has 1'],
    ['nothing', '', 1, 'at least two sizes, and has 0'],
  ])('names the line of %s', (_, text, line, message) => {
    const [first, ...more] = faultsIn(text);
    expect(first).toContain(message);
    expect(first.startsWith(`${line}: `)).toBe(true);
    expect(more).toEqual([]);
  });
});
