import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { placeTasks } from '../../../engine/fill/place.ts';
import { fitting, tasksOf } from '../../../engine/fill/tasks.ts';
import type { MemoryTrack } from '../../../engine/simulate/memory.ts';
import { type Case, type Span, plainFirstFit } from './firstFit.ts';

function placed({ idle, levels, capacity, tasks, overhead }: Case): Span[] {
  const track: MemoryTrack = {
    at: Float64Array.from(levels, ([at]) => at),
    bytes: Float64Array.from(levels, ([, level]) => level),
    base: 0,
    capacity,
  };
  const intervals = { from: Float64Array.from(idle, ([at]) => at), to: Float64Array.from(idle, ([, to]) => to) };
  const spans: Span[] = [];
  const all = tasksOf(tasks);
  const result = placeTasks({
    idle: intervals,
    memory: track,
    tasks: all,
    overhead,
    slack: 1e-9,
    visit: (at, count, first) => {
      for (let one = 0, now = at; one < count; one += 1) {
        const task = (first + one) % all.list.length;
        spans.push({ at: now, end: now + all.list[task].seconds, task });
        now += all.list[task].seconds;
      }
    },
  });
  expect(result.tasks).toBe(spans.length);
  expect(result.seconds).toBeCloseTo(
    spans.reduce((sum, span) => sum + span.end - span.at, 0),
    9,
  );
  const within = (span: Span) => idle.findIndex(([from, to]) => span.at >= from && span.end <= to + 1e-9);
  expect(result.used).toBe(new Set(spans.map(within)).size);
  if (all.list.length > 0) expect(result.next).toBe(spans.length % all.list.length);
  return spans;
}

const gaps = (most: number) =>
  fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: most })), { maxLength: 8 });
const cases: fc.Arbitrary<Case> = fc.record({
  idle: gaps(30).map((pairs) => {
    let at = 0;
    return pairs.map(([busy, length]) => [(at += busy), (at += length)] as const);
  }),
  levels: gaps(12).map((pairs) => {
    let at = 0;
    return [[0, 3] as const, ...pairs.map(([level, length]) => [(at += length), level] as const)];
  }),
  capacity: fc.integer({ min: 0, max: 9 }),
  tasks: fc.array(
    fc.record({
      layer: fc.constant('t'),
      seconds: fc.integer({ min: 0, max: 7 }),
      bytes: fc.integer({ min: 0, max: 8 }),
    }),
    { maxLength: 6 },
  ),
  overhead: fc.integer({ min: 0, max: 3 }),
});

describe('tasks in idle intervals', () => {
  it('are placed first fit', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const found = placed(one);
        const expected = plainFirstFit(one);
        expect(found.map(({ task }) => task)).toEqual(expected.map(({ task }) => task));
        for (const [index, { at, end }] of expected.entries()) {
          expect(found[index].at).toBeCloseTo(at, 6);
          expect(found[index].end).toBeCloseTo(end, 6);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('lie within an interval with its changes, and within the free memory at all times', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { idle, levels, capacity, tasks, overhead } = one;
        const real = tasks.filter(({ seconds }) => seconds > 0);
        for (const { at, end, task } of placed(one)) {
          expect(idle.some(([from, to]) => at >= from + overhead - 1e-6 && end <= to - overhead + 1e-6)).toBe(true);
          for (const [index, [from, level]] of levels.entries()) {
            const until = levels[index + 1]?.[0] ?? Infinity;
            if (from < end - 1e-6 && until > at + 1e-6) expect(level + real[task].bytes).toBeLessThanOrEqual(capacity);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are counted, not walked: a billion tiny ones take no time', () => {
    const track = { at: Float64Array.of(0), bytes: Float64Array.of(0), base: 0, capacity: 1 };
    const idle = { from: Float64Array.of(0), to: Float64Array.of(1000) };
    const tiny = tasksOf([
      { layer: 'a', seconds: 1e-6, bytes: 0 },
      { layer: 'b', seconds: 3e-6, bytes: 1 },
    ]);
    const result = placeTasks({ idle, memory: track, tasks: tiny, overhead: 0, slack: 1e-9 });
    expect(result.tasks).toBeGreaterThanOrEqual(499_999_998);
    expect(result.tasks).toBeLessThanOrEqual(500_000_002);
    expect(result.seconds).toBeCloseTo(1000, 5);
  });

  it('take as many of the next ones as time and memory allow', () => {
    const tasks = tasksOf([
      { layer: 'a', seconds: 2, bytes: 1 },
      { layer: 'b', seconds: 3, bytes: 5 },
      { layer: 'c', seconds: 4, bytes: 1 },
    ]);
    expect(fitting(tasks, 0, 9, 5)).toEqual({ count: 3, seconds: 9 });
    expect(fitting(tasks, 2, 20, 5)).toEqual({ count: 6, seconds: 18 });
    expect(fitting(tasks, 2, 20, 4)).toEqual({ count: 2, seconds: 6 });
    expect(fitting(tasks, 1, 2.9, 5)).toEqual({ count: 0, seconds: 0 });
  });
});
