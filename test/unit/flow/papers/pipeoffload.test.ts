/**
 * PipeOffload (arXiv:2503.01328): the tables of its building blocks, as in group_interleaved_1f1b.py of
 * sail-sg/zero-bubble-pipeline-parallelism at 39f2c186. In a table, F, I and W take one slot each.
 */
import { describe, expect, it } from 'vitest';
import { only, unitRun } from './unitRun.ts';

interface Block {
  readonly devices: number;
  readonly microbatches: number;
  readonly chunks: number;
  /** Slots between the forwards of a microbatch in one chunk and in the next. */
  readonly distance: number;
  /** Slot of a microbatch in the first chunk of the first device. */
  readonly enters: (microbatch: number) => number;
}

/** The row of a device: operations by their slots. A backward moves to the next device within three slots. */
function rowOf({ devices, microbatches, chunks, distance, enters }: Block, device: number): readonly string[] {
  const slots: [number, string][] = [];
  for (let j = 0; j < microbatches; j += 1) {
    for (let chunk = 0; chunk < chunks; chunk += 1) {
      const forward = enters(j) + distance * chunk + device;
      const firstBackward = enters(j) + distance * (chunks - 1) + device + 3 * (devices - 1 - device) + 1;
      const backward = firstBackward + distance * (chunks - 1 - chunk);
      const name = (letter: string) => `${chunk * devices + device}${letter}${j}`;
      slots.push([forward, name('F')], [backward, name('I')], [backward + 1, name('W')]);
    }
  }
  expect(new Set(slots.map(([slot]) => slot)).size).toBe(slots.length);
  return slots.sort(([a], [b]) => a - b).map(([, name]) => name);
}

const run = (use: string, devices: number, microbatches: number, chunks = 2) =>
  unitRun('schedules/pipeoffload.pipe', { devices, microbatches, stages: devices * chunks, use });

describe.each([2, 3, 4, 5, 8])('%i devices', (devices) => {
  const half = Math.ceil(devices / 2);

  it.each([1, 2, 3])('`uniform` repeats a block of %i chunks', (chunks) => {
    const distance = 3 * (half + (half % chunks === 0 ? 1 : 0));
    const block = { devices, microbatches: 9, chunks, distance, enters: (j: number) => 3 * chunks * j };
    const { order } = run(`uniform(chunks = ${chunks}, away = 0)`, devices, 9, chunks);
    order.forEach((row, device) => expect(row).toEqual(rowOf(block, device)));
  });

  it.each([half, devices])('`grouped` takes groups of %i through the chunks', (group) => {
    const block = {
      devices,
      microbatches: 2 * devices + 1,
      chunks: 2,
      distance: 3 * group,
      enters: (j: number) => 6 * group * Math.floor(j / group) + 3 * (j % group),
    };
    const { order } = run(`grouped(group = ${group}, away = 0)`, devices, block.microbatches);
    order.forEach((row, device) => expect(row).toEqual(rowOf(block, device)));
  });
});

it.each([
  // Devices, group (0: uniform), chunks in memory at most, by the authors' code for two chunks.
  [4, 0, 7],
  [6, 0, 9],
  [8, 0, 13],
  [4, 2, 6],
  [4, 4, 8],
  [8, 4, 12],
  [8, 6, 14],
  [8, 8, 16],
])('%i devices, groups of %i: %i chunks', (devices, group, peak) => {
  const use = group === 0 ? 'uniform(away = 0)' : `grouped(group = ${group}, away = 0)`;
  const held = run(use, devices, 3 * devices).run.report.devices.map((device) => device.in_flight);
  expect(Math.max(...held)).toBe(peak);
});

describe.each([4, 6, 8])('copies on %i devices', (devices) => {
  const m = 2 * devices;
  const kept = run('uniform(away = 0)', devices, m);

  it.each([1, 2])('of %i chunks take no time, and lie between the forward and the backward', (away) => {
    const sent = run(`uniform(away = ${away})`, devices, m);
    expect(sent.iteration).toBe(kept.iteration);
    sent.order.forEach((row, device) => {
      expect(row.filter((name) => !/[EL]/.test(name))).toEqual(kept.order[device]);
      for (const name of only(row, 'E')) {
        const places = ['F', 'E', 'L', 'I'].map((letter) => row.indexOf(name.replace('E', letter)));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(places).not.toContain(-1);
      }
      expect(only(row, 'E')).toHaveLength(only(row, 'L').length);
      expect(new Set(only(row, 'E')).size).toBe(only(row, 'E').length);
    });
    // Each microbatch of the first chunk leaves.
    for (const row of sent.order) expect(only(row, 'E').length).toBeGreaterThanOrEqual(m);
  });

  it('of one chunk leave a quarter of what 1F1B holds, and two chunks more', () => {
    const sent = run('uniform(away = 1)', devices, m);
    const held = sent.run.report.devices.map((device) => device.in_flight);
    const ofOneFOneB = 2 * devices;
    expect(Math.max(...held)).toBe(ofOneFOneB / 4 + 2);
  });
});
