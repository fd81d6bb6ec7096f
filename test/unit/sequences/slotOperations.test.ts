/** Operations of a schedule in its clock table: their order, their times, and what they may not say. */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { kindName, kindOf, microbatchOf, type Program, stageNumberOf } from '../../../engine/values/program.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { checkFindings } from '../../support/expected.ts';
import * as fc from '../../support/property.ts';
import { resolveText } from '../../support/resolve.ts';
import { slowest } from '../schedule/operationsReference.ts';

interface Shape {
  readonly devices?: number;
  readonly microbatches?: number;
}

/** Layers of 4 ms and 8 ms; a message between stages takes 1 ms and 1 ms of latency. */
const fileOf = (
  schedule: string,
  { devices = 2, microbatches = 3 }: Shape = {},
): string => `schedule mine { ${schedule} }
device x { memory = 80GiB }
cluster box { gpu[${devices}] = x  link = 10GB/s + 1ms }
model m { layer a[${devices}] { forward = 4ms  backward = 8ms  activation = 1GiB  output = 10MB } }
pipeline train { model = m  devices = box  microbatches = ${microbatches}  stages = balance(${devices})  schedule = mine }
`;

const found = (body: string, messages: readonly string[] = []) => checkFindings(fileOf(body), messages);

/** The program, or the codes and messages of what is wrong. */
function made(text: string): { readonly plan: PipelinePlan; readonly program: Program } | readonly string[] {
  const { plan, findings } = resolveText(text);
  const errors = findings.flatMap(({ severity, code, message }) =>
    severity === 'error' ? [`${code}: ${message}`] : [],
  );
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) return errors;
  const generated = generate(pipeline);
  if (!('program' in generated)) return generated.faults.map(({ code, message }) => `${code}: ${message}`);
  return { plan: pipeline, program: generated.program };
}

function programOf(text: string): { readonly plan: PipelinePlan; readonly program: Program } {
  const found = made(text);
  if (!('program' in found)) throw new Error(found.join('\n'));
  return found;
}

const rowsOf = (program: Program): readonly string[] =>
  Array.from({ length: program.devices }, (_, device) =>
    Array.from(
      program.order.subarray(program.offsets[device], program.offsets[device + 1]),
      (word) =>
        `${stageNumberOf(program, word)}${kindName(program, kindOf(program, word))}${microbatchOf(program, word)}`,
    ).join(' '),
  );

/** The order of a table by its definition: all operations of a device, sorted by their slots. */
function sorted(
  devices: number,
  operations: readonly { readonly name: string; readonly device: number; readonly slot: number }[],
): readonly string[] {
  return Array.from({ length: devices }, (_, device) =>
    operations
      .filter((each) => each.device === device && each.slot >= 0)
      .sort((a, b) => a.slot - b.slot)
      .map(({ name }) => name)
      .join(' '),
  );
}

const grid = [1, 2, 3, 4].flatMap((devices) => [1, 2, 3, 6].map((microbatches) => ({ devices, microbatches })));
const everyOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const makespan = (plan: PipelinePlan): number | undefined => evaluate(plan, defaultOptions).run?.timeline.makespan;

/** Checks order and times of a table over the grid. */
function isSorted(
  body: string,
  operationsOf: (shape: Required<Shape>) => Parameters<typeof sorted>[1],
  takes: (devices: number) => boolean = () => true,
): void {
  for (const shape of grid.filter(({ devices }) => takes(devices))) {
    const { plan, program } = programOf(fileOf(body, shape));
    expect(rowsOf(program)).toEqual(sorted(shape.devices, operationsOf(shape)));
    expect(validate(program, plan)).toEqual([]);
    const expected = slowest(plan, program);
    expect(expected).toBeGreaterThan(0);
    expect(makespan(plan)).toBeCloseTo(expected ?? NaN, 9);
  }
}

const all = ({ devices, microbatches }: Required<Shape>) =>
  everyOf(devices).flatMap((s) => everyOf(microbatches).map((j) => ({ s, j })));

describe('operations of the schedule in a clock table', () => {
  it('run on the device of `on`, in their slots', () => {
    isSorted(
      `operation loss { time(d) = 1ms + d * 2ms  on(j) = devices - 1  after(j) = F[j]  before(j) = B[j] }
       slot(F, s, j) = s + j * (2 * devices + 1)
       slot(loss, j) = devices + j * (2 * devices + 1)
       slot(B, s, j) = 2 * devices - s + j * (2 * devices + 1)`,
      (shape) => {
        const { devices: p, microbatches: m } = shape;
        const turn = 2 * p + 1;
        return [
          ...all(shape).flatMap(({ s, j }) => [
            { name: `${s}F${j}`, device: s, slot: s + j * turn },
            { name: `${s}B${j}`, device: s, slot: 2 * p - s + j * turn },
          ]),
          ...everyOf(m).map((j) => ({ name: `${p - 1}loss${j}`, device: p - 1, slot: p + j * turn })),
        ];
      },
    );
  });

  it('with a stage run where the stage does; a negative slot leaves one out', () => {
    isSorted(
      `operation tick { time(d) = 1ms + d * 2ms  after(s, j) = F[j] }
       slot(F, s, j) = s + 2 * j
       slot(tick, s, j) = if(mod(s + j, 2) == 0, 500 + j, 0 - 1)
       slot(B, s, j) = 1000 + 2 * j - s`,
      (shape) =>
        all(shape).flatMap(({ s, j }) => [
          { name: `${s}F${j}`, device: s, slot: s + 2 * j },
          { name: `${s}tick${j}`, device: s, slot: (s + j) % 2 === 0 ? 500 + j : -1 },
          { name: `${s}B${j}`, device: s, slot: 1000 + 2 * j - s },
        ]),
    );
  });

  it('change their device with the number, and belong to its stage', () => {
    isSorted(
      `operation ring { time(d) = 1ms + d * 2ms  on(j) = mod(j, devices)  before(j) = B[0, stage = stages - 1] }
       slot(F, s, j) = s + j
       slot(ring, j) = 100 + j
       slot(B, s, j) = 300 + 2 * j - s`,
      (shape) => {
        const { devices: p, microbatches: m } = shape;
        return [
          ...all(shape).flatMap(({ s, j }) => [
            { name: `${s}F${j}`, device: s, slot: s + j },
            { name: `${s}B${j}`, device: s, slot: 300 + 2 * j - s },
          ]),
          ...everyOf(m).map((j) => ({ name: `${j % p}ring${j}`, device: j % p, slot: 100 + j })),
        ];
      },
    );
  });

  it('repeat with the period', () => {
    const loss = 'operation loss { time(d) = 1ms + d * 2ms  on = devices - 1  after(j) = F[j]  before(j) = B[j] }';
    const pass = 'operation pass { time(d) = 1ms + d * 2ms  after(j) = B[j] }';
    for (const shape of grid) {
      const block = `${loss} ${pass} period = 4  slot(F, s) = s * 4  slot(loss) = devices * 4 + 1  slot(B, s) = 2 + 4 * (2 * devices - s)  slot(pass, s) = 3 + 4 * (3 * devices - s)`;
      const table = `${loss} ${pass} slot(F, s, j) = s * 4 + 4 * j  slot(loss, j) = devices * 4 + 1 + 4 * j  slot(B, s, j) = 2 + 4 * (2 * devices - s) + 4 * j  slot(pass, s, j) = 3 + 4 * (3 * devices - s) + 4 * j`;
      const [of, expected] = [programOf(fileOf(block, shape)), programOf(fileOf(table, shape))];
      expect(rowsOf(of.program)).toEqual(rowsOf(expected.program));
      expect(makespan(of.plan)).toBe(makespan(expected.plan));
      expect(makespan(of.plan)).toBeCloseTo(slowest(of.plan, of.program) ?? NaN, 9);
    }
  });

  it('are not missed on a copy that runs other microbatches', () => {
    // On gpu[1], microbatches 0 and 1 run stage 1, microbatch 2 runs stage 0.
    const warnings = (slot: string): readonly string[] =>
      resolveText(
        fileOf(`on(s, j) = if(mod(j, 3) == 2, devices - 1 - s, s)
          operation encode { time = 1ms  on(j) = 1  before(j) = F[j, stage = 0] }
          slot(encode, j) = ${slot}  slot(F, s, j) = 9 * j + 1 + s  slot(B, s, j) = 9 * j + 5 - s`),
      ).findings.flatMap(({ code, message }) => (code === 'key/not-applicable' ? [message] : []));
    expect(warnings('9 * j')).toEqual([]);
    // One that is left out at a copy that runs its microbatch is missed.
    expect(warnings('if(j == 1, -1, 9 * j)')).toEqual([
      expect.stringContaining('rows run encode[0] at stage 1, but not encode[1]'),
    ]);
  });

  it('run on the copy of the microbatch, and wait for it', () => {
    // Chimera's placement: even microbatches go down the devices, odd ones go up.
    const turn = '(2 * devices + 2)';
    isSorted(
      `on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)
       operation loss { time(d) = 1ms + d * 2ms  on(j) = if(mod(j, 2) == 0, devices - 1, 0)
         after(j) = F[j, stage = stages - 1]  before(j) = B[j, stage = stages - 1] }
       operation tick { time(d) = 1ms + d * 2ms  after(s, j) = B[j, stage = s] }
       slot(F, s, j) = s + ${turn} * j
       slot(loss, j) = devices + ${turn} * j
       slot(B, s, j) = 2 * devices - s + ${turn} * j
       slot(tick, s, j) = 2 * devices + 1 + ${turn} * j`,
      (shape) => {
        const { devices: p, microbatches: m } = shape;
        const [on, start] = [(s: number, j: number) => (j % 2 === 0 ? s : p - 1 - s), (j: number) => (2 * p + 2) * j];
        return [
          ...all(shape).flatMap(({ s, j }) => [
            { name: `${s}F${j}`, device: on(s, j), slot: s + start(j) },
            { name: `${s}B${j}`, device: on(s, j), slot: 2 * p - s + start(j) },
            { name: `${s}tick${j}`, device: on(s, j), slot: 2 * p + 1 + start(j) },
          ]),
          ...everyOf(m).map((j) => ({ name: `${p - 1}loss${j}`, device: on(p - 1, j), slot: p + start(j) })),
        ];
      },
      (devices) => devices % 2 === 0,
    );
  });

  it('take their slot: a free W goes into the next one', () => {
    const body = `operation loss { on = 0  after(j) = F[j] }  slot(W) = free
      slot(F, s, j) = 6 * j  slot(loss, j) = 6 * j + 3  slot(I, s, j) = 6 * j + 2`;
    expect(rowsOf(programOf(fileOf(body, { devices: 1, microbatches: 2 })).program)).toEqual([
      '0F0 0I0 0loss0 0W0 0F1 0I1 0loss1 0W1',
    ]);
  });
});

describe('fill with operations of the schedule', () => {
  const tables = [
    'slot(F, s, j) = 4 * j + 2 * s + 2  slot(B, s, j) = 200 + 4 * j - 2 * s',
    'slot(F, s, j) = 4 * j + 2 * s + 2  slot(I, s, j) = 200 + 4 * j - 2 * s  slot(W, s, j) = 301 + j',
    'slot(F, s, j) = 4 * j + 2 * s + 2  slot(I, s, j) = 200 + 4 * j - 2 * s  slot(W, s, j) = 203 + 4 * j - 2 * s',
  ];
  const operations = [
    'operation x { time(d) = 1ms + d * 2ms  on = devices - 1  after(j) = F[j, stage = 0]  before(j) = B[j] }  slot(x, j) = 101 + 4 * j',
    'operation x { time(d) = 1ms + d * 2ms  before(s, j) = F[j] }  slot(x, s, j) = 4 * j + 2 * s + 1',
    'operation x { time(d) = 1ms + d * 2ms  on(j) = mod(j, devices)  after = F[0..<microbatches, stage = 0] }  slot(x, j) = 2000 + j',
    // What is awaited first, or what comes last, may be another operation behind the fill.
    'operation x { time(d) = 1ms + d * 2ms  on = 0  after = F[microbatches - 1, stage = stages - 1]  before = W[0, stage = stages - 1], I[min(1, microbatches - 1), stage = stages - 1] }  slot(x, j) = if(j == 0, 151, 0 - 1)',
    'operation x { time(d) = 1ms + d * 2ms  on = devices - 1  after = W[0, stage = 0], I[microbatches - 1, stage = 0] }  slot(x, j) = 2000 + j',
  ];
  it('runs each operation once, waits for all, and ends no later', () => {
    let moved = 0;
    for (const x of operations)
      for (const table of tables)
        for (const shape of grid) {
          const text = fileOf(`${x} ${table}`, shape);
          const [plain, filled] = [programOf(text), programOf(text.replace('slot(F', 'fill = true  slot(F'))];
          const words = (rows: readonly string[]) => rows.map((row) => row.split(' ').sort());
          expect(words(rowsOf(filled.program))).toEqual(words(rowsOf(plain.program)));
          if (rowsOf(filled.program).join() !== rowsOf(plain.program).join()) moved += 1;
          expect(validate(filled.program, filled.plan)).toEqual([]);
          const [before, after] = [makespan(plain.plan), makespan(filled.plan)];
          expect(after, text).toBeLessThanOrEqual((before ?? 0) * (1 + 1e-12));
          expect(after, text).toBeCloseTo(slowest(filled.plan, filled.program) ?? NaN, 9);
        }
    expect(moved).toBeGreaterThan(50);
  });

  it.each([
    ['of stages', '', 0, '10GB/s + 3ms'],
    [
      'of operations of the schedule',
      'operation x { time = 1ms  sends = 60MB  on = 1  after(j) = F[j, stage = 0]  before(j) = I[j, stage = 0] }  slot(x, j) = first(j)',
      1,
      '10GB/s',
    ],
  ])('counts the time of messages %s', (_, x, operations, link) => {
    // The input gradient of microbatch 0 is not on gpu[0] at 8 ms, when two forwards have ended there. So a third one goes first,
    // and gpu[0] never waits: four microbatches of 4 + 4 + 4 ms.
    const of = (a: number, b: number, c: number, d: number) =>
      `if(j == 0, ${a}, if(j == 1, ${b}, if(j == 2, ${c}, ${d})))`;
    const text = (fill: string) => `schedule mine { ${fill}  ${x}
      let first(j) = if(j < 2, 1 + 4 * j, 6 + 4 * j)
      slot(F, s, j) = if(s == 0, ${of(0, 1, 12, 13)}, first(j) + 1)
      slot(I, s, j) = if(s == 0, ${of(10, 22, 24, 26)}, first(j) + 2)
      slot(W, s, j) = if(s == 0, ${of(11, 23, 25, 27)}, first(j) + 3) }
device x { memory = 80GiB }
cluster box { gpu[2] = x  link = ${link} }
model m { layer a { forward = 4ms  backward = 8ms }  layer b { forward = 1ms  backward = 2ms } }
pipeline train { model = m  devices = box  microbatches = 4  stages = balance(2)  schedule = mine }
`;
    const [plain, filled] = [programOf(text('')), programOf(text('fill = true'))];
    expect(filled.plan.schedule).toMatchObject(operations === 0 ? { fill: true } : { operations: { names: ['x'] } });
    expect(rowsOf(plain.program)[0]).toMatch(/^0F0 0F1 0I0 0W0 0F2 /);
    expect(rowsOf(filled.program)[0]).toMatch(/^0F0 0F1 0F2 0I0 /);
    expect(makespan(plain.plan)).toBeGreaterThan(0.05);
    expect(makespan(filled.plan)).toBeCloseTo(0.048, 12);
  });

  it('knows all that waits, also what the table has behind another operation', () => {
    // x ends at 76 ms. In the table 1W0 is the first to wait for it, so that 1F2 need not; in front of it, it must.
    const of = (a: number, b: number, c: number, d: number) =>
      `if(j == 0, ${a}, if(j == 1, ${b}, if(j == 2, ${c}, ${d})))`;
    const text = fileOf(
      `fill = true
       operation x { time = 60ms  on = 0  before = W[0, stage = 1], F[2, stage = 1] }  slot(x, j) = if(j == 0, 5, 0 - 1)
       slot(F, s, j) = if(s == 0, j, 10 + ${of(1, 2, 5, 7)})
       slot(I, s, j) = if(s == 0, 100 + 2 * j, 10 + ${of(3, 6, 9, 11)})
       slot(W, s, j) = if(s == 0, 101 + 2 * j, 10 + ${of(4, 8, 10, 12)})`,
      { microbatches: 4 },
    );
    const [, last] = rowsOf(programOf(text).program);
    expect(last).toMatch(/^1F0 1F1 1I0 1I1 /);
  });
});

describe('copies of activations and operations of the schedule', () => {
  it('share a slot: the copy comes first', () => {
    const text = fileOf(
      `offload = host  operation x { after(s, j) = L[j] }
       slot(F, s, j) = s + 10 * j  slot(E, s, j) = s + 10 * j + 1  slot(L, s, j) = 100 + s + 10 * j
       slot(x, s, j) = 100 + s + 10 * j  slot(B, s, j) = 209 + 10 * j - s`,
      { microbatches: 1 },
    ).replace('memory = 80GiB', 'memory = 80GiB  host = 25GB/s');
    expect(rowsOf(programOf(text).program)).toEqual(['0F0 0E0 0L0 0x0 0B0', '1F0 1E0 1L0 1x0 1B0']);
    expect(made(text.replace('slot(x, s, j) = 100', 'slot(x, s, j) = 99'))).toEqual([
      expect.stringContaining('0x0 is in slot 99 but needs 0L0, which is in slot 100'),
    ]);
  });
});

describe('operations that a table cannot run', () => {
  const table = 'slot(F, s, j) = s + 2 * j  slot(B, s, j) = 100 + 2 * j - s';
  it.each([
    [`operation x { }  ⟦key/missing:slot⟧(x, j) = 50 + j  ${table}`, '"on"'],
    [`operation x { }  ⟦key/missing:slot⟧(x, s) = 50 + s  ${table}`, 'period'],
    [`operation x { on = 0 }  ⟦type/mismatch:slot⟧(x, s, j, d) = 50 + j  ${table}`, '`slot(x, j)` or `slot(x, s, j)`'],
    [`operation x { on = 0 }  ⟦type/mismatch:slot⟧(x, j, j) = 50 + j  ${table}`, '`slot(x, j)` or `slot(x, s, j)`'],
    [`operation x { on = 0 }  ⟦type/mismatch:slot⟧(x) = 50  ${table}`, '`slot(x, j)` or `slot(x, s, j)`'],
    [
      'operation x { on = 0 } period = 9 ⟦type/mismatch:slot⟧(x, s, j) = 5  slot(F, s) = s  slot(B, s) = 12 - s',
      'because `period` repeats it',
    ],
    [
      `operation x { on(s) = s }  ⟦type/mismatch:slot⟧(x, j) = 50 + j  ${table}`,
      '`on` of the operation names its stage',
    ],
    [`operation x { on(j) = ⟦value/range:j⟧ }  slot(x, j) = 50 + j  ${table}`, 'The device of x, microbatch 2 is 2'],
    [
      `operation x { on(s, j) = ⟦value/range:1 - s⟧ }  slot(x, s, j) = 50 + j  ${table}`,
      'The device of x of stage 0, microbatch 0 is 1; it must be a device that holds this stage: 0',
    ],
    [`operation x { on(⟦type/mismatch:d⟧) = 0 }  slot(x, j) = 50 + j  ${table}`, 'parameters `s`, `j`'],
    [
      `operation x { on = 0 }  ⟦schedule/slot:slot(x, j) = 4 + j⟧  ${table}`,
      '0x0 is in slot 4 of device 0, which holds 0F2',
    ],
    [
      `operation x { on = 0  after(j) = B[j] }  ⟦schedule/slot:slot(x, j) = 50 + j⟧  ${table}`,
      '0x0 is in slot 50 but needs 0B0, which is in slot 100',
    ],
    [
      `operation x { on = 0  before(j) = F[j] }  slot(x, j) = 50 + j  ⟦schedule/slot:slot(F, s, j) = s + 2 * j⟧  slot(B, s, j) = 100 + 2 * j - s`,
      '0F0 is in slot 0 but needs 0x0, which is in slot 50',
    ],
    [
      `operation x { on = 1  after(j) = F[j, stage = 0] }  ⟦schedule/slot:slot(x, j) = 2 * j⟧  ${table}`,
      '1x0 is in slot 0 but needs 0F0, which is in slot 0',
    ],
    [
      'operation x { }  period = 2  slot(F, s) = s  slot(B, s) = 5 - s  ⟦schedule/slot:slot(x, s) = 9 + s⟧',
      'which are equal modulo the period 2',
    ],
    [`operation x { on = 0 }  slot(x, j) = 50 + j  ⟦key/duplicate:slot⟧(x, j) = 60 + j  ${table}`, 'slot(x)'],
    [`operation x { on = 0 }  slot(x, j) = ⟦value/range:j / 2⟧  ${table}`, 'The slot of x of microbatch 1 is 0.5'],
  ])('%s', (body, message) => {
    found(body, [message]);
  });

  it('is a warning in rows: the row decides where they run', () => {
    found('operation x { ⟦warning key/not-applicable:on⟧ = 0 }  row(d) = F[0..2], x[0..2], B[0..2]', [
      'the rows decide',
    ]);
  });
});

describe('any operations of a table', () => {
  const awaited = fc.constantFrom(
    'F[j, stage = 0]',
    'F[j, stage = stages - 1]',
    'B[j, stage = stages - 1]',
    'if(j > 0, x[j - 1, stage = 0], [])',
    'F[0, stage = 0]',
    'if(mod(j, 2) == 0, B[j, stage = 0], [])',
    '[]',
  );
  it('end when a plain reference ends them, or are refused with their slots', () => {
    let simulated = 0;
    fc.assert(
      fc.property(
        awaited,
        awaited,
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        (after, before, ofStage, copies, offset, devices, microbatches) => {
          const on = copies ? 'on(s, j) = mod(s + j, devices)' : '';
          const text = fileOf(
            `${on} operation x { time(d) = 1ms + d * 2ms  ${ofStage ? '' : 'on(j) = mod(j, devices)'}  after(j) = ${after}  before(j) = ${before.includes('x[') ? '[]' : before} }
             slot(F, s, j) = 30 * j + 2 * s  slot(B, s, j) = 30 * j + 4 * stages - 2 * s
             slot(x, ${ofStage ? 's, ' : ''}j) = 30 * j + 2 * ${offset} + 1`,
            { devices, microbatches },
          );
          const result = made(text);
          if (!('program' in result)) {
            for (const message of result) expect(message).toMatch(/^schedule\/slot|^value\/range/);
            return;
          }
          const expected = slowest(result.plan, result.program);
          const reached = makespan(result.plan);
          // It may wait for one that no slot runs, or for itself.
          if (validate(result.program, result.plan).length > 0) {
            expect(reached).toBe(undefined);
            return;
          }
          expect(reached, text).toEqual(expected === undefined ? undefined : expect.closeTo(expected, 9));
          if (expected !== undefined) simulated += 1;
        },
      ),
      { numRuns: 50 },
    );
    expect(simulated).toBeGreaterThan(2);
  });
});
