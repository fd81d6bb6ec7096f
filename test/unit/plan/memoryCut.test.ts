import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Analysis, check } from '../../../engine/check.ts';
import { defaultOptions } from '../../../engine/host.ts';
import { policies } from '../../../engine/schedule/registry.ts';
import { hostOf, uri } from './fixture.ts';

interface Layer {
  readonly time: number;
  readonly weights: number;
  readonly activation: number;
  readonly output: number;
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
${layers.map(({ time, weights, activation, output }, i) => `  layer l${i} { forward = ${time}ms  backward = ${2 * time}ms  weights = ${weights}MiB  activation = ${activation}MiB  output = ${output}MiB }`).join('\n')}
}
${devices.map(({ memory, slow }, i) => `device d${i} { memory = ${memory}MiB  speed = ${1 / slow} }`).join('\n')}
cluster c {
${devices.map((_, i) => `  gpu[${i}..${i}] = d${i}`).join('\n')}
  link = 1000GB/s + 0us
}
pipeline train { model = m  devices = c  microbatches = ${microbatches}  stages = ${stages}  schedule = ${schedule}  recompute = ${recompute} }
`;
  return check({ uri, text, host: hostOf(), options: defaultOptions });
}

/** Largest share of its memory that a device takes, bytes of the fullest, and seconds of the slowest stage. */
function figures(analysis: Analysis): { readonly share: number; readonly peak: number; readonly slowest: number } {
  const run = analysis.pipelines[0]?.run;
  if (run === undefined) throw new Error(analysis.findings.map((one) => one.message).join('\n'));
  const { stages, devices } = run.report;
  return {
    share: Math.max(...devices.map(({ peak, capacity }) => peak / capacity)),
    peak: Math.max(...devices.map(({ peak }) => peak)),
    slowest: Math.max(
      ...stages.map((one) => one.forward + one.backward_input + (one.recompute ?? 0) + one.backward_weight),
    ),
  };
}

function* sizes(layers: number, stages: number): Generator<number[]> {
  if (stages === 1) yield [layers];
  else
    for (let first = 1; first <= layers - stages + 1; first += 1)
      for (const rest of sizes(layers - first, stages - 1)) yield [first, ...rest];
}

const layer = fc.record({
  time: fc.integer({ min: 1, max: 9 }),
  weights: fc.integer({ min: 0, max: 40 }),
  activation: fc.integer({ min: 0, max: 20 }),
  output: fc.integer({ min: 0, max: 6 }),
});
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
    schedule: fc.constantFrom('gpipe', '1f1b', 'zb_h1', '1f1b(recompute = ahead)'),
    recompute: fc.constantFrom('none', 'full', 'stage'),
  })
  .map(({ stages, equal, each, ...rest }): Setting => ({
    ...rest,
    devices: each.slice(0, stages).map((one) => (equal ? each[0] : one)),
  }));

describe('balance by memory', () => {
  it('has the least peak of all cuts as their reports give it, then the least slowest time', () => {
    fc.assert(
      fc.property(settings, (setting) => {
        const { layers, devices } = setting;
        const all = [...sizes(layers.length, devices.length)].map((one) =>
          figures(analysisOf(setting, `split(${one.join()})`)),
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
      { numRuns: 60 },
    );
  }, 60_000);

  it('gives earlier stages of 1F1B fewer layers, as they hold more microbatches', () => {
    const layers = Array.from({ length: 16 }, () => ({ time: 4, weights: 0, activation: 64, output: 0 }));
    const devices = Array.from({ length: 4 }, () => ({ memory: 4096, slow: 1 }));
    const analysis = analysisOf({ layers, devices, microbatches: 8, schedule: '1f1b' }, 'balance(4, by = memory)');
    // Stage i holds 4 − i microbatches. With the activations of at most 8 layers on each device: ⌊8/4⌋ + ⌊8/3⌋ + ⌊8/2⌋ + ⌊8/1⌋ = 16.
    expect(analysis.resolution.plan.pipelines[0].stages.map((one) => one.layers.length)).toEqual([2, 2, 4, 8]);
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
        (one) => one.code === 'key/not-applicable' && one.message.includes('by = memory'),
      );
      if (told) expect(figures(found), policy.name).toEqual(figures(byTime));
      else expect(figures(found).share, policy.name).toBeLessThanOrEqual(figures(byTime).share * (1 + 1e-9));
    }
  });
});
