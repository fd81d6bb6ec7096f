import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { advanced, nextEvent, nextSpeed, secondsAt } from '../../../webview/session/playback.ts';
import { columnsFrom, plainRows } from './columns.ts';

describe('play', () => {
  it('goes through an iteration in 8 seconds at speed 1, and stops at its end', () => {
    expect(advanced(0, 8000, 1, 0.264)).toBe(0.264);
    expect(advanced(0, 1000, 1, 0.264)).toBeCloseTo(0.033);
    expect(advanced(0.1, 500, 4, 0.8)).toBeCloseTo(0.3);
    expect(advanced(0.1, 1e9, 0.5, 0.8)).toBe(0.8);
    expect(advanced(0.1, -5, 1, 0.8)).toBe(0.1);
  });

  it('has speeds from 0.5 to 4, in turn', () => {
    expect(nextSpeed(0.5)).toBe(1);
    expect(nextSpeed(2)).toBe(4);
    expect(nextSpeed(4)).toBe(0.5);
    expect([secondsAt(0.5), secondsAt(1), secondsAt(4)]).toEqual([16, 8, 2]);
  });

  it('steps through the starts and ends of all blocks in order, each once', () => {
    fc.assert(
      fc.property(plainRows(12), (rows) => {
        const columns = columnsFrom(rows);
        const events = [...new Set([...columns.start, ...columns.end])].filter((at) => at > 0).sort((a, b) => a - b);
        const met: number[] = [];
        for (let at = 0; at < columns.makespan;) {
          at = nextEvent(columns, at);
          met.push(at);
          expect(met.length).toBeLessThanOrEqual(events.length);
        }
        expect(met).toEqual(events);
        expect(nextEvent(columns, columns.makespan)).toBe(columns.makespan);
      }),
    );
  });
});
