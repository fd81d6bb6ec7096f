/** Copies that run any microbatches: what they hold, and their order and times under rows, slots and rules. */
import { describe, expect, it } from 'vitest';
import { steadyOf } from '../../../engine/analyze/steady.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { copyRuns, copyShare } from '../../../engine/order/copyTurns.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import {
  type Program,
  kindOf,
  letters,
  microbatchOf,
  microbatchesOf,
  microbatchesPerRun,
  operationName,
  runsMicrobatch,
  sharedMicrobatches,
  stageOf,
} from '../../../engine/values/program.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { endAt } from '../../../engine/values/timeline.ts';
import { resolveText } from '../../support/resolve.ts';
import { slowest } from '../schedule/operationsReference.ts';

interface Shape {
  readonly devices: number;
  readonly microbatches: number;
}

/** Layers of 4 ms and 8 ms; a message between stages takes 1 ms and 1 ms of latency. */
const fileOf = (schedule: string, { devices, microbatches }: Shape): string => `schedule mine { ${schedule} }
device x { memory = 80GiB }
cluster box { gpu[${devices}] = x  link = 10GB/s + 1ms }
model m { layer a[${devices}] { forward = 4ms  backward = 8ms  activation = 1GiB  output = 10MB } }
pipeline train { model = m  devices = box  microbatches = ${microbatches}  stages = balance(${devices})  schedule = mine }
`;

type On = (s: number, j: number, shape: Shape) => number;
/** Functions of the language with their meaning. */
const functions: readonly (readonly [string, On])[] = [
  ['div(j, ceil(microbatches / devices))', (_, j, { devices: p, microbatches: m }) => Math.floor(j / Math.ceil(m / p))],
  ['if(j < 3, s, devices - 1 - s)', (s, j, { devices: p }) => (j < 3 ? s : p - 1 - s)],
  ['if(mod(j, 3) == 0, s, devices - 1 - s)', (s, j, { devices: p }) => (j % 3 === 0 ? s : p - 1 - s)],
  ['mod(s + div(j, 2), devices)', (s, j, { devices: p }) => (s + Math.floor(j / 2)) % p],
  ['mod(s + j * j, devices)', (s, j, { devices: p }) => (s + j * j) % p],
  [
    'if(s == 0, 0, mod(s + if(j == 2, 1, 0), devices))',
    (s, j, { devices: p }) => (s === 0 ? 0 : (s + (j === 2 ? 1 : 0)) % p),
  ],
  ['if(j == 1, 0, s)', (s, j) => (j === 1 ? 0 : s)],
  [
    'if(s == 0, if(j == 0, 0, devices - 1), if(j == 1, 0, s))',
    (s, j, { devices: p }) => (s === 0 ? (j === 0 ? 0 : p - 1) : j === 1 ? 0 : s),
  ],
];
const grid = [1, 2, 3, 4].flatMap((devices) => [1, 2, 3, 4, 6, 7].map((microbatches) => ({ devices, microbatches })));
const everyOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** The plan with its program; undefined where some device has no stage. */
function made(text: string): { readonly plan: PipelinePlan; readonly program: Program } | undefined {
  const { plan, findings } = resolveText(text);
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) {
    for (const { severity, message } of findings)
      if (severity === 'error') expect(message).toContain('gives no stage to device');
    return undefined;
  }
  const generated = generate(pipeline);
  if (!('program' in generated)) throw new Error(generated.faults.map(({ message }) => message).join('\n'));
  return { plan: pipeline, program: generated.program };
}

const rowsOf = (program: Program): readonly string[] =>
  everyOf(program.devices).map((device) =>
    Array.from(program.order.subarray(program.offsets[device], program.offsets[device + 1]), (word) =>
      operationName(program, word),
    ).join(' '),
  );

/** Runs a check for each function and shape for which every device has a stage; counts them. */
function overGrid(
  body: string,
  check: (found: ReturnType<typeof made> & object, shape: Shape, on: On, text: string) => void,
): void {
  let count = 0;
  for (const [text, on] of functions)
    for (const shape of grid) {
      const file = fileOf(`on(s, j) = ${text}  ${body}`, shape);
      const found = made(file);
      if (found === undefined) continue;
      count += 1;
      check(found, shape, on, file);
    }
  expect(count).toBeGreaterThan(70);
}

const inRows = `row(d) = each(j in 0..<microbatches, each(s in 0..<stages, if(ON == d, F[j, stage = s]))),
  each(j in 0..<microbatches, each(s in stages-1..0 step -1, if(ON == d, B[j, stage = s])))`;

describe('copies of any microbatches', () => {
  it('are on the devices that the function gives, and run these microbatches', () => {
    let uneven = 0;
    overGrid('order = greedy(prefer = [B, F])', ({ plan, program }, shape, on, text) => {
      const { devices, microbatches } = shape;
      for (const s of everyOf(devices))
        for (const j of everyOf(microbatches)) {
          const runs = plan.stages.flatMap(({ copy }, index) =>
            (copy?.stage ?? index) === s && runsMicrobatch(program, index, j) ? [plan.placement[index]] : [],
          );
          expect(runs, text).toEqual([on(s, j, shape)]);
        }
      for (const [index, { copy }] of plan.stages.entries()) {
        const all = everyOf(microbatches).filter((j) => runsMicrobatch(program, index, j));
        expect(microbatchesOf(program, index)).toBe(all.length);
        if (copy === undefined) continue;
        expect(all).toEqual(everyOf(microbatches).filter(copyRuns(copy)));
        expect(microbatchesPerRun(program, index)).toBeCloseTo(1 / copyShare(copy), 12);
        if (copy.turns !== undefined) uneven += 1;
      }
      // Each microbatch of a stage is one copy's.
      for (const s of everyOf(devices)) {
        const shares = plan.stages.map(({ copy }) => (copy?.stage === s ? copyShare(copy) : 0));
        if (plan.stages[0].copy !== undefined) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
      }
      for (const { from, to } of plan.edges) {
        const both = everyOf(microbatches).filter(
          (j) => runsMicrobatch(program, from, j) && runsMicrobatch(program, to, j),
        );
        expect(sharedMicrobatches(program, from, to)).toBe(both.length);
      }
    });
    expect(uneven).toBeGreaterThan(40);
  });

  it('run rows, whose operations wait for the copies of their microbatch', () => {
    for (const [on] of functions)
      for (const shape of grid) {
        const found = made(fileOf(`on(s, j) = ${on}  ${inRows.replaceAll('ON', `(${on})`)}`, shape));
        if (found === undefined) continue;
        const { plan, program } = found;
        expect(validate(program, plan)).toEqual([]);
        const { run } = evaluate(plan, defaultOptions);
        expect(run?.timeline.makespan).toBeCloseTo(slowest(plan, program) ?? NaN, 9);
      }
  });

  it('send each message from the copy of its microbatch to the next one, and hold what they run', () => {
    overGrid(
      'slot(F, s, j) = s + 100 * j  slot(B, s, j) = 100 * microbatches + 100 * j + stages - s',
      ({ plan, program }, shape, on) => {
        const { devices, microbatches } = shape;
        expect(rowsOf(program)).toEqual(
          everyOf(devices).map((d) =>
            [
              ...everyOf(microbatches).flatMap((j) =>
                everyOf(devices).flatMap((s) => (on(s, j, shape) === d ? [`${s}F${j}`] : [])),
              ),
              ...everyOf(microbatches).flatMap((j) =>
                everyOf(devices)
                  .toReversed()
                  .flatMap((s) => (on(s, j, shape) === d ? [`${s}B${j}`] : [])),
              ),
            ].join(' '),
          ),
        );
        const { run } = evaluate(plan, defaultOptions);
        const report = run?.report;
        for (const from of everyOf(devices))
          for (const to of everyOf(devices)) {
            if (from === to) continue;
            let messages = 0;
            for (const j of everyOf(microbatches))
              for (const s of everyOf(devices - 1)) {
                const [here, next] = [on(s, j, shape), on(s + 1, j, shape)];
                messages += Number(here === from && next === to) + Number(next === from && here === to);
              }
            const link = report?.links.find((each) => each.from === `gpu[${from}]` && each.to === `gpu[${to}]`);
            expect(link?.bytes ?? 0).toBe(messages * 10e6);
          }
        // All forwards come before all backwards: a device holds each of its own.
        const held = everyOf(devices).map(
          (d) => everyOf(microbatches).flatMap((j) => everyOf(devices).filter((s) => on(s, j, shape) === d)).length,
        );
        if (run === undefined) throw new Error('no timeline');
        const inFlight = everyOf(devices).map((d) => memoryPeak(plan, run.timeline, d).inFlight);
        expect(inFlight).toEqual(held);
      },
    );
  });
});

interface Ready {
  readonly kind: 0 | 1;
  readonly s: number;
  readonly j: number;
}

/** A greedy rule in milliseconds, by its definition: at each instant each free device takes the first ready operation. */
function greedyRows({ devices, microbatches }: Shape, on: On, inFlight: number, shape: Shape): readonly string[] {
  const rows: string[][] = everyOf(devices).map(() => []);
  const end = new Map<string, number>();
  const begun = new Set<string>();
  const free = everyOf(devices).map(() => 0);
  const held = new Map<string, number>();
  const name = ({ kind, s, j }: Ready) => `${s}${letters[kind]}${j}`;
  const arrives = (of: string, from: number, to: number): number => (end.get(of) ?? Infinity) + (from === to ? 0 : 2);
  const total = 2 * devices * microbatches;
  for (let now = 0; begun.size < total; now += 1) {
    if (now > 10_000) throw new Error('no end');
    for (const [operation, at] of end)
      if (at === now && operation.includes('B')) {
        const [s, j] = operation.split('B').map(Number);
        const key = `${s}@${on(s, j, shape)}`;
        held.set(key, (held.get(key) ?? 0) - 1);
      }
    for (const d of everyOf(devices)) {
      if (free[d] > now) continue;
      const ready: Ready[] = [];
      for (const kind of [0, 1] as const)
        for (const s of everyOf(devices)) {
          // Each copy runs its microbatches in order.
          const j = everyOf(microbatches).find(
            (each) => on(s, each, shape) === d && !begun.has(name({ kind, s, j: each })),
          );
          if (j === undefined) continue;
          const at =
            kind === 0
              ? s === 0
                ? 0
                : arrives(`${s - 1}F${j}`, on(s - 1, j, shape), d)
              : Math.max(
                  arrives(`${s}F${j}`, d, d),
                  s === devices - 1 ? 0 : arrives(`${s + 1}B${j}`, on(s + 1, j, shape), d),
                );
          if (at > now || (kind === 0 && (held.get(`${s}@${d}`) ?? 0) >= inFlight)) continue;
          ready.push({ kind, s, j });
        }
      const [first] = ready.sort((a, b) => b.kind - a.kind || a.j - b.j || b.s - a.s);
      if (first === undefined) continue;
      begun.add(name(first));
      rows[d].push(name(first));
      free[d] = now + (first.kind === 0 ? 4 : 8);
      end.set(name(first), free[d]);
      if (first.kind === 0) held.set(`${first.s}@${d}`, (held.get(`${first.s}@${d}`) ?? 0) + 1);
    }
  }
  return rows.map((row) => row.join(' '));
}

describe('rules on copies of any microbatches', () => {
  it.each([
    ['order = greedy(prefer = [B, F])', Infinity],
    ['order = greedy(prefer = [B, F])  in_flight(s) = 2', 2],
    // By the scheduler of conditions.
    ['order = greedy(prefer = [B, F])  allow(F, s) = held(s) < 2', 2],
  ])('%s is a plain list scheduler', (rule, inFlight) => {
    overGrid(rule, ({ plan, program }, shape, on, text) => {
      expect(validate(program, plan)).toEqual([]);
      expect(rowsOf(program), text).toEqual(greedyRows(shape, on, inFlight, shape));
    });
  });
});

describe('asynchronous copies of any microbatches', () => {
  const text = (microbatches: number) =>
    fileOf(
      `weights = stash
       let where(s, j) = if(mod(j, 4) == 1, 1 - s, if(mod(j, 4) == 2, 1 - s, s))
       on(s, j) = where(s, j)
       row(d) = each(i in 0..<iterations, F[4 * i..<4 * i + 4],
         each(s in 1..0 step -1, each(j in 4 * i..<4 * i + 4, if(where(s, j) == d, B[j, stage = s]))))`,
      { devices: 2, microbatches },
    ).replace('schedule = mine', 'iterations = 3  schedule = mine');

  it('are updated together after the last microbatch of an iteration on each', () => {
    const found = made(text(4));
    if (found === undefined) throw new Error('no plan');
    const { plan, program } = found;
    expect(validate(program, plan)).toEqual([]);
    // Copies run 0, 3, 4, 7, … and 1, 2, 5, 6, …: the last of an iteration are 3, 7, 11 and 2, 6, 10.
    const updates = Array.from(program.order).filter((word) => kindOf(program, word) === letters.indexOf('U'));
    const last = updates.map(
      (word) => `${plan.stages[stageOf(program, word)].copy?.first}:${microbatchOf(program, word)}`,
    );
    expect([...new Set(last)].sort()).toEqual(['0:11', '0:3', '0:7', '1:10', '1:2', '1:6']);
    const { run } = evaluate(plan, defaultOptions);
    if (run === undefined) throw new Error('no timeline');
    // Four microbatches of an iteration: each device runs two of each stage, 12 ms each.
    expect(steadyOf(run.timeline)?.busy).toEqual(Float64Array.of(0.048, 0.048));
    // An update waits for the last backward of both copies of its stage.
    const { timeline } = run;
    const numberOf = (word: number) => plan.stages[stageOf(program, word)].copy?.stage;
    for (const [position, word] of program.order.entries()) {
      if (kindOf(program, word) !== letters.indexOf('U')) continue;
      for (const [other, before] of program.order.entries())
        if (
          kindOf(program, before) === letters.indexOf('B') &&
          numberOf(before) === numberOf(word) &&
          Math.trunc(microbatchOf(program, before) / 4) === Math.trunc(microbatchOf(program, word) / 4)
        )
          expect(endAt(timeline, position)).toBeGreaterThanOrEqual(endAt(timeline, other));
    }
  });
  it('are refused if their turns do not fit into an iteration', () => {
    expect(resolveText(text(6)).findings.map(({ code, message }) => `${code}: ${message}`)).toContainEqual(
      expect.stringMatching(/^schedule\/shape: .*turns of 4, which 6 microbatches of an iteration do not divide into/),
    );
  });
});
