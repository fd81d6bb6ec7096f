import { describe, expect, it } from 'vitest';
import { levelOfDetail } from '../../../webview/picture/levelOfDetail.ts';
import { columnsFrom } from './columns.ts';

/** Operations of 3 seconds. */
const columns = columnsFrom([Array.from({ length: 10 }, () => ({ kind: 0, gap: 0, length: 3 }))]);
const at = (secondsPerPixel: number, height: number, mixed = false) =>
  levelOfDetail(columns, { secondsPerPixel, mixed, height });

describe('how operations are drawn', () => {
  it('is as blocks from 1.5 pixels on, otherwise as hills where a lane has room for them', () => {
    expect([at(2, 60), at(2, 4)]).toEqual(['blocks', 'blocks']);
    expect([at(2.01, 20), at(2.01, 19.9)]).toEqual(['hills', 'mixed']);
  });

  it('is never as blocks where rows mix the operations of several devices', () => {
    expect([at(0.1, 20, true), at(0.1, 12, true)]).toEqual(['hills', 'mixed']);
  });

  it('is as blocks where nothing takes time', () => {
    expect(levelOfDetail(columnsFrom([[]]), { secondsPerPixel: 1, mixed: false, height: 60 })).toBe('blocks');
  });
});
