import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { criticalPath } from '../../../../engine/analyze/criticalPath.ts';
import { steadyBubble } from '../../../../engine/analyze/asynchronous.ts';
import { steadyOf } from '../../../../engine/analyze/steady.ts';
import { generate } from '../../../../engine/schedule/generate.ts';
import { B, F, type Program, U, kindOf, microbatchOf, stageOf } from '../../../../engine/values/program.ts';
import { warmups } from '../../../../engine/policies/builtin/pipedream.ts';
import { shapeOf } from '../../../../engine/policies/shape.ts';
import { validate } from '../../../../engine/schedule/validate.ts';
import { runInOrder } from '../../../../engine/simulate/inOrder.ts';
import { runWithQueues } from '../../../../engine/simulate/queues.ts';
import { simulate } from '../../../../engine/simulate/simulate.ts';
import { type Timeline, endAt, startAt } from '../../../../engine/values/timeline.ts';
import { timingOf } from '../../../../engine/simulate/timing.ts';
import { analyse } from '../../../support/analyse.ts';
import { asynchronousPlan, run } from './plans.ts';

/**
 * Ends of all operations by position, counted from what the copies are: nothing of the engine but the order of each device. An
 * update takes the gradients of all microbatches of its round from every copy of its stage: a minibatch, or where a minibatch is
 * one microbatch, one of each copy. Relaxed until nothing moves.
 */
function recount(plan: PipelinePlan, program: Program, latency: number): Float64Array {
  const { order, offsets, devices, microbatches, minibatch = 1 } = program;
  const copyOf = (stage: number) => plan.stages[stage].copy ?? { stage, every: 1, first: 0 };
  const at = new Map<string, number>();
  const key = (kind: number, number: number, microbatch: number) => `${kind} ${number} ${microbatch}`;
  for (const [position, word] of order.entries())
    at.set(key(kindOf(program, word), copyOf(stageOf(program, word)).stage, microbatchOf(program, word)), position);
  const last = Math.max(...plan.stages.map((_, stage) => copyOf(stage).stage));
  const ends = new Float64Array(order.length).fill(NaN);
  const deviceOf = new Int32Array(order.length);
  for (let device = 0; device < devices; device += 1) deviceOf.fill(device, offsets[device], offsets[device + 1]);

  const needed = (position: number): readonly (readonly [position: number, delay: number])[] => {
    const word = order[position];
    const { stage: number, every } = copyOf(stageOf(program, word));
    const microbatch = microbatchOf(program, word);
    const need = (kind: number, of: number, j: number): readonly (readonly [number, number])[] => {
      const from = at.get(key(kind, of, j));
      if (from === undefined) return [];
      return [[from, of === number || deviceOf[from] === deviceOf[position] ? 0 : latency]];
    };
    const kind = kindOf(program, word);
    if (kind === F) return number === 0 ? [] : need(F, number - 1, microbatch);
    if (kind === B)
      return [...need(F, number, microbatch), ...(number === last ? [] : need(B, number + 1, microbatch))];
    expect(kind).toBe(U);
    const round = minibatch === 1 ? every : minibatch;
    const first = Math.floor(microbatch / round) * round;
    return Array.from({ length: Math.min(round, microbatches - first) }, (_, index) =>
      need(B, number, first + index),
    ).flat();
  };
  const seconds = (position: number): number => {
    const stage = stageOf(program, order[position]);
    const { forward, backwardInput, backwardWeight } = plan.stages[stage];
    const kind = kindOf(program, order[position]);
    if (kind === F) return forward;
    if (kind === B) return backwardInput + backwardWeight;
    const step = plan.step[deviceOf[position]];
    return (step.sync + step.optimizer) / program.placement.filter((value) => value === deviceOf[position]).length;
  };
  const cursors = offsets.slice(0, devices);
  for (let moved = true; moved;) {
    moved = false;
    for (let device = 0; device < devices; device += 1) {
      while (cursors[device] < offsets[device + 1]) {
        const position = cursors[device];
        const needs = needed(position);
        if (needs.some(([from]) => Number.isNaN(ends[from]))) break;
        const free = position > offsets[device] ? ends[position - 1] : 0;
        ends[position] = Math.max(free, ...needs.map(([from, delay]) => ends[from] + delay)) + seconds(position);
        cursors[device] += 1;
        moved = true;
      }
    }
  }
  return ends;
}

function expectEnds(timeline: Timeline, ends: Float64Array): void {
  for (let position = 0; position < ends.length; position += 1)
    expect(Math.abs(endAt(timeline, position) - ends[position])).toBeLessThanOrEqual(1e-9 * timeline.makespan);
}

const time = fc.integer({ min: 1, max: 9 });
const times = fc.array(time, { minLength: 5, maxLength: 5 });
const planned = fc
  .record({
    replicas: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
    inFlight: fc.option(fc.integer({ min: 1, max: 12 })),
    rounds: fc.integer({ min: 0, max: 2 }),
    iterations: fc.integer({ min: 1, max: 20 }),
    forward: times,
    backward: times,
    latency: fc.constantFrom(0, 0.5, 3),
    occupancy: fc.constantFrom(0.25, 2),
    optimizer: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ replicas, inFlight, rounds, backward, ...rest }) => {
    const turns = replicas.reduce((all, replica) => (all * replica) / gcd(all, replica), 1);
    const plan = asynchronousPlan({
      ...rest,
      name: 'pipedream',
      args: inFlight === null ? {} : { in_flight: inFlight },
      stages: replicas.length,
      replicas,
      microbatches: rounds === 0 ? 1 : turns * rounds,
      backwardInput: backward,
      backwardWeight: backward.toReversed(),
    });
    return { plan, latency: rest.latency };
  });

test('an update waits for the gradients of its whole round: ends recounted from the copies alone', () => {
  fc.assert(
    fc.property(planned, ({ plan, latency }) => {
      const { timeline } = run(plan);
      const { program, timing } = timeline;
      const ends = recount(plan, program, latency);
      expectEnds(timeline, ends);
      for (const way of [runInOrder, runWithQueues]) {
        const found = way(program, timing);
        if (found === undefined) throw new Error('does not run');
        expectEnds(found, ends);
      }
      expect(criticalPath(timeline).length).toBeGreaterThan(0);
    }),
    { numRuns: 40 },
  );
});

test('the directions of amdp wait for one another; with devices of one speed none has to', () => {
  for (const [p, m, iterations] of [
    [4, 4, 6],
    [4, 8, 3],
    [8, 8, 4],
    [8, 16, 3],
  ]) {
    for (const backward of [1, 2, 3.3]) {
      const text = `device gpu { memory = 1GiB }
cluster box { gpu[${p}] = gpu  link = 1000TB/s + 300us }
model toy { layer block[${p}] { forward = 1ms  backward = ${backward}ms  weights = 3MiB  activation = 1MiB  output = 0B } }
pipeline train { model = toy  devices = box  stages = balance(${p})  microbatches = ${m}  iterations = ${iterations}  schedule = amdp }
`;
      const [one] = analyse(text).pipelines;
      if (one?.run === undefined) throw new Error('does not run');
      const { program } = one.run;
      /** The same order where one device takes `slower` times as long; how many updates something held up. */
      const heldWith = (slower: number): number => {
        const stages = one.plan.stages.map((stage, index) => {
          const by = one.plan.placement[index] === p - 1 ? slower : 1;
          const { forward, backwardInput, backwardWeight } = stage;
          return {
            ...stage,
            forward: by * forward,
            backwardInput: by * backwardInput,
            backwardWeight: by * backwardWeight,
          };
        });
        const plan = { ...one.plan, stages };
        const timeline = simulate(program, timingOf(plan, program));
        if (timeline === undefined) throw new Error('does not run');
        expectEnds(timeline, recount(plan, program, 300e-6));
        const updates = [...program.order.keys()].filter((position) => kindOf(program, program.order[position]) === U);
        return updates.filter((position) => startAt(timeline, position) > endAt(timeline, position - 1) + 1e-9).length;
      };
      expect(heldWith(1)).toBe(0);
      // Nothing but another copy's gradients holds an update up.
      expect(heldWith(10)).toBeGreaterThan(0);
    }
  }
});

test('where sends block, an update waits all the same, and what never ends is a deadlock', () => {
  fc.assert(
    fc.property(
      planned,
      fc.constantFrom('none' as const, 'peer' as const, 'all' as const),
      fc.integer({ min: 0, max: 1 }),
      (one, batched, bytes) => {
        const plan: PipelinePlan = {
          ...one.plan,
          transfer: { kind: 'rendezvous', batched },
          edges: one.plan.edges.map((edge) => ({ ...edge, bytes })),
        };
        const generated = generate(plan);
        if (!('program' in generated)) throw new Error('refused');
        const { program } = generated;
        const timeline = simulate(program, timingOf(plan, program));
        expect(validate(program, plan).map(({ code }) => code)).toEqual(
          timeline === undefined ? ['schedule/deadlock'] : [],
        );
        if (timeline === undefined) return;
        const { stages, microbatches } = program;
        for (const [position, word] of program.order.entries()) {
          if (kindOf(program, word) !== U) continue;
          const own = plan.stages[stageOf(program, word)].copy;
          for (const [other, { copy }] of plan.stages.entries()) {
            if (own === undefined || copy === undefined || copy.stage !== own.stage) continue;
            const j = microbatchOf(program, word) - own.first + copy.first;
            if (j >= microbatches) continue;
            const made = timeline.end[(stages + other) * microbatches + j];
            expect(startAt(timeline, position)).toBeGreaterThanOrEqual(made - 1e-9);
          }
        }
        const path = criticalPath(timeline);
        const ends = Array.from(path, (position) => endAt(timeline, position));
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 40 },
  );
});

describe('closed forms', () => {
  // One minibatch in flight at each of r replicas: all forwards at once, one after the other through the next stage, and the
  // last of them back before any replica goes on.
  test.each([1, 2, 3, 4])('%i replicas before one stage, one minibatch in flight at each', (r) => {
    fc.assert(
      fc.property(time, time, time, time, fc.integer({ min: 0, max: 3 }), (f0, b0, f1, b1, optimizer) => {
        const plan = asynchronousPlan({
          name: 'pipedream',
          args: { in_flight: 1 },
          stages: 2,
          replicas: [r, 1],
          iterations: 24 * r,
          forward: [f0, f1],
          backwardInput: [b0, b1],
          backwardWeight: [0, 0],
        });
        const step = plan.step.map((_, device) => ({ sync: 0, optimizer: device < r ? optimizer : 0 }));
        const steady = steadyOf(run({ ...plan, step }).timeline);
        expect(steady?.steady).toBe(true);
        expect(steady?.period).toBeCloseTo((f0 + r * (f1 + b1) + b0 + optimizer) / r, 9);
      }),
      { numRuns: 20 },
    );
  });

  // With two in flight the second stage puts the next round's first forward before this round's last backward: a round takes a
  // forward and a backward of both stages. Three in flight hide it.
  test('2-1-1: waiting is a cause by its share, and counts as synchronisation', () => {
    const recipe = { name: 'pipedream', stages: 3, replicas: [2, 1, 1], iterations: 48 };
    const costs = { forward: [2, 1, 1], backwardInput: [2, 1, 1], backwardWeight: [2, 1, 1] };
    const found = (args: { readonly in_flight?: number }) => {
      const plan = asynchronousPlan({
        ...recipe,
        ...costs,
        args: args.in_flight === undefined ? {} : { in_flight: args.in_flight },
      });
      const { timeline } = run(plan);
      const steady = steadyOf(timeline);
      if (steady === undefined) throw new Error('none');
      return { period: steady.period, causes: steadyBubble(plan, timeline, steady).causes };
    };
    const two = found({});
    expect(two.period).toBeCloseTo((2 + 1 + 2 + 4) / 2, 9);
    expect(two.causes.sync).toBeCloseTo((two.period - 3) / two.period, 9);
    const three = found({ in_flight: 3 });
    expect(three.period).toBeCloseTo(3, 9);
    expect(three.causes.sync).toBe(0);
  });
});

test('(warm-up − 1) × replicas never grows from a stage to the next, and PipeDream’s own formula keeps to it', () => {
  const lists: number[][] = [[]];
  for (const list of lists) if (list.length < 3) for (const r of [1, 2, 3, 4, 5]) lists.push([...list, r]);
  for (const replicas of lists.filter((list) => list.length > 1 && list.some((item) => item > 1))) {
    const ranks = replicas.reduce((sum, replica) => sum + replica, 0);
    for (const inFlight of [undefined, 1, 2, 3, 7]) {
      const args: Readonly<Record<string, number>> = inFlight === undefined ? {} : { in_flight: inFlight };
      const found = warmups(shapeOf(asynchronousPlan({ name: 'pipedream', args, stages: replicas.length, replicas })));
      let before = 0;
      for (const [stage, r] of replicas.entries()) {
        if (inFlight === undefined) expect(found[stage]).toBe(Math.floor((ranks - 1 - before) / r) + 1);
        if (stage > 0) expect((found[stage] - 1) * r).toBeLessThanOrEqual((found[stage - 1] - 1) * replicas[stage - 1]);
        before += r;
      }
    }
  }
});

describe('an order in which a copy waits for one that waits for it', () => {
  const plan = asynchronousPlan({ name: 'pipedream', stages: 2, replicas: [2, 1], iterations: 8 });
  const { program } = run(plan).timeline;
  const { stages, shift, offsets } = program;
  const word = (kind: number, stage: number, microbatch: number) => ((kind * stages + stage) << shift) | microbatch;
  // Four forwards of the second stage before its second backward: the fourth comes from behind an update of the first stage.
  const row = [...program.order.slice(offsets[2], offsets[3])];
  const back = word(B, 2, 1);
  const late = word(F, 2, 4);
  const moved = row.filter((value) => value !== late);
  moved.splice(moved.indexOf(back), 0, late);
  const order = Int32Array.from([...program.order.slice(0, offsets[2]), ...moved]);
  const stuck: Program = { ...program, order };

  test('is named', () => {
    expect(row).toContain(late);
    const [fault, ...more] = validate(stuck, plan);
    expect(more).toEqual([]);
    expect(fault?.code).toBe('schedule/deadlock');
    for (const name of ['0U0 (gpu[0])', '0B1 (gpu[1])', '1F4 (gpu[2])']) expect(fault?.message).toContain(name);
    expect(fault?.related?.map(({ message }) => message)).toContain(
      '0U0 (gpu[0]) waits for the result of 0B1 (gpu[1])',
    );
  });

  test('ends in every way to run it', () => {
    const timing = timingOf(plan, stuck);
    expect(runInOrder(stuck, timing)).toBeUndefined();
    expect(runWithQueues(stuck, timing)).toBeUndefined();
    const blocking: PipelinePlan = { ...plan, transfer: { kind: 'rendezvous', batched: 'all' } };
    expect(simulate(stuck, timingOf(blocking, stuck))).toBeUndefined();
  });

  test('runs where no update waits', () => {
    expect(simulate(stuck, timingOf(plan, stuck, { freeStep: true }))).toBeDefined();
  });
});

test('a round that is longer than a wave of a job is refused in words', () => {
  const file = (inFlight: number) => `device gpu { memory = 16GiB }
cluster box { gpu[5] = gpu  link = 1000GB/s + 0us }
model net { layer block[4] { forward = 1ms  backward = 2ms  weights = 64MiB  activation = 32MiB } }
pipeline a {
  model = net  devices = box  microbatches = 1  schedule = pipedream(in_flight = ${inFlight})
  stage first { layers = block[0..1]  on = gpu[0..1]  replicate = round_robin }
  stage second { layers = block[2..3]  on = gpu[2..4]  replicate = round_robin }
}
job j { workers = [a]  sync = wsp(distance = 0) }
`;
  const errors = (inFlight: number) => analyse(file(inFlight)).findings.filter(({ severity }) => severity === 'error');
  const [fault, ...more] = errors(1);
  expect(more).toEqual([]);
  expect(fault?.message).toContain('an update of its 3 replicas takes 3 minibatches, and only 2 are in flight');
  expect(errors(2)).toEqual([]);
});

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
