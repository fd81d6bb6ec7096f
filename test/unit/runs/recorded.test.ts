/** Recorded runs of PyTorch, against what an independent program finds in them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { messagesOf } from '../../../engine/runs/clocks.ts';
import { measure } from '../../../engine/runs/measure.ts';
import { folder, letters, orderOf, recordingOf } from './traces.ts';

interface Expected {
  readonly stages: number;
  readonly microbatches: number;
  readonly placement: readonly number[];
  readonly used: readonly number[];
  readonly order: readonly string[];
  readonly offsets: readonly number[];
  readonly times: Readonly<Record<string, readonly [number, number, number, number]>>;
  readonly waitedFor: number;
  readonly alreadyThere: number;
  readonly flight: number;
  readonly host: number;
  readonly iteration: number;
}

const all = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as Readonly<Record<string, Expected>>;
const micros = 1e6;

describe.each(Object.entries(all))('%s', (name, expected) => {
  const recording = recordingOf(name);
  const measured = measure(recording, 1);

  test('has the stages, ranks and order that ran', () => {
    expect(recording).toMatchObject({ stages: expected.stages, microbatches: expected.microbatches });
    expect([...recording.placement]).toEqual(expected.placement);
    expect(measured.steps.map(({ number }) => number)).toEqual(expected.used);
    expect(measured.steps.at(-1)?.rows.map(orderOf)).toEqual(expected.order);
  });

  test('gives each operation its time, without its wait, to 1 µs', () => {
    const works = new Map<string, number[]>();
    for (const { rows } of measured.steps)
      for (const row of rows)
        for (const [at, work] of row.work.entries()) {
          const key = `${row.stage[at]}${letters[row.kind[at]]}`;
          works.set(key, [...(works.get(key) ?? []), work * micros]);
        }
    expect([...works.keys()].toSorted()).toEqual(Object.keys(expected.times).toSorted());
    for (const [key, [count, mean, least, most]] of Object.entries(expected.times)) {
      const own = works.get(key) ?? [];
      expect(own.length).toBe(count);
      const found = [own.reduce((sum, work) => sum + work, 0) / count, Math.min(...own), Math.max(...own)];
      for (const [at, figure] of [mean, least, most].entries()) expect(Math.abs(found[at] - figure)).toBeLessThan(1);
    }
  });

  test('tells messages that a rank waited for from those that were there', () => {
    const messages = measured.steps.flatMap((step) => [...messagesOf(recording, step)]);
    const waited = messages.filter((message) => message.waited);
    expect([waited.length, messages.length - waited.length]).toEqual([expected.waitedFor, expected.alreadyThere]);
    const flight = waited.reduce((sum, { posted, arrived }) => sum + arrived - posted, 0) / waited.length;
    expect(Math.abs(flight * micros - expected.flight)).toBeLessThan(1);
  });

  test('measures hosts and the iteration', () => {
    if (name !== 'mlp_dualpipe_v_p2') expect(Math.abs(measured.host * micros - expected.host)).toBeLessThan(1);
    expect(Math.abs(measured.iteration * micros - expected.iteration)).toBeLessThan(2);
  });

  test('moves clocks only where messages prove that they differ', () => {
    for (const [rank, offset] of expected.offsets.entries()) {
      expect(Math.abs(recording.clocks.offset[rank] * micros - offset)).toBeLessThan(1);
      expect(recording.clocks.slack[rank]).toBeLessThan(1e-3);
    }
  });
});
