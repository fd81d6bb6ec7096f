/** Varuna (arXiv:2111.04007): its rule as a clock that ticks once for each forward, for F = R = 1 and B = 2. */
import { describe, expect, it } from 'vitest';
import { unitRun } from './unitRun.ts';

interface Device {
  until: number;
  running: string;
  forwards: number;
  recomputed: number;
  backwards: number;
}

/** At each tick a free device takes a backward, then a recomputation for a backward that is due in at most one tick, then a forward. */
function ticks(devices: number, microbatches: number): number {
  const all = Array.from({ length: devices }, (): Device => ({
    until: 0,
    running: '',
    forwards: 0,
    recomputed: 0,
    backwards: 0,
  }));
  for (let now = 0; ; now += 1) {
    for (const device of all) {
      if (device.until > now) continue;
      if (device.running === 'F') device.forwards += 1;
      if (device.running === 'R') device.recomputed += 1;
      if (device.running === 'B') device.backwards += 1;
      device.running = '';
    }
    if (all.every(({ backwards }) => backwards === microbatches)) return now;
    all.forEach((device, at) => {
      if (device.running !== '') return;
      const { forwards, recomputed, backwards } = device;
      const last = at === devices - 1;
      const behind = last ? undefined : all[at + 1];
      const begin = (kind: string, ticksLong: number) =>
        Object.assign(device, { running: kind, until: now + ticksLong });
      const gradient = behind === undefined ? forwards > backwards : behind.backwards > backwards;
      if (gradient && (last || recomputed > backwards)) begin('B', 2);
      else if (!last && forwards > recomputed && recomputed === backwards && dueIn(all, at, now) <= 1) begin('R', 1);
      else if (forwards < microbatches && (at === 0 || all[at - 1].forwards > forwards)) begin('F', 1);
    });
  }
}

/** Ticks until the next stage has ended the backward that this one needs; infinite until that begins. If it begins now, it takes 2. */
function dueIn(all: readonly Device[], at: number, now: number): number {
  const [{ backwards }, behind] = [all[at], all[at + 1]];
  if (behind.backwards > backwards) return 0;
  return behind.running === 'B' && behind.backwards === backwards ? behind.until - now : Infinity;
}

describe.each([2, 3, 4, 5, 8])('%i devices', (devices) => {
  it.each([1, 2, 3, 4, 7, 9, 12, 20])('%i microbatches end when the rule says', (microbatches) => {
    const end = ticks(devices, microbatches);
    // Derived in docs/schedules/varuna.md.
    expect(end).toBe(4 * microbatches + 3 * devices - 4 - ((microbatches - 1) % 3));
    const shape = { devices, microbatches, use: 'varuna', recompute: true };
    expect(unitRun('schedules/varuna.pipe', shape).iteration).toBe(end);
  });
});
