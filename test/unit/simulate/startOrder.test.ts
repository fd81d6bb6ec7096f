import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { operationCounts } from '../../../engine/order/operationCounts.ts';
import { needSlot, type Program, resultSlotOf, rowOf, stageOf } from '../../../engine/values/program.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { shapeOf } from '../../../engine/policies/shape.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { runInOrder } from '../../../engine/simulate/inOrder.ts';
import { runWithQueues } from '../../../engine/simulate/queues.ts';
import { startOrder } from '../../../engine/simulate/startOrder.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { runnable } from '../support/cases.ts';
import { withCopies } from '../support/copies.ts';
import { policy, recipePlan } from '../support/plans.ts';
import { oneForwardOneBackward, programOf } from '../support/programs.ts';

const schedule = policy('1f1b');

/** 1F1B of devices in a row. */
const chain = (devices: number, microbatches: number): Program =>
  programOf(
    oneForwardOneBackward(devices, microbatches),
    devices,
    microbatches,
    Array.from({ length: devices }, (_, device) => device),
  );

describe('the order in which operations can start', () => {
  it('has every operation once, after what it needs and after the operation before it on its device', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const timing = timingOf(plan, program);
        const words = startOrder(program, timing);
        expect(words?.toSorted()).toEqual(program.order.toSorted());
        const done = new Set<number>();
        const cursors = program.offsets.slice(0, program.devices);
        for (const word of words ?? []) {
          const row = rowOf(program, word);
          const device = program.placement[stageOf(program, word)];
          expect(program.order[cursors[device]]).toBe(word);
          cursors[device] += 1;
          for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1)
            expect(done).toContain(needSlot(timing, program.microbatches, need, word & ((1 << program.shift) - 1)));
          done.add(resultSlotOf(program, word));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is found once for a program, whatever its operations cost', () => {
    const program = chain(4, 8);
    const orderAt = (latency: number, forward: number) =>
      startOrder(
        program,
        timingOf(recipePlan({ devices: 4, microbatches: 8, schedule, latency, forward: [forward] }), program),
      );
    expect(orderAt(3, 7)).toBe(orderAt(0, 1));
  });

  it('is found again for other needs', () => {
    const program = chain(3, 2);
    const plan = recipePlan({ devices: 3, microbatches: 2, schedule });
    const [first] = plan.edges;
    const skipping = { ...plan, edges: [...plan.edges, { ...first, from: 0, to: 2 }] };
    const order = startOrder(program, timingOf(plan, program));
    expect(startOrder(program, timingOf(skipping, program))).not.toBe(order);
  });

  it('takes time in proportion to the operations, even if few of the devices can run at any time', () => {
    const readsOf = (devices: number): number => {
      const program = chain(devices, 1);
      const timing = timingOf(recipePlan({ devices, microbatches: 1, schedule }), program);
      const offsets = counted(program.offsets);
      expect(startOrder({ ...program, offsets: offsets.values }, timing)).toHaveLength(2 * devices);
      return offsets.reads();
    };
    expect(readsOf(400) / readsOf(40)).toBeLessThan(12);
  });

  it('does not exist where a result is never made', () => {
    const program = programOf([['0F0'], ['1B0', '1F0']], 2, 1, [0, 1]);
    const timing = timingOf(recipePlan({ devices: 2, microbatches: 1, schedule }), program);
    expect(startOrder(program, timing)).toBeUndefined();
    expect(runInOrder(program, timing)).toBeUndefined();
  });
});

describe('the pass that finds the order', () => {
  const ends = (plan: PipelinePlan, program: Program) => {
    const run = runInOrder(program, timingOf(plan, program));
    return run && [run.end, run.makespan, run.busy];
  };

  it('gives the times of the passes after it', () => {
    fc.assert(
      fc.property(runnable, ({ plan, program }) => {
        const fresh = { ...program };
        const first = ends(plan, fresh);
        // The second pass finds the order, the third takes it.
        expect(ends(plan, fresh)).toEqual(first);
        expect(ends(plan, fresh)).toEqual(first);
      }),
      { numRuns: 100 },
    );
  });

  it('gives them where operations take no time', () => {
    const program = chain(3, 5);
    const costs = { devices: 3, microbatches: 5, schedule, stages: 3 };
    for (const forward of [
      [0, 0, 0],
      [0, 2, 0],
      [0, 0, 1],
    ]) {
      const plan = recipePlan({ ...costs, forward });
      const timing = timingOf(plan, program);
      const run = runInOrder({ ...program }, timing);
      expect(run?.end).toEqual(runWithQueues(program, timing)?.end);
      expect(run?.end).toEqual(runInOrder(program, timing)?.end);
    }
  });

  it('gives up in proportion to the operations where few of the devices can run at any time', () => {
    const readsOf = (devices: number): number => {
      const program = chain(devices, 1);
      const timing = timingOf(recipePlan({ devices, microbatches: 1, schedule }), program);
      const order = counted(program.order);
      expect(runInOrder({ ...program, order: order.values }, timing)?.end).toEqual(runInOrder(program, timing)?.end);
      return order.reads();
    };
    expect(readsOf(400) / readsOf(40)).toBeLessThan(12);
  });

  it.each(policies.map(({ name }) => name))('gives them under %s, and no end where nothing runs', (name) => {
    const [one] = policies.filter((candidate) => candidate.name === name);
    for (const [devices, microbatches] of [
      [2, 4],
      [4, 8],
      [4, 12],
    ]) {
      const stages = devices * one.chunks({});
      const cut = recipePlan({ devices, stages, microbatches, schedule: policy(name), latency: 1, forward: [3, 1, 2] });
      if (one.check(shapeOf(cut)).length > 0) continue;
      const plan = withCopies(cut);
      const generated = generate(plan);
      if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
      const fresh = { ...generated.program };
      const first = ends(plan, fresh);
      expect(first).toBeDefined();
      expect(ends(plan, fresh)).toEqual(first);
      expect(ends(plan, fresh)).toEqual(first);
      const timing = timingOf(plan, fresh);
      const run = runInOrder({ ...fresh }, timing);
      // Slots of two take other times in order of events.
      if (fresh.fused === undefined) expect(run?.end).toEqual(runWithQueues(fresh, timing)?.end);
      expect(run?.end.filter((end) => end >= 0)).toHaveLength(new Set(slotsOf(fresh)).size);
    }
  });
});

const slotsOf = (program: Program): readonly number[] =>
  Array.from(program.order, (word) => resultSlotOf(program, word));

describe('programs of a policy', () => {
  const made = (costs: Parameters<typeof recipePlan>[0]): Program => {
    const generated = generate(recipePlan(costs));
    if (!('program' in generated)) throw new Error(generated.faults[0]?.message);
    return generated.program;
  };

  it('are the same program again if only costs change', () => {
    const program = made({ devices: 4, microbatches: 8, schedule });
    expect(made({ devices: 4, microbatches: 8, schedule, forward: [3], latency: 1 })).toBe(program);
  });

  it('are other programs if their order, their stages or their weights differ', () => {
    const shapes = [
      { devices: 4, microbatches: 8, schedule },
      { devices: 4, microbatches: 8, schedule: policy('gpipe') },
      { devices: 4, microbatches: 7, schedule },
      { devices: 4, microbatches: 8, schedule: policy('pipedream') },
    ];
    const programs = shapes.map(made);
    expect(new Set(programs).size).toBe(shapes.length);
    shapes.forEach((shape, index) => expect(made(shape)).toEqual(programs[index]));
  });
});

it('counts the operations of each row in the first pass', () => {
  fc.assert(
    fc.property(runnable, ({ plan, program }) => {
      const fresh = { ...program };
      runInOrder(fresh, timingOf(plan, fresh));
      expect(operationCounts(fresh)).toEqual(operationCounts({ ...program }));
    }),
    { numRuns: 50 },
  );
});

it('counts the operations of each row on each device', () => {
  fc.assert(
    fc.property(runnable, ({ program }) => {
      const { offsets, rows, count } = operationCounts(program);
      for (let device = 0; device < program.devices; device += 1) {
        const expected = new Map<number, number>();
        for (const word of program.order.subarray(program.offsets[device], program.offsets[device + 1]))
          expected.set(rowOf(program, word), (expected.get(rowOf(program, word)) ?? 0) + 1);
        const found = Array.from(
          rows.subarray(offsets[device], offsets[device + 1]),
          (row, index): [number, number] => [row, count[offsets[device] + index]],
        );
        expect(found).toEqual([...expected].sort(([a], [b]) => a - b));
      }
    }),
    { numRuns: 50 },
  );
});

/** An array, and how often its elements were read. */
function counted(array: Int32Array): { readonly values: Int32Array; readonly reads: () => number } {
  let reads = 0;
  const values = new Proxy(array, {
    get(target, key): unknown {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
  return { values, reads: () => reads };
}
