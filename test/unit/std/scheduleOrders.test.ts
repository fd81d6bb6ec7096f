/** The texts of built-in schedules give the built-in orders, operation by operation, on shapes of all kinds, and have their parameters. */
import { describe, expect, it, test } from 'vitest';
import { scheduleEvaluator } from '../../../engine/read/scheduleEvaluator.ts';
import { findPolicy, policies } from '../../../engine/policies/registry.ts';
import type { PolicyArgument } from '../../../engine/values/plan.ts';
import { scheduleTexts } from '../../../engine/std/scheduleTexts.ts';
import { analyse } from '../../support/analyse.ts';
import { declaredIn, differences } from '../sequences/sameOrder.ts';

const declared = (name: string) => declaredIn(scheduleTexts.get(name) ?? '', name);

const numbersFrom = (first: number, last: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + step * at);

/** Shapes in place of those of `most`. */
interface Shapes {
  readonly devices?: readonly number[];
  readonly microbatches?: readonly number[];
}

interface Case {
  readonly args: Readonly<Record<string, number>>;
  readonly shapes?: Shapes | undefined;
}

/**
 * Up to 16 devices and 64 microbatches: all small numbers, since orders differ where there are fewer microbatches than devices, and of
 * the larger ones primes, powers of two and their neighbours.
 */
const most = {
  devices: [...numbersFrom(1, 6), 8, 9, 16],
  microbatches: [...numbersFrom(1, 12), 16, 17, 18, 24, 31, 32, 33, 47, 64],
} satisfies Shapes;

/** Enough to find a fault, for arguments whose number of chunks is that of the default. */
const some: Shapes = { microbatches: [1, 2, 3, 5, 8, 13, 21, 32, 47, 64] };

/** Arguments to try in addition to the defaults, with their shapes. */
const tried: Readonly<Record<string, readonly Case[]>> = {
  dapple: [
    { args: { in_flight: 1 }, shapes: some },
    { args: { in_flight: 3 }, shapes: some },
    { args: { in_flight: 100 }, shapes: some },
  ],
  interleaved_1f1b: [
    { args: { chunks: 1 } },
    { args: { chunks: 3 } },
    { args: { chunks: 4 } },
    { args: { group: 5 }, shapes: some },
    { args: { chunks: 3, group: 9 }, shapes: some },
    { args: { chunks: 2, extra_warmup: 1 } },
    { args: { chunks: 3, extra_warmup: 5 }, shapes: some },
  ],
  interleaved_zb: [{ args: { chunks: 1 } }, { args: { chunks: 3 } }, { args: { chunks: 4 } }],
  breadth_first: [{ args: { chunks: 1 } }, { args: { chunks: 3 } }, { args: { chunks: 4 } }],
  dualpipe: [{ args: { overlap: 0.4 }, shapes: { devices: [2, 4, 6], microbatches: [12, 16, 20] } }],
  dualpipe_v: [{ args: { overlap: 0.4 }, shapes: some }],
  hanayo: [
    { args: { waves: 1 }, shapes: some },
    { args: { waves: 2, in_flight: 3 }, shapes: some },
  ],
  chimera: [
    { args: { pipelines: 4 }, shapes: { ...some, devices: [2, 4, 6, 8, 12, 16] } },
    { args: { pipelines: 6 }, shapes: { ...some, devices: [6, 12] } },
  ],
  seq1f1b: [
    { args: { segments: 1 }, shapes: some },
    { args: { segments: 2 }, shapes: some },
    { args: { segments: 3 }, shapes: some },
  ],
  pipedream: [
    { args: { in_flight: 16 }, shapes: some },
    { args: { in_flight: 21 }, shapes: some },
  ],
};

/**
 * Shapes of policies whose refusals or searches take most of the time: nearest values are looked for at each refusal, and gaps are
 * filled by a search. Of the refused shapes a few are tried.
 */
const shapesOf: Readonly<Record<string, Shapes>> = {
  amdp: { devices: [2, 4, 6, 8, 16], microbatches: [2, 6, ...numbersFrom(4, 64, 4)] },
  chimera: { devices: [1, 3, 2, 4, 6, 8, 12, 16] },
  dualpipe: { devices: [1, 3, 2, 4, 6, 8, 12, 16], microbatches: [1, 17, ...numbersFrom(2, 36, 2), 48, 64] },
  ...Object.fromEntries(
    ['1f1b_v', 'v_half', 'v_min'].map((name) => [name, { microbatches: [1, 2, 3, 4, 5, 7, 12, 20, 33] }]),
  ),
};

/** What a program has and the text cannot say. */
const without: Readonly<Record<string, readonly 'weightCopies'[]>> = { pipemare: ['weightCopies'] };

describe.each([...scheduleTexts.keys()].filter((name) => name !== 'torchgpipe'))('the text of %s', (name) => {
  const cases: readonly Case[] = [{ args: {}, shapes: shapesOf[name] }, ...(tried[name] ?? [])];
  it.each(cases)('gives the built-in order with $args', ({ args, shapes }) => {
    const setting = { args, ...most, ...shapes, ...(without[name] && { without: without[name] }) };
    expect(differences(declared(name), name, setting)).toEqual([]);
  });
});

/** Figures of stages that these policies add, which a schedule of a file cannot. */
const addsFigures = ['pipelined_backprop', 'pipemare'];

/**
 * A report without what message buffers are part of. Those of `interleaved_1f1b` are counted as Megatron-LM holds them; of a
 * schedule in a file it is not known which messages share a buffer.
 */
const withoutBuffers = (report: object | undefined): unknown =>
  JSON.parse(
    JSON.stringify(report, (key, value: unknown) => (['buffers', 'bytes', 'peak'].includes(key) ? undefined : value)),
  );

test.each([...scheduleTexts.keys()].filter((name) => !addsFigures.includes(name)))(
  'the text of %s gives the report of the built-in, with transfers and uneven operations',
  (name) => {
    const stages = 4 * (findPolicy(name)?.chunks({}) ?? 1);
    // torchgpipe recomputes whatever the pipeline says.
    const recompute = name === 'torchgpipe' ? 'recompute = full' : '';
    const layer = 'forward = 1.3ms  backward_input = 1.1ms  backward_weight = 0.7ms';
    const report = (schedule: string, more: string): object | undefined => {
      const { pipelines } = analyse(`device gpu { memory = 16GiB }
cluster box { gpu[4] = gpu  link = 5GB/s + 30us }
model toy { layer block[${stages}] { ${layer}  weights = 3MiB  activation = 1MiB  output = 1MiB } }
pipeline train { model = toy  devices = box  stages = balance(${stages})  microbatches = 8  schedule = ${schedule}  ${schedule === name ? '' : recompute} }
${more}`);
      return pipelines[0]?.run?.report;
    };
    const built = report(name, '');
    expect(built).toBeDefined();
    const text = (scheduleTexts.get(name) ?? '').replace(`schedule ${name} {`, 'schedule mine {');
    const compared = name === 'interleaved_1f1b' ? withoutBuffers : (of: object | undefined) => of;
    expect(compared({ ...report('mine', text), schedule: name })).toEqual(compared(built));
  },
);

describe('the text of torchgpipe', () => {
  const text = declared('torchgpipe');
  it('gives the built-in order', () => {
    expect(differences(text, 'torchgpipe', { ...most, microbatches: numbersFrom(2, 64) })).toEqual([]);
  });
  it('has no recomputation for one microbatch, so that only the pipeline says whether its backward contains it', () => {
    expect(differences(text, 'torchgpipe', { microbatches: [1], without: ['apart', 'extended'] })).toEqual([]);
  });
  it.each([
    ['always', 64, []],
    // Its text has an R, so no backward contains a recomputation, whatever the pipeline says.
    ['never', 0, ['apart', 'extended']],
  ] as const)('gives the order of checkpoint = %s', (checkpoint, stop, without) => {
    const setting = { args: { checkpoint_stop: stop }, policyArgs: { checkpoint }, microbatches: [64], without };
    expect(differences(text, 'torchgpipe', setting)).toEqual([]);
  });
});

/** Parameters of policies that a number cannot say, or that follow from measured times. `docs/schedules/README.md` gives the reasons. */
const unsaid: Readonly<Record<string, readonly string[]>> = {
  '1f1b': ['warmup'],
  dapple: ['policy'],
  chimera: ['concat'],
  seq1f1b: ['shares', 'times'],
  torchgpipe: ['checkpoint', 'skip'],
  pipedream: ['weights'],
  pipelined_backprop: ['momentum'],
  pipemare: ['annealing', 'decay', 'correction'],
  xpipe: ['microbatches'],
};

describe.each(policies.filter(({ name }) => scheduleTexts.has(name)))('the text of $name', ({ name, parameters }) => {
  const said = parameters.filter((parameter) => unsaid[name]?.includes(parameter.name) !== true);
  it('has the parameters of the policy', () => {
    const own = name === 'torchgpipe' ? ['checkpoint_stop'] : [];
    expect(declared(name).parameters.map((parameter) => parameter.name)).toEqual([
      ...said.map((parameter) => parameter.name),
      ...own,
    ]);
  });
  it('has their defaults and least values', () => {
    const { value: definition } = scheduleEvaluator.bind(declared(name), {});
    const values = definition && scheduleEvaluator.values(definition, { stages: 4, devices: 4, microbatches: 8 });
    for (const { name: parameter, default: value, min } of said) {
      const text = declared(name).parameters.find((each) => each.name === parameter);
      const written: PolicyArgument | undefined = value;
      if (written !== undefined) expect(values?.[parameter]).toBe(written);
      if (text?.min !== undefined) expect(text.min).toBe(min);
    }
  });
});
