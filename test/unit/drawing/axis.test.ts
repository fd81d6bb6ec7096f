import * as fc from '../../support/property.ts';
import { expect, it } from 'vitest';
import { timeAxis } from '../../../engine/drawing/axis.ts';
import { wrapped } from '../../../engine/drawing/caption.ts';
import { fitted, textWidth } from '../../../engine/drawing/xml.ts';

it('has steps of 1, 2 or 5, few enough, with texts that are their times', () => {
  const scale = { s: 1, ms: 1e3, µs: 1e6, ns: 1e9 } as const;
  fc.assert(
    fc.property(fc.double({ min: 1e-8, max: 1e6, noNaN: true }), fc.integer({ min: 1, max: 20 }), (seconds, most) => {
      const { title, ticks } = timeAxis(seconds, most);
      const unit = /\((.*)\)/.exec(title)?.[1] as keyof typeof scale;
      expect(ticks.length).toBeLessThanOrEqual(most + 1);
      for (const { at, text } of ticks) {
        expect(Number(text)).toBeCloseTo(at * scale[unit], 9);
        expect(at).toBeLessThanOrEqual(seconds * (1 + 1e-6));
      }
      expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length);
    }),
  );
});

it('is in milliseconds for times of an iteration', () => {
  expect(timeAxis(0.264, 6)).toEqual({
    title: 'time (ms)',
    ticks: [0, 50, 100, 150, 200, 250].map((ms) => ({ at: expect.closeTo(ms / 1e3, 12) as number, text: String(ms) })),
  });
});

it('wraps every text without losing a character', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.integer({ min: 20, max: 300 }), (text, width) => {
      const lines = wrapped(text, 7, width);
      expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      for (const line of lines) expect(textWidth(line, 7)).toBeLessThanOrEqual(width);
    }),
  );
});

it('cuts a name that is too wide', () => {
  expect(fitted('gpu[0]', 7, 60)).toBe('gpu[0]');
  const cut = fitted('a'.repeat(100), 7, 60);
  expect(cut.endsWith('…')).toBe(true);
  expect(textWidth(cut, 7)).toBeLessThanOrEqual(60);
});
