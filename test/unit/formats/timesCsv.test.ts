/** A table of layer times from any profiler. */
import { describe, expect, test } from 'vitest';
import { importText } from '../../../engine/formats/importText.ts';
import { isTimesCsv, readTimesCsv } from '../../../engine/formats/timesCsv/read.ts';
import * as fc from '../../support/property.ts';

const header = 'layer,forward,backward_input,backward_weight,activation,output';

describe('a table of layer times', () => {
  test('has milliseconds and bytes, or units', () => {
    const read = readTimesCsv(`${header}\nembed,1.5,1,2,512MiB,8 MiB\n"block, 0",3us,0,0.007s,1048576,1e6\n`);
    expect('layers' in read ? read.layers : []).toMatchObject([
      {
        name: 'embed',
        forward: 0.0015,
        backwardInput: 0.001,
        backwardWeight: 0.002,
        activation: 2 ** 29,
        output: 2 ** 23,
        after: [],
      },
      {
        name: 'block_0',
        forward: 3e-6,
        backwardInput: 0,
        backwardWeight: 0.007,
        activation: 2 ** 20,
        output: 1e6,
        after: [0],
      },
    ]);
  });

  test('may have a whole backward, other columns in any order, and Windows line ends', () => {
    const made = importText('weights,layer,backward,forward\r\n1GiB,a,2,1\r\n,b,4,2\r\n');
    expect(made !== undefined && 'pipe' in made ? made.pipe : '').toMatch(
      /layer a \{ forward = 1ms {2}backward = 2ms {2}weights = 1073741824B \}\n {2}layer b \{ forward = 2ms {2}backward = 4ms \}/,
    );
  });

  test.each([
    ['layer,forward,speed\na,1,2', 14, 'Unknown column.'],
    ['layer,forward,forward\na,1,2', 14, 'twice'],
    ['layer,forward,backward_input\na,1,2', 0, 'two columns'],
    ['layer,forward', 0, 'no layer'],
    ['layer,forward\na,-1', 16, 'Expected a number of at least 0, with ns, us, ms or s'],
    ['layer,forward\na,1GB', 16, 'Expected a number of at least 0, with ns'],
    ['layer,forward,output\na,1,2ms', 25, 'with B, KB'],
    ['layer,forward\na,1,3', 14, 'This row has 3 cells; the header has 2.'],
  ])('%s', (text, start, message) => {
    const read = readTimesCsv(text);
    expect('faults' in read ? read.faults[0] : {}).toMatchObject({ start, message: expect.stringContaining(message) });
  });

  test.each([
    ['units in the header', 'Layer,Forward (ms),Backward (ms)\nembed,1.5,3', 0],
    ['semicolons', 'layer;forward;backward\nembed;1,5;3', 0],
    ['names of its own', 'name,fwd_ms,bwd_ms\nstage0,10.2,20.1', 0],
    ['a comment first', '# my profiler\nlayer,forward,backward\nembed,1.5,3', 14],
  ])('a table that a person reads as one is told what it needs: %s', (_, text, start) => {
    const made = importText(text);
    expect(made !== undefined && 'faults' in made ? made.faults[0] : {}).toMatchObject({
      start,
      message: expect.stringContaining('needs the columns layer and forward'),
    });
  });

  test.each(['name,age\nx,12', 'layer, forward = split(x)\n', '# layer,forward\nx = 1\n'])('%s is none', (text) => {
    expect(isTimesCsv(text)).toBe(false);
  });

  test('a backward and its halves agree up to rounding', () => {
    const table = (backward: string): string =>
      `layer,forward,backward,backward_input,backward_weight\nembed,1.5,${backward},1,1`;
    const wrong = readTimesCsv(table('3'));
    expect('faults' in wrong ? wrong.faults : []).toEqual([
      {
        start: 54,
        end: 69,
        message: 'The backward takes 3 ms, and its halves 2 ms together: leave out one of the two.',
      },
    ]);
    for (const backward of ['2', '2.01', '']) expect(readTimesCsv(table(backward))).toHaveProperty('layers');
  });

  test('whatever the text, the answer is layers, or faults with places', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(',', '"', '\n', 'a', '1', 'ms', '-', ' ', 'forward', 'layer'), { maxLength: 40 }),
        (parts) => {
          const text = `layer,forward${parts.join('')}`;
          expect(isTimesCsv(`layer,forward\n${text}`)).toBe(true);
          const read = readTimesCsv(text);
          for (const { start, end } of 'faults' in read ? read.faults : []) {
            expect(start).toBeLessThanOrEqual(end);
            expect(end).toBeLessThanOrEqual(text.length);
          }
          if ('layers' in read) expect(read.layers.every(({ forward }) => forward >= 0)).toBe(true);
        },
      ),
    );
  });
});
