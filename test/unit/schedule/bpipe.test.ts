import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { bpipe } from '../../../engine/policies/builtin/bpipe.ts';
import { type Program, kindOf, letters, microbatchOf, stageOf } from '../../../engine/values/program.ts';
import { relocate } from '../../../engine/schedule/relocate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { memoryPeak, memoryTrack } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { type Timeline, arrivalAt, endAt, startAt } from '../../../engine/values/timeline.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { recipePlan, policy } from '../support/plans.ts';
import { namesOf, programFor } from './bruteForce.ts';

const run = (plan: PipelinePlan, program: Program = programFor(plan)): Timeline => {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('never ends');
  return timeline;
};
/** F = 1, B = 2, and no transfer takes any time. */
const plain = (devices: number, microbatches: number, more = {}): PipelinePlan =>
  withBandwidth(
    recipePlan({ devices, microbatches, schedule: policy('bpipe'), backwardInput: [1], backwardWeight: [1], ...more }),
    'occupancy' in more ? undefined : Infinity,
  );
/** An activation of one byte takes 1 / bandwidth; what stages exchange has no bytes. */
function withBandwidth(plan: PipelinePlan, bandwidth: number | undefined): PipelinePlan {
  return bandwidth === undefined ? plan : { ...plan, routes: plan.routes.map((route) => ({ ...route, bandwidth })) };
}

const sizes = fc.tuple(fc.integer({ min: 2, max: 16 }), fc.integer({ min: 1, max: 64 }));

describe('bpipe', () => {
  it('on four devices evicts on the first and calls back one backward early', () => {
    expect(namesOf(programFor(plain(4, 6)))[0]).toEqual(
      // 1 and 2 make room for what follows; 1 is back before its turn; 4 goes so that 2 can come.
      '0F0 0F1 0E1 0F2 0E2 0F3 0B0 0L1 0F4 0E4 0B1 0L2 0F5 0B2 0L4 0B3 0B4 0B5'.split(' '),
    );
  });

  it('is 1F1B for who does not look at E and L, and complete', () => {
    fc.assert(
      fc.property(sizes, ([devices, microbatches]) => {
        const plan = plain(devices, microbatches);
        const program = programFor(plan);
        expect(validate(program, plan)).toEqual([]);
        const others = namesOf(program).map((row) => row.filter((name) => !/[EL]/.test(name)));
        expect(others).toEqual(namesOf(programFor({ ...plan, schedule: policy('1f1b') })));
      }),
    );
  });

  it('holds at most ⌈(p + 2) / 2⌉ with free transfers, guests counted, and ends with 1F1B', () => {
    for (let p = 2; p <= 16; p += 1) {
      for (const m of [1, 2, 3, p - 1, p, p + 1, 2 * p, 64]) {
        const plan = plain(p, m, { activation: 1 });
        const timeline = run(plan);
        expect(timeline.makespan).toBe((m + p - 1) * 3);
        const most = Math.ceil((p + 2) / 2);
        for (let device = 0; device < p; device += 1) {
          const own = Math.min(m, p - device);
          const evicted = Math.min(m, p - (p - 1 - device));
          const { inFlight, bytes } = memoryPeak(plan, timeline, device);
          expect(bytes).toBe(inFlight);
          // Who evicts holds its share. Who accepts holds x + 1 of its own and up to w − most + 1 of its partner's w.
          if (own > most) expect(inFlight).toBe(most);
          else if (evicted > most) {
            expect(inFlight).toBeLessThanOrEqual(Math.min(Math.floor((p + 2) / 2), own + evicted - most + 1));
          } else expect(inFlight).toBe(own);
        }
      }
    }
  });

  it('reaches that bound on the first and the last device where p is even, and one less on the last where it is odd', () => {
    for (let p = 4; p <= 16; p += 1) {
      const plan = plain(p, 64);
      const timeline = run(plan);
      expect(memoryPeak(plan, timeline, 0).inFlight).toBe(Math.ceil((p + 2) / 2));
      expect(memoryPeak(plan, timeline, p - 1).inFlight).toBe(Math.floor((p + 2) / 2));
    }
  });

  it('keeps the bound and the time of 1F1B where no transfer is longer than a forward', () => {
    fc.assert(
      fc.property(sizes, fc.constantFrom(1, 2, 4), ([p, m], bandwidth) => {
        const plan = withBandwidth(plain(p, m), bandwidth);
        const timeline = run(plan);
        expect(timeline.makespan).toBeCloseTo((m + p - 1) * 3, 9);
        for (let device = 0; device < p; device += 1)
          expect(memoryPeak(plan, timeline, device).inFlight).toBeLessThanOrEqual(Math.ceil((p + 2) / 2));
      }),
    );
  });

  it('waits for what comes back where transfers are long', () => {
    const base = plain(4, 12);
    const slow = withBandwidth(base, 1 / 20);
    expect(run(slow).makespan).toBeGreaterThan(run(base).makespan);
    expect(run(slow).makespan).toBe(endsOf(slow));
  });
});

/** Operations of a row as `kind/microbatch` and their times; stage and device are one. */
function timesOf(timeline: Timeline): Map<string, { readonly start: number; readonly end: number }> {
  const { program } = timeline;
  const times = new Map<string, { start: number; end: number }>();
  for (let position = 0; position < program.order.length; position += 1) {
    const word = program.order[position];
    times.set(`${letters[kindOf(program, word)]}/${stageOf(program, word)}/${microbatchOf(program, word)}`, {
      start: startAt(timeline, position),
      end: endAt(timeline, position),
    });
  }
  return times;
}

/** An independent longest path: transfers of a constant delay, which is right for links of their own that never queue. */
function endsOf(plan: PipelinePlan): number {
  const p = plan.devices.length;
  const rows = namesOf(programFor(plan)).map((row) => row.map((name) => /^(\d+)([A-Z])(\d+)$/.exec(name) ?? []));
  const ends = new Map<string, number>();
  const link = plan.routes[0];
  const delay = (bytes: number) => link.latency + bytes / link.bandwidth;
  const bytes = plan.edges[0].bytes;
  for (let changed = true; changed;) {
    changed = false;
    for (const [d, row] of rows.entries()) {
      let now = 0;
      for (const [, , letter, j] of row) {
        const { forward, backwardInput, backwardWeight, activation } = plan.stages[d];
        const at = (name: string, wait = 0) => (ends.get(name) ?? 0) + (ends.has(name) ? wait : 0);
        const needs: Record<string, readonly number[]> = {
          F: [d > 0 ? at(`F${d - 1}/${j}`, delay(bytes)) : 0],
          B: [d < p - 1 ? at(`B${d + 1}/${j}`, delay(bytes)) : 0, at(`L${d}/${j}`, delay(activation))],
          E: [0],
          L: [at(`E${d}/${j}`, delay(activation))],
        };
        const start = Math.max(now, ...needs[letter]);
        now = start + ({ F: forward, B: backwardInput + backwardWeight }[letter] ?? 0);
        const name = `${letter}${d}/${j}`;
        if (ends.get(name) !== now) changed = true;
        ends.set(name, now);
      }
    }
  }
  return Math.max(...ends.values());
}

describe('evicted activations', () => {
  it('are where the definition says at every moment, and everything runs when a plain simulation says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 9 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 9 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
        (p, m, latency, costs) => {
          const plan = plain(p, m, { latency, forward: costs, backwardInput: costs.toReversed(), activation: 3 });
          // A transfer takes its latency, and none waits for another.
          const free = withBandwidth(plan, Infinity);
          const timeline = run(free);
          expect(timeline.makespan).toBe(endsOf(free));
          const times = timesOf(timeline);
          const partner = bpipe.partners?.({ devices: p, microbatches: m } as never) ?? [];
          for (let device = 0; device < p; device += 1) {
            const spans: { from: number; to: number }[] = [];
            for (let stage = 0; stage < p; stage += 1) {
              for (let j = 0; j < m; j += 1) {
                const at = (letter: string) => times.get(`${letter}/${stage}/${j}`);
                const [f, b, e, l] = [at('F'), at('B'), at('E'), at('L')];
                if (f === undefined || b === undefined) throw new Error('incomplete');
                if (e === undefined || l === undefined) {
                  if (stage === device) spans.push({ from: f.start, to: b.end });
                  continue;
                }
                if (stage === device) {
                  spans.push({ from: f.start, to: e.end + latency }, { from: l.end, to: b.end });
                } else if (partner[stage] === device) spans.push({ from: e.end, to: l.end + latency });
              }
            }
            const track = memoryTrack(free, timeline, device);
            const edges = [...new Set(spans.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
            let most = 0;
            edges.forEach((from, index) => {
              const moment = (from + (edges[index + 1] ?? from + 1)) / 2;
              const held = spans.filter((span) => span.from <= moment && moment < span.to).length;
              most = Math.max(most, held);
              expect(track.bytes[track.at.findLastIndex((at) => at <= moment)]).toBe(3 * held);
            });
            expect(memoryPeak(free, timeline, device)).toMatchObject({ inFlight: most, bytes: 3 * most });
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('queue for a shared link like everything else: one transfer at a time, each evicted one twice', () => {
    const base = plain(6, 12, { occupancy: 0.25, duplex: 'shared', activation: 2 });
    const timeline = run(base);
    const { program, timing } = timeline;
    const held: { from: number; to: number }[] = [];
    let twice = 0;
    for (let row = 0; row < timing.duration.length; row += 1) {
      const kind = Math.trunc(row / program.stages);
      // I lists the needs of B.
      if (kind === 2) continue;
      for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
        if (timing.needChannel[need] < 0) continue;
        for (let j = 0; j < 12; j += 1) {
          const to = arrivalAt(timeline, need, j);
          if (Number.isNaN(to) || to < 0) continue;
          held.push({ from: to - timing.needOccupancy[need], to });
          if (timing.needOccupancy[need] === 0.5) twice += 1;
        }
      }
    }
    held.sort((a, b) => a.from - b.from);
    for (let index = 1; index < held.length; index += 1)
      expect(held[index].from).toBeGreaterThanOrEqual(held[index - 1].to - 1e-9);
    const evictions = namesOf(program)
      .flat()
      .filter((name) => name.includes('E')).length;
    expect(evictions).toBeGreaterThan(0);
    expect(twice).toBe(2 * evictions);
  });

  it('go to the partner wherever the file puts the stages', () => {
    const reversed = plain(5, 8, { placement: [4, 3, 2, 1, 0] });
    const moved = run(reversed);
    expect([...(moved.program.partner ?? [])]).toEqual([-1, -1, -1, -1, 0]);
    const plainly = run(plain(5, 8));
    for (let device = 0; device < 5; device += 1)
      expect(memoryPeak(reversed, moved, device)).toMatchObject({
        bytes: memoryPeak(plain(5, 8), plainly, 4 - device).bytes,
      });
    // Two rows on one device: it runs, and whoever keeps its own has nothing to send.
    const shared = { ...plain(5, 8), placement: [0, 0, 1, 1, 0] };
    const program = relocate(programFor(plain(5, 8)), shared);
    expect(validate(program, shared)).toEqual([]);
    expect(run(shared, program).makespan).toBeGreaterThan(0);
  });
});
