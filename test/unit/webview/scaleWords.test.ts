import { describe, expect, it } from 'vitest';
import { scaleWords } from '../../../webview/picture/scaleWords.ts';
import { columnsFrom } from './columns.ts';

// Lengths of 2 and 4 seconds: 3 on average, whatever the gaps.
const columns = columnsFrom([
  Array.from({ length: 100 }, (_, at) => ({ kind: at % 2, gap: at % 3, length: at % 2 === 0 ? 2 : 4 })),
]);

describe('what a pixel stands for', () => {
  it('is said in time and operations where these are too short to be drawn', () => {
    expect(scaleWords(columns, 15).join('')).toBe('1 px = 15 s = 5 operations of one device, mixed by share of time');
    expect(scaleWords(columns, 3).join('')).toBe('1 px = 3 s = 1 operation of one device, mixed by share of time');
    expect(scaleWords(columns, 6000).join('')).toContain('= 2,000 operations of one device');
    expect(scaleWords(columns, 2.2).join('')).toBe('1 px = 2.2 s, operations are 1.4 px wide, mixed by share of time');
  });

  it('is not said where blocks are drawn, or where there are none', () => {
    expect(scaleWords(columns, 2)).toEqual([]);
    expect(scaleWords(columnsFrom([[]]), 1)).toEqual([]);
  });
});
