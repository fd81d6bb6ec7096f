import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const messages = (text: string): readonly string[] =>
  analyse(text).findings.map(({ code, severity, message }) => `${severity} ${code}: ${message}`);
const test = (shapes: string, checks: string) => `expect mine { over(${shapes})  ${checks} }\n`;

describe('a test of a rule with conditions', () => {
  it('gives R the time of a forward', () => {
    const text = 'schedule mine { order = greedy(prefer = [B, R, F])  in_flight = 1 }\n';
    // One device at a time works on the only microbatch: F on all, then R and B, of which the R of the others are ahead.
    expect(messages(text + test('devices = 1, microbatches = 1..9', 'iteration == 4 * microbatches'))).toEqual([]);
    expect(messages(text + test('devices = 1..6, microbatches = 1', 'iteration == 3 * devices + 1'))).toEqual([]);
  });
  it('equals the limit of microbatches in flight', () => {
    const text = 'schedule mine { order = greedy(prefer = [B, F])  allow(F, s) = held(s) < stages - s }\n';
    expect(messages(text + test('devices = 1..6, microbatches = 1..12', 'valid  order == 1f1b'))).toEqual([]);
  });
  it('names the first shape in which nothing may start, and the condition', () => {
    const text = 'schedule mine { order = greedy(prefer = [B, F])  allow(F, s) = done(F) < 3 }\n';
    const [found] = analyse(text + test('devices = 2, microbatches = 2..5', 'valid')).findings;
    expect(found.message).toContain('p = 2, m = 4: At 12 s the schedule allows no operation');
    expect(text.slice(found.place.start, found.place.end)).toBe('done(F) < 3');
  });
});
