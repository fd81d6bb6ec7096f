import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { TransferRule } from '../../../engine/values/plan.ts';
import { type Program, kindOf, letters, microbatchOf, operationName, stageOf } from '../../../engine/values/program.ts';
import { stallOf } from '../../../engine/flow/stall.ts';
import { programDependencies } from '../../../engine/order/dependencies.ts';
import { visitInOrder } from '../../../engine/order/topology.ts';
import { findDeadlock, findDeadlocks } from '../../../engine/schedule/deadlock.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { runUntilStalled } from '../../../engine/simulate/stalled.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { bruteForceUntilStalled, key, rowsOf } from '../schedule/bruteForce.ts';
import { planOf } from '../../support/resolve.ts';
import { runnable } from '../support/cases.ts';
import { plainRendezvousUntilStalled } from '../support/plainRendezvous.ts';

/** Orders that run, with operations of a row swapped: some then wait in a circle. */
const swapped = fc
  .record({ runs: runnable, swaps: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 }) })
  .map(({ runs: { plan, program }, swaps }) => {
    const order = program.order.slice();
    for (const [where, from, to] of swaps) {
      const device = where % program.devices;
      const [start, end] = [program.offsets[device], program.offsets[device + 1]];
      if (start === end) continue;
      const [a, b] = [start + (from % (end - start)), start + (to % (end - start))];
      [order[a], order[b]] = [order[b], order[a]];
    }
    return { plan, program: { ...program, order } };
  });

const stuckOf = (program: Program, edges: Parameters<typeof programDependencies>[1]): Int32Array =>
  visitInOrder(program, programDependencies(program, edges), () => {});

/** In place of the time of an operation that never runs: NaN is close to nothing. */
const never = -1;
const known = (seconds: number): number => (Number.isNaN(seconds) ? never : seconds);

describe('a program that stalls', () => {
  it('runs as far as rows of named operations do, at the same times, and nothing else could run', () => {
    let stalled = 0;
    fc.assert(
      fc.property(swapped, ({ plan, program }) => {
        const run = runUntilStalled(program, stuckOf(program, plan.edges), timingOf(plan, program));
        const expected = bruteForceUntilStalled(plan, rowsOf(program));
        if (run.stuck.some((position, device) => position < program.offsets[device + 1])) stalled += 1;
        let last = 0;
        for (let device = 0; device < program.devices; device += 1) {
          expect(run.stuck[device] - program.offsets[device]).toBe(expected.at[device]);
          for (let position = program.offsets[device]; position < program.offsets[device + 1]; position += 1) {
            const word = program.order[position];
            const name = key(letters[kindOf(program, word)], stageOf(program, word), microbatchOf(program, word));
            expect(known(run.start[position])).toBeCloseTo(expected.starts.get(name) ?? never, 9);
            expect(known(run.end[position])).toBeCloseTo(expected.ends.get(name) ?? never, 9);
            last = Math.max(last, expected.ends.get(name) ?? 0);
          }
        }
        expect(run.seconds).toBeCloseTo(last, 9);
      }),
      { numRuns: 400 },
    );
    expect(stalled).toBeGreaterThan(100);
  });

  it.each(['none', 'peer', 'all'] satisfies readonly TransferRule['batched'][])(
    'with blocking sends runs as a plain simulation that steps each device (%s batched)',
    (batched) => {
      let stalled = 0;
      fc.assert(
        fc.property(fc.oneof(runnable, swapped), ({ plan, program }) => {
          const blocking = { ...plan, transfer: { kind: 'rendezvous', batched } as const };
          const run = runUntilStalled(program, stuckOf(program, plan.edges), timingOf(blocking, program));
          const expected = plainRendezvousUntilStalled(blocking, program, batched);
          if (expected.size < program.order.length) stalled += 1;
          let ran = 0;
          for (let position = 0; position < program.order.length; position += 1) {
            const word = program.order[position];
            const end = expected.get(
              `${kindOf(program, word)}/${stageOf(program, word)}/${microbatchOf(program, word)}`,
            );
            expect(known(run.end[position])).toBeCloseTo(end ?? never, 9);
            if (end !== undefined) ran += 1;
          }
          const counted = run.stuck.reduce((sum, position, device) => sum + position - program.offsets[device], 0);
          expect(counted).toBe(ran);
        }),
        { numRuns: 200 },
      );
      expect(stalled).toBeGreaterThan(40);
    },
  );

  it('has circles that share no operation, the first of them the one that is reported', () => {
    let severalCircles = 0;
    fc.assert(
      fc.property(swapped, ({ plan, program }) => {
        const found = findDeadlocks(program, plan, 20);
        expect(found[0]).toEqual(findDeadlock(program, plan));
        if (found.length > 1) severalCircles += 1;
        const stuck = stuckOf(program, plan.edges);
        const positions = found.flatMap(({ circle }) => circle.map(({ position }) => position));
        expect(new Set(positions).size).toBe(positions.length);
        for (const { circle } of found) {
          for (const [index, step] of circle.entries()) {
            const next = circle[(index + 1) % circle.length];
            expect(step.position).toBeGreaterThanOrEqual(stuck[step.device]);
            if (step.because === 'order') {
              expect(next.device).toBe(step.device);
              expect(next.position).toBeLessThan(step.position);
            }
          }
        }
      }),
      { numRuns: 400 },
    );
    expect(severalCircles).toBeGreaterThan(10);
  });
});

const mine = `device v100 { memory = 16GiB }
cluster box {
  gpu[4] = v100
  link = 25GB/s + 0us
}
model toy { layer block[4] { forward = 4ms  backward = 8ms } }
schedule mine {
  row(0) = F[0], F[1], B[0], B[1]
  row(1) = F[0], B[0], F[1], B[1]
  row(2) = F[1], F[0], B[0], B[1]
  row(3) = F[0], B[0], F[1], B[1]
}
pipeline train {
  model = toy
  devices = box
  microbatches = 2
  stages = balance(4)
  schedule = mine
}
`;

describe('the stall of a pipeline', () => {
  it('is where its rows wait for each other: figures by hand', () => {
    const plan = planOf(mine);
    const stall = stallOf(plan);
    if (stall === undefined) throw new Error('it runs');
    const { program, stuck, circles, seconds, waits } = stall;
    expect(seconds).toBeCloseTo(0.008, 12);
    expect(Array.from(stuck, (position, device) => position - program.offsets[device])).toEqual([2, 1, 0, 0]);
    // gpu[0] waits for 1B0, gpu[3] for 2F0; 1B0 for 2B0 and 2F1 for 1F1.
    expect(Array.from(waits, (position) => operationName(program, program.order[position]))).toEqual([
      '1B0',
      '2B0',
      '1F1',
      '2F0',
    ]);
    expect(circles).toHaveLength(1);
    expect(circles[0].circle.map(({ device, because }) => `${device} ${because}`)).toEqual([
      '2 needs',
      '1 order',
      '1 needs',
      '2 order',
    ]);
  });

  it('is undefined if its schedule ends or is no program', () => {
    const plan = planOf(mine.replace('F[0], B[0], F[1]', 'F[0], F[1], B[0]'));
    expect('program' in generate(plan)).toBe(true);
    expect(stallOf(plan)).toBeUndefined();
    expect(stallOf({ ...plan, schedule: { kind: 'policy', name: 'no such policy', args: {} } })).toBeUndefined();
  });
});
