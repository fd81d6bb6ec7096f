/** Whole iterations of random files against the plain way to run them, which shares no code with the engine. Whole seconds. */
import { expect, test } from 'vitest';
import { B, F, I, kindOf, rowOf } from '../../../../engine/values/program.ts';
import * as fc from '../../../support/property.ts';
import { type FileRun, runsOf } from './fixture.ts';
import { type PlainOperation, plainPeriod, type PlainRule } from './plainIterations.ts';

const small = (min: number, max: number) => fc.integer({ min, max });
const layer = fc.record({ forward: small(1, 4), input: small(1, 4), weight: small(1, 4), bytes: small(0, 20) });
/** What a rule says, in MB and seconds. */
const rule = fc.record({
  order: fc.constantFrom<('ready' | 'forward')[]>('ready', 'forward'),
  bucket: fc.constantFrom(0, 6, 15, 40),
  first: fc.option(small(1, 6)),
  cycle: fc.option(fc.record({ every: small(1, 6), fuse: small(5, 50) }), { freq: 5 }),
  partition: fc.option(small(1, 8)),
  credit: fc.option(small(1, 12)),
  strict: fc.boolean(),
  ack: fc.constantFrom(0, 0, 1, 3),
  barrier: fc.boolean(),
  early: fc.boolean(),
  apart: fc.constantFrom(false, false, true),
});
/** Stages of a device, and copies of each. */
const schedules = fc.constantFrom(
  ...([
    ['1f1b', 1],
    ['gpipe', 1],
    ['zb_h1', 1],
    ['interleaved_1f1b(2)', 2],
    ['breadth_first(2)', 2],
    ['chimera', 1],
  ] as const),
);
const files = fc
  .record({
    devices: small(1, 4),
    schedule: schedules,
    layers: fc.array(fc.array(layer, { minLength: 1, maxLength: 6 }), { minLength: 8, maxLength: 8 }),
    microbatches: small(1, 4),
    rule,
    servers: fc.option(small(1, 2), { freq: 3 }),
    call: small(0, 2),
    output: small(0, 2),
    latency: small(0, 2),
    step: fc.constantFrom(0, 0, 6),
  })
  .filter(({ schedule: [name], devices, microbatches }) =>
    name === 'chimera'
      ? devices % 2 === 0 && microbatches % 2 === 0
      : name.startsWith('interleaved')
        ? devices > 1 && microbatches % devices === 0
        : name.startsWith('breadth')
          ? devices > 1
          : true,
  )
  .map((file) => {
    const { rule: each, servers } = file;
    const cycle = file.schedule[1] === 1 && file.schedule[0] !== 'chimera' ? each.cycle : null;
    const apart = each.apart && servers === null;
    return { ...file, rule: { ...each, cycle, apart } };
  });
type File = typeof files extends fc.Arbitrary<infer T> ? T : never;

const stagesIn = ({ devices, schedule: [, chunks] }: File): number => devices * chunks;

function textOf(file: File): string {
  const { devices, layers, rule: each, schedule, microbatches } = file;
  const stages = layers.slice(0, stagesIn(file));
  const written = [
    `order = ${each.order}`,
    `bucket = ${each.bucket}MB`,
    ...(each.first === null || each.first > each.bucket ? [] : [`first = ${each.first}MB`]),
    ...(each.cycle === null ? [] : [`cycle = ${each.cycle.every}s`, `fuse = ${each.cycle.fuse}MB`]),
    ...(each.partition === null ? [] : [`partition = ${each.partition}MB`]),
    ...(each.credit === null ? [] : [`credit = ${each.credit}MB`]),
    `strict = ${each.strict}`,
    `ack = ${each.ack}s`,
    `barrier = ${each.barrier}`,
    `early_start = ${each.early}`,
    ...(each.apart ? ['halves = apart'] : []),
  ];
  const collective =
    file.servers === null ? `ring(call = ${file.call}s)` : `ps(servers = ${file.servers}, call = ${file.call}s)`;
  return `model m {
${stages
  .map((all, stage) =>
    all
      .map(
        ({ forward, input, weight, bytes }, at) =>
          `  layer l${stage}_${at} { forward = ${forward}s  backward_input = ${input}s  backward_weight = ${weight}s  weights = ${bytes}MB  output = ${file.output}MB }`,
      )
      .join('\n'),
  )
  .join('\n')}
}
device gpu { memory = 800GiB }
cluster box { gpu[${2 * devices}] = gpu  link = 1MB/s + ${file.latency}s }
pipeline p {
  model = m  devices = box  microbatches = ${microbatches}  schedule = ${schedule[0]}  data = 2
  ${stages.map((all, stage) => `stage s${stage} { layers = [${all.map((_, at) => `l${stage}_${at}`).join(', ')}] }`).join('\n  ')}
  sync = overlap(${written.join(', ')})
  collective = ${collective}
  optimizer = adam_mixed(step = ${file.step}s)
}
`;
}

/** The order in which devices work is the engine's; all times are not. */
function plainOf(file: File, { timeline: { program }, plan }: FileRun): Parameters<typeof plainPeriod>[0] {
  const { layers, rule: each, output, latency, servers, call, step } = file;
  const devices = Array.from({ length: program.devices }, (_, device) =>
    Array.from(program.order.subarray(program.offsets[device], program.offsets[device + 1]), (word): PlainOperation => {
      const kind = kindOf(program, word);
      return {
        kind: kind === F ? 'F' : kind === B ? 'B' : kind === I ? 'I' : 'W',
        stage: rowOf(program, word) % program.stages,
        microbatch: word & ((1 << program.shift) - 1),
      };
    }),
  );
  const stages = Array.from(program.placement, (device, stage) => ({
    device,
    of: plan.stages[stage].copy?.stage ?? stage,
    next: plan.edges.flatMap(({ from, to }) => (from === stage ? [to] : [])),
  }));
  const plainRule: PlainRule = {
    ...{ strict: each.strict, ack: each.ack, early: each.early, barrier: each.barrier, order: each.order },
    bucket: each.bucket,
    first: each.first === null || each.first > each.bucket ? each.bucket : each.first,
    ...(each.cycle === null ? {} : { cycle: each.cycle }),
    piece: each.partition ?? Infinity,
    // Latencies of servers keep no lane.
    delay: servers === null ? 0 : latency,
    credit:
      each.credit === null ? (each.order === 'ready' ? { bytes: Infinity } : { pieces: 1 }) : { bytes: each.credit },
  };
  return {
    ...{ stages, devices, latency, step, rule: plainRule, occupancy: output },
    layers: layers.slice(0, stagesIn(file)),
    ...(servers === null
      ? {
          push: (bytes, copies) => call + 2 * half(bytes, copies),
          ...(each.apart ? { half: (bytes, copies) => call + half(bytes, copies) } : {}),
        }
      : { push: toServers(servers), pull: toServers(servers) }),
  };

  /** Of a reduce-scatter or all-gather over both data ranks of each copy. */
  function half(bytes: number, copies: number): number {
    const ranks = 2 * copies;
    return (ranks - 1) * latency + ((ranks - 1) / ranks) * bytes;
  }
  function toServers(count: number) {
    return (bytes: number, copies: number) => call + bytes * Math.max(1, (2 * copies) / count);
  }
}

const exchanges = ({ layers, ...file }: File): boolean =>
  layers.slice(0, stagesIn({ ...file, layers })).some((each) => each.some(({ bytes }) => bytes > 0));

test('periods are those of the plain way, and not below the bound', () => {
  let [all, steady] = [0, 0];
  fc.assert(
    fc.property(files.filter(exchanges), (file) => {
      const run = [...runsOf(textOf(file)).values()][0];
      const { exchange } = run.timeline;
      all += 1;
      if (exchange?.steady !== true) return;
      steady += 1;
      expect(run.iteration).toBeCloseTo(plainPeriod(plainOf(file, run), 24), 6);
      expect(run.iteration).toBeGreaterThan(exchange.bound * (1 - 1e-9));
    }),
    { numRuns: 100 },
  );
  // Few files have no period within 16 iterations.
  expect(steady).toBeGreaterThan(0.9 * all);
});

const alone = files
  .filter(exchanges)
  .map((file): File => ({ ...file, devices: 1, schedule: ['1f1b', 1], rule: { ...file.rule, cycle: null } }))
  .filter(exchanges);
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

test('one stage: the causes of waits add up to the period without compute and the step', () => {
  fc.assert(
    fc.property(alone, (file) => {
      const { timeline, iteration } = [...runsOf(textOf(file)).values()][0];
      const [exposed] = timeline.exchange?.exposed ?? [];
      const working =
        file.microbatches * sum(file.layers[0].map(({ forward, input, weight }) => forward + input + weight));
      expect(sum(Object.values(exposed))).toBeCloseTo(iteration - working - file.step, 6);
    }),
    { numRuns: 60 },
  );
});

test('one stage: small pieces, what is needed first going first, come as near to the bound as a piece and the credit', () => {
  fc.assert(
    fc.property(alone, small(1, 4), small(1, 4), (file, piece, credit) => {
      const text = textOf({ ...file, servers: null, call: 0, latency: 0, step: 0 }).replace(
        /sync = .*/,
        `sync = overlap(order = forward, partition = ${piece * 10}KB, credit = ${credit * 10}KB, barrier = false)`,
      );
      const { timeline, iteration } = [...runsOf(text).values()][0];
      const bound = timeline.exchange?.bound ?? NaN;
      expect(iteration).toBeGreaterThan(bound - 1e-9);
      expect(iteration).toBeLessThan(bound + 0.01 * (piece + credit) + 1e-9);
    }),
    { numRuns: 40 },
  );
});
