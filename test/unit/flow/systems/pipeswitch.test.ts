import type { Evaluation } from '../../../../engine/schedule/evaluation.ts';
import { keysOf } from '../../../../engine/language/schema.ts';
import * as fc from '../../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { type Analysis } from '../../../../engine/flow/check.ts';
import { exportTorch } from '../../../../engine/formats/torchCsv/export.ts';
import { leastMakespan } from '../../../../engine/analyze/bound.ts';
import { findPolicy } from '../../../../engine/policies/registry.ts';
import { shapeOf } from '../../../../engine/policies/shape.ts';
import { validate } from '../../../../engine/schedule/validate.ts';
import { memoryTrack } from '../../../../engine/simulate/memory.ts';
import { timingOf } from '../../../../engine/simulate/timing.ts';
import { analyse, analyseExample } from '../../../support/analyse.ts';

interface Layer {
  readonly bytes: number;
  readonly seconds: number;
}
interface Costs {
  readonly bandwidth: number;
  readonly call: number;
  readonly sync: number;
}

/** The recursion over the sizes of groups. */
function finish(layers: readonly Layer[], sizes: readonly number[], { bandwidth, call, sync }: Costs): number {
  let [arrived, end, first] = [0, 0, 0];
  for (const size of sizes) {
    const group = layers.slice(first, first + size);
    first += size;
    for (const [index, { bytes }] of group.entries()) arrived += (index === 0 ? call : 0) + bytes / bandwidth;
    end = Math.max(end, arrived) + sync + group.reduce((sum, layer) => sum + layer.seconds, 0);
  }
  return end;
}

/** The least finish over all groupings: the least end of each prefix for each number of groups. */
function leastFinish(layers: readonly Layer[], { bandwidth, call, sync }: Costs): number {
  const count = layers.length;
  const sum = (of: (layer: Layer) => number) =>
    layers.reduce((sums, layer) => [...sums, sums[sums.length - 1] + of(layer)], [0]);
  const [bytes, work] = [sum((layer) => layer.bytes), sum((layer) => layer.seconds)];
  let least = Infinity;
  let before = [0, ...Array.from({ length: count }, () => Infinity)];
  for (let groups = 1; groups <= count; groups += 1) {
    const ends = Array.from({ length: count + 1 }, () => Infinity);
    for (let to = 1; to <= count; to += 1) {
      for (let from = 0; from < to; from += 1) {
        const end = Math.max(before[from], groups * call + bytes[to] / bandwidth) + sync + work[to] - work[from];
        ends[to] = Math.min(ends[to], end);
      }
    }
    least = Math.min(least, ends[count]);
    before = ends;
  }
  return least;
}

const rules = ['best', 'per_layer', 'one'] as const;
const text = (layers: readonly Layer[], { bandwidth, call, sync }: Costs, more = '') => `
device gpu { memory = 16GiB }
cluster host { gpu[1] = gpu }
model net {
${layers.map(({ bytes, seconds }, index) => `  layer l${index} { forward = ${seconds}us  backward = 0ms  weights = ${bytes}KB  activation = ${index}MiB  workspace = 3MiB }`).join('\n')}
}
${rules
  .map(
    (rule) =>
      `pipeline ${rule} { model = net  devices = host  microbatches = 1  schedule = pipeswitch(groups = ${rule}, bandwidth = ${bandwidth}MB/s, call = ${call}us, sync = ${sync}us) ${more} }`,
  )
  .join('\n')}
`;
const analysisOf = (source: string): Analysis => analyse(source);
const named = ({ pipelines }: Analysis, name: string): Evaluation => {
  const found = pipelines.find((pipeline) => pipeline.plan.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

describe('pipeswitch', () => {
  it('ends when the recursion does, and best when no grouping ends earlier', () => {
    const layer = fc.record({ bytes: fc.integer({ min: 0, max: 400 }), seconds: fc.integer({ min: 1, max: 200 }) });
    const costs = fc.record({
      bandwidth: fc.integer({ min: 100, max: 9000 }),
      call: fc.integer({ min: 0, max: 60 }),
      sync: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(layer, { minLength: 1, maxLength: 16 }), costs, (layers, written) => {
        // In the units of the text: KB, µs and MB/s, which is 0.001 KB a µs.
        const cost = { ...written, bandwidth: written.bandwidth / 1000 };
        const analysis = analysisOf(text(layers, written));
        const iteration = (name: string) => (named(analysis, name).run?.report.iteration ?? NaN) * 1e6;
        expect(iteration('one')).toBeCloseTo(finish(layers, [layers.length], cost), 6);
        expect(iteration('per_layer')).toBeCloseTo(
          finish(
            layers,
            layers.map(() => 1),
            cost,
          ),
          6,
        );
        expect(iteration('best')).toBeCloseTo(leastFinish(layers, cost), 6);
      }),
      { numRuns: 60 },
    );
  });

  it('gives programs that the validator accepts, with causes that add up and every byte on the device', () => {
    const layers = Array.from({ length: 9 }, (_, at) => ({ bytes: 100 * at, seconds: 90 - 10 * at }));
    const analysis = analysisOf(text(layers, { bandwidth: 1000, call: 20, sync: 10 }));
    for (const rule of rules) {
      const { plan, run } = named(analysis, rule);
      if (run === undefined) throw new Error('does not run');
      expect(validate(run.program, plan)).toEqual([]);
      expect(run.program.forwardOnly).toBe(true);
      const { bubble, devices } = run.report;
      expect(Object.values(bubble.causes).reduce((sum, cause) => sum + cause, 0)).toBeCloseTo(bubble.makespan, 12);
      expect(bubble.bound).toBeLessThanOrEqual(bubble.makespan + 1e-12);
      expect(devices.map((device) => device.name)).toEqual(['gpu[0] transfer', 'gpu[0]']);
      expect(devices.map((device) => device.in_flight)).toEqual([1, 1]);
      const weights = layers.reduce((sum, layer) => sum + layer.bytes * 1000, 0);
      expect(devices[0].peak).toBe(0);
      expect(devices[1].peak).toBe(weights + (8 + 3) * 2 ** 20);
      const { bytes } = memoryTrack(plan, run.timeline, 1);
      expect(bytes[bytes.length - 1]).toBe(weights);
      // Busy: the copy engine with every call and byte, the device with every synchronisation and layer.
      const groups = plan.stages.length / 2;
      expect(devices[0].busy).toBeCloseTo(groups * 20e-6 + weights / 1e9, 12);
      expect(devices[1].busy).toBeCloseTo(
        groups * 10e-6 + layers.reduce((sum, layer) => sum + layer.seconds * 1e-6, 0),
        12,
      );
      expect(exportTorch(plan, run.program, false)).toHaveProperty('problem');
    }
  });

  it('explains each grouping with its finish, and what the groups cost', () => {
    const { plan } = named(analyseExample('systems/pipeswitch.pipe'), 'best');
    const lines = findPolicy('pipeswitch')?.explain(shapeOf(plan)).join('\n') ?? '';
    const layers = exampleLayers();
    const costs = { bandwidth: 12e9, call: 20e-6, sync: 30e-6 };
    const ms = (seconds: number) => `${Number((seconds * 1e3).toPrecision(4))} ms`;
    expect(lines).toContain(`\`one\` ${ms(finish(layers, [42], costs))}`);
    expect(lines).toContain(
      `\`per_layer\` ${ms(
        finish(
          layers,
          layers.map(() => 1),
          costs,
        ),
      )}`,
    );
    expect(lines).toContain(`groups) ${ms(leastFinish(layers, costs))}`);
    expect(lines).toContain('20 µs + synchronisation 30 µs = 50 µs');
  });

  it('makes its own stages: keys of training say nothing, and one microbatch is all', () => {
    const layers = [{ bytes: 1, seconds: 1 }];
    const costs = { bandwidth: 1000, call: 1, sync: 1 };
    const extra = 'stages = balance(1)  tensor = 2  recompute = full  optimizer = adam  fill = net';
    const analysis = analysisOf(text(layers, costs, extra));
    const { plan, run } = named(analysis, 'best');
    expect(run?.report.iteration).toBeCloseTo(1e-6 + 1e-6 + 1e-6 + 1e-6, 12);
    expect([plan.tensor, plan.fill, plan.stages.map((stage) => stage.gradients)]).toEqual([1, undefined, [0, 0]]);
    const useless = analysis.findings.filter((finding) => finding.code === 'key/not-applicable');
    expect(useless).toHaveLength(15);
    const many = analysisOf(text(layers, costs).replaceAll('microbatches = 1', 'microbatches = 4'));
    const [fault] = many.findings.filter((finding) => finding.code === 'schedule/shape');
    expect(fault.message).toContain('not 4; nearest microbatches: 1');
  });

  it('refuses every key of a pipeline that trains', () => {
    const effective = ['model', 'devices', 'microbatches', 'global_batch', 'iterations', 'tokens', 'schedule'];
    const refused = [...keysOf('pipeline').values()].filter(({ name }) => !effective.includes(name));
    for (const { name, example } of refused) {
      const { findings } = analysisOf(text([{ bytes: 1, seconds: 1 }], { bandwidth: 1000, call: 1, sync: 1 }, example));
      const messages = findings.filter(({ code }) => code === 'key/not-applicable').map(({ message }) => message);
      expect(messages[0], name).toContain(`"${name}"`);
    }
    expect(refused.length).toBeGreaterThan(15);
  });

  it('takes arguments of the right dimension only', () => {
    const layers = [{ bytes: 1, seconds: 1 }];
    const source = text(layers, { bandwidth: 1000, call: 1, sync: 1 });
    const codes = (by: string) =>
      analysisOf(source.replaceAll('bandwidth = 1000MB/s', by)).findings.map(({ code }) => code);
    expect(codes('bandwidth = 3ms')).toContain('type/dimension');
    expect(codes('bandwidth = 0GB/s')).toContain('value/range');
    expect(codes('bandwidth = 12GB/s').filter((code) => code !== 'schedule/bubble')).toEqual([]);
  });
});

/** The layers of the example, seconds and bytes. */
function exampleLayers(): readonly Layer[] {
  const layer = (count: number, ms: number, MB: number) =>
    Array.from({ length: count }, () => ({ seconds: ms * 1e-3, bytes: MB * 1e6 }));
  return [
    ...layer(1, 1.2, 4),
    ...layer(12, 0.5, 1.5),
    ...layer(24, 0.4, 4.5),
    ...layer(4, 0.8, 18),
    ...layer(1, 0.4, 8),
  ];
}

describe('systems/pipeswitch.pipe', () => {
  it('has the finishes of the recursion, and the best of all groupings', () => {
    const layers = exampleLayers();
    const costs = { bandwidth: 12e9, call: 20e-6, sync: 30e-6 };
    const analysis = analyseExample('systems/pipeswitch.pipe');
    const iteration = (name: string) => named(analysis, name).run?.report.iteration;
    expect(iteration('best')).toBeCloseTo(leastFinish(layers, costs), 12);
    expect(iteration('one')).toBeCloseTo(finish(layers, [42], costs), 12);
    expect(iteration('per_layer')).toBeCloseTo(
      finish(
        layers,
        layers.map(() => 1),
        costs,
      ),
      12,
    );
  });
});

describe('the least makespan of a pipeline without a backward', () => {
  it('is never over the makespan, and is reached where loading decides', () => {
    const layer = fc.record({ bytes: fc.integer({ min: 0, max: 400 }), seconds: fc.integer({ min: 1, max: 200 }) });
    fc.assert(
      fc.property(
        fc.array(layer, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 20, max: 9000 }),
        (layers, speed) => {
          const analysis = analysisOf(text(layers, { bandwidth: speed, call: 3, sync: 2 }));
          for (const { plan, run } of analysis.pipelines) {
            if (run === undefined) throw new Error('does not run');
            const timing = timingOf(plan, run.program);
            const least = leastMakespan(plan, run.program, timing, { split: true, memory: true });
            expect(least).toBeLessThanOrEqual(run.timeline.makespan * (1 + 1e-12));
            // At once: load, then run; nothing can be sooner.
            if (plan.name === 'one') expect(least).toBeCloseTo(run.timeline.makespan, 12);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
