import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { type Analysis } from '../../../engine/flow/check.ts';
import { refactorings } from '../../../engine/fixes/fix.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { analyse } from '../../support/analyse.ts';

interface Layer {
  readonly time: number;
  readonly weights: number;
  readonly activation: number;
  readonly output: number;
  /** Layers that it needs; the one before it unless said. */
  readonly after?: readonly number[];
}

interface Setting {
  readonly layers: readonly Layer[];
  readonly devices: readonly { readonly memory: number; readonly slow: number }[];
  readonly microbatches: number;
  readonly schedule: string;
  readonly recompute?: string;
}

/** A pipeline over devices of their own kinds, cut as `stages` says. */
function analysisOf(
  { layers, devices, microbatches, schedule, recompute = 'none' }: Setting,
  stages: string,
): Analysis {
  const text = `model m {
${layers.map(({ time, weights, activation, output, after }, i) => `  layer l${i} { forward = ${time}ms  backward = ${2 * time}ms  weights = ${weights}MiB  activation = ${activation}MiB  output = ${output}MiB ${after === undefined ? '' : `after = ${after.map((value) => `l${value}`).join()}`} }`).join('\n')}
}
${devices.map(({ memory, slow }, i) => `device d${i} { memory = ${memory}MiB  speed = ${1 / slow} }`).join('\n')}
cluster c {
${devices.map((_, i) => `  gpu[${i}..${i}] = d${i}`).join('\n')}
  link = 1000GB/s + 0us
}
pipeline train { model = m  devices = c  microbatches = ${microbatches}  stages = ${stages}  schedule = ${schedule}  recompute = ${recompute} }
`;
  return analyse(text);
}

/** Largest share of its memory that a device takes, bytes of the fullest, and seconds of the slowest stage. */
function figures(analysis: Analysis): { readonly share: number; readonly peak: number; readonly slowest: number } {
  const run = analysis.pipelines[0]?.run;
  if (run === undefined) throw new Error(analysis.findings.map((finding) => finding.message).join('\n'));
  const { stages, devices } = run.report;
  return {
    share: Math.max(...devices.map(({ peak, capacity }) => peak / capacity)),
    peak: Math.max(...devices.map(({ peak }) => peak)),
    slowest: Math.max(
      ...stages.map((stage) => stage.forward + stage.backward_input + (stage.recompute ?? 0) + stage.backward_weight),
    ),
  };
}

function* sizes(layers: number, stages: number): Generator<number[]> {
  if (stages === 1) yield [layers];
  else
    for (let first = 1; first <= layers - stages + 1; first += 1)
      for (const rest of sizes(layers - first, stages - 1)) yield [first, ...rest];
}

const parts = {
  time: fc.integer({ min: 1, max: 9 }),
  weights: fc.integer({ min: 0, max: 40 }),
  activation: fc.integer({ min: 0, max: 20 }),
  output: fc.integer({ min: 0, max: 6 }),
};
const layer = fc.record(parts);
const settings = fc
  .record({
    layers: fc.array(layer, { minLength: 4, maxLength: 8 }),
    stages: fc.integer({ min: 1, max: 4 }),
    equal: fc.boolean(),
    each: fc.array(fc.record({ memory: fc.integer({ min: 100, max: 900 }), slow: fc.constantFrom(1, 2, 4) }), {
      minLength: 4,
      maxLength: 4,
    }),
    microbatches: fc.integer({ min: 1, max: 6 }),
    schedule: fc.constantFrom('gpipe', '1f1b', 'zb_h1', 'zb_h2', '1f1b(recompute = ahead)'),
    recompute: fc.constantFrom(
      ...['none', 'full', 'stage', 'full(layers = 2)', 'full(every = 2)', 'full(layers = 3, method = uniform)'],
    ),
  })
  .map(({ stages, equal, each, ...rest }): Setting => ({
    ...rest,
    devices: each.slice(0, stages).map((one) => (equal ? each[0] : one)),
  }));

const plain: Layer = { time: 1, weights: 1, activation: 1, output: 1 };

describe('balance by memory', () => {
  it('has the least peak of all cuts as their reports give it, then the least slowest time', () => {
    fc.assert(
      fc.property(settings, (setting) => {
        const { layers, devices } = setting;
        const all = [...sizes(layers.length, devices.length)].map((size) =>
          figures(analysisOf(setting, `split(${size.join()})`)),
        );
        const least = Math.min(...all.map(({ share }) => share));
        const found = figures(analysisOf(setting, `balance(${devices.length}, by = memory)`));
        expect(found.share).toBeCloseTo(least, 9);
        const near = all.filter(({ share }) => share <= least * (1 + 1e-12));
        expect(found.slowest).toBeCloseTo(Math.min(...near.map(({ slowest }) => slowest)), 12);
        const both = figures(analysisOf(setting, `balance(${devices.length}, by = both)`));
        const fitting = all.filter(({ share }) => share <= Math.max(1, least) * (1 + 1e-12));
        expect(both.share).toBeLessThanOrEqual(Math.max(1, least) * (1 + 1e-9));
        expect(both.slowest).toBeCloseTo(Math.min(...fitting.map(({ slowest }) => slowest)), 12);
      }),
      { numRuns: 20 },
    );
  }, 300_000);

  it('knows what a stage recomputes that the whole model as one stage would not', () => {
    // Every second layer keeps activations: 'every = 2' recomputes those of stages that start behind an odd number of layers.
    const layers = Array.from({ length: 8 }, (_, at) => ({
      time: 1,
      weights: 0,
      activation: at % 2 === 0 ? 40 : 0,
      output: 1,
    }));
    for (const memories of [
      [200, 200],
      [300, 200],
      [200, 300],
      [200, 250, 300],
      [300, 250, 200],
      [300, 300, 300],
    ]) {
      const devices = memories.map((memory) => ({ memory, slow: 1 }));
      const setting = { layers, devices, microbatches: 1, schedule: 'gpipe', recompute: 'full(every = 2)' };
      const all = [...sizes(8, devices.length)].map((size) => figures(analysisOf(setting, `split(${size.join()})`)));
      const found = figures(analysisOf(setting, `balance(${devices.length}, by = memory)`));
      expect(found.share, memories.join()).toBeCloseTo(Math.min(...all.map(({ share }) => share)), 9);
    }
  });

  it('counts the tokens of another tower once in each stage', () => {
    const block = 'transformer(hidden = 256, heads = 4, flash = true, dropout = false';
    const shares = (stages: string) =>
      figures(
        analyse(`model m { sequence = 64  micro_batch = 2
  layer vision { shape = ${block})  tokens = 1024 }
  layer plain[2] = ${block})
  layer cross[4] { shape = ${block}, cross = 1024)  attends = vision }
  layer plain_again[2] = ${block}) }
device d { memory = 1GiB  compute = 1TFLOPS }
cluster c { gpu[2] = d  link = 1000GB/s }
pipeline train { model = m  devices = c  microbatches = 4  stages = ${stages}  schedule = 1f1b }
`),
      ).share;
    const all = [...sizes(9, 2)].map((size) => shares(`split(${size.join()})`));
    expect(shares('balance(2, by = memory)')).toBeCloseTo(Math.min(...all), 9);
  });

  it('gives earlier stages of 1F1B fewer layers, as they hold more microbatches', () => {
    const layers = Array.from({ length: 16 }, () => ({ time: 4, weights: 0, activation: 64, output: 0 }));
    const devices = Array.from({ length: 4 }, () => ({ memory: 4096, slow: 1 }));
    const analysis = analysisOf({ layers, devices, microbatches: 8, schedule: '1f1b' }, 'balance(4, by = memory)');
    // Stage i holds 4 − i microbatches. With the activations of at most 8 layers on each device: ⌊8/4⌋ + ⌊8/3⌋ + ⌊8/2⌋ + ⌊8/1⌋ = 16.
    expect(analysis.resolution.plan.pipelines[0].stages.map((stage) => stage.layers.length)).toEqual([2, 2, 4, 8]);
  });

  it('finds the least peak of all cuts of a small model whose stages share devices', () => {
    const layers = [3, 9, 1, 4, 12, 5, 2, 8].map((activation, i) => ({
      time: 1 + (i % 3),
      weights: (7 * i) % 5,
      activation,
      output: 0,
    }));
    const devices = Array.from({ length: 2 }, () => ({ memory: 4096, slow: 1 }));
    for (const schedule of ['interleaved_1f1b(chunks = 2)', 'zb_v', 'interleaved_1f1b(chunks = 3)', 'dualpipe_v']) {
      const stages = schedule.includes('3') ? 6 : 4;
      const setting = { layers, devices, microbatches: 6, schedule };
      const all = [...sizes(layers.length, stages)].map((size) =>
        figures(analysisOf(setting, `split(${size.join()})`)),
      );
      const found = figures(analysisOf(setting, `balance(${stages}, by = memory)`));
      expect(found.peak, schedule).toBe(Math.min(...all.map(({ peak }) => peak)));
    }
  });

  it('is never fuller than the cut by time where tensors skip stages', () => {
    const random = fc.array(fc.record({ ...parts, skip: fc.integer({ min: 2, max: 4 }) }), {
      minLength: 5,
      maxLength: 7,
    });
    fc.assert(
      fc.property(random, fc.boolean(), (written, skips) => {
        // Two branches that meet in the last layer, or a skip from each layer.
        const after = (at: number, skip: number) =>
          skips
            ? at >= skip
              ? [at - 1, at - skip]
              : undefined
            : at === written.length - 1
              ? [at - 1, at - 2]
              : at > 1
                ? [at - 2]
                : undefined;
        const layers = written.map(({ skip, ...rest }, at) => ({ ...rest, after: after(at, skip) }));
        const devices = Array.from({ length: 3 }, () => ({ memory: 900, slow: 1 }));
        const setting = { layers, devices, microbatches: 4, schedule: '1f1b' };
        const found = figures(analysisOf(setting, 'balance(3, by = memory)'));
        expect(found.share).toBeLessThanOrEqual(figures(analysisOf(setting, 'balance(3)')).share * (1 + 1e-9));
      }),
      { numRuns: 25 },
    );
  });

  it('keeps to the cut by time where older weights or moved activations count, and says so', () => {
    const layers = Array.from({ length: 8 }, (_, i) => ({ time: 1, weights: i, activation: 1, output: 1 }));
    const devices = Array.from({ length: 4 }, () => ({ memory: 4096, slow: 1 }));
    for (const schedule of ['pipedream', 'bpipe']) {
      const setting = { layers, devices, microbatches: 8, schedule };
      const found = analysisOf(setting, 'balance(4, by = memory)');
      const told = found.findings.find((finding) => finding.code === 'key/not-applicable');
      expect(told?.message).toContain('the cut is by time');
      expect(found.resolution.plan.pipelines[0].stages).toEqual(
        analysisOf(setting, 'balance(4)').resolution.plan.pipelines[0].stages,
      );
    }
  });

  it('can be written out as stages', () => {
    const layers = Array.from({ length: 10 }, () => ({ time: 4, weights: 1, activation: 64, output: 1 }));
    const devices = Array.from({ length: 3 }, () => ({ memory: 4096, slow: 1 }));
    const analysis = analysisOf({ layers, devices, microbatches: 8, schedule: '1f1b' }, 'balance(3, by = memory)');
    const [fix] = refactorings(analysis, analysis.syntax.text.indexOf('balance(3') + 3, analyse);
    const text = fix.edits.reduce(
      (all, { start, end, text }) => all.slice(0, start) + text + all.slice(end),
      analysis.syntax.text,
    );
    expect(text).not.toContain('balance');
    expect(figures(analyse(text))).toEqual(figures(analysis));
  });

  it('knows the three words', () => {
    const setting = { layers: [plain, plain], devices: [{ memory: 100, slow: 1 }], microbatches: 1, schedule: '1f1b' };
    const found = (by: string) =>
      analysisOf(setting, `balance(1, by = ${by})`).findings.map((finding) => `${finding.code}: ${finding.message}`);
    expect(found('5').join()).toMatch(/type\/mismatch: .*`time`, `memory` or `both`/);
    expect(found('memry').join()).toMatch(/name\/unknown: .*"memory"/);
    for (const by of ['time', 'memory', 'both']) expect(found(by).join()).not.toContain('by');
  });

  it('is the cut by time where that fits, for `both`', () => {
    const layers = Array.from({ length: 9 }, (_, i) => ({ time: 1 + (i % 4), weights: 30, activation: 10, output: 2 }));
    const devices = Array.from({ length: 3 }, () => ({ memory: 4096, slow: 1 }));
    const setting = { layers, devices, microbatches: 4, schedule: '1f1b' };
    const plans = ['balance(3, by = both)', 'balance(3, by = time)', 'balance(3)'].map(
      (stages) => analysisOf(setting, stages).resolution.plan.pipelines[0],
    );
    expect(plans[0]).toEqual(plans[1]);
    expect(plans[1]).toEqual(plans[2]);
  });

  it('gives every policy a cut that is no fuller than the cut by time, or says why it is by time', () => {
    for (const policy of policies) {
      const layers = Array.from({ length: 16 }, (_, i) => ({
        time: 1 + ((i * 5) % 7),
        weights: (i * 11) % 40,
        activation: 1 + ((i * 3) % 20),
        output: 1,
      }));
      const setting = {
        layers,
        devices: Array.from({ length: 8 }, () => ({ memory: 4096, slow: 1 })),
        microbatches: 8,
        schedule: policy.name,
      };
      const byTime = analysisOf(setting, 'balance(8)');
      if (byTime.pipelines[0]?.run === undefined) continue;
      const found = analysisOf(setting, 'balance(8, by = memory)');
      const told = found.findings.some(
        (finding) => finding.code === 'key/not-applicable' && finding.message.includes('by = memory'),
      );
      if (told) expect(figures(found), policy.name).toEqual(figures(byTime));
      else expect(figures(found).share, policy.name).toBeLessThanOrEqual(figures(byTime).share * (1 + 1e-9));
    }
  });
});
