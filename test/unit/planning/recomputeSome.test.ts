import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { shareAtMost } from '../../../engine/basics/quantities.ts';
import { planOf, resolveText } from '../../support/resolve.ts';

const file = (recompute: string, stages = 'stages = balance(2)'): string => `
device d { memory = 80GiB  compute(bf16) = 1TFLOPS }
cluster c { gpu[2] = d  link = 400GB/s }
model m { sequence = 32
  layer block[8] = transformer(hidden = 64, heads = 4, gated = true, bias = false, norm = rmsnorm, flash = true, dropout = false) }
pipeline p { model = m  devices = c  microbatches = 4  schedule = 1f1b
  ${stages}
  ${recompute} }
`;
/** Bytes that one layer keeps (22 + 12 · 4 widths, log-sum-exps), and bytes of its input. */
const [kept, input] = [32 * (64 * (4 + 4 + 6 + 2 + 24) + 4 * 4), 32 * 2 * 64];
const stageOf = (recompute: string, stages?: string) => planOf(file(recompute, stages)).stages[0];

describe('full recomputation of some layers of each stage', () => {
  const { forward } = stageOf('');

  test.each([
    ['', 4 * kept, 0, 0],
    ['full', 4 * input, 4, kept - input],
    ['full()', 4 * input, 4, kept - input],
    ['full(layers = 3)', 3 * input + kept, 3, kept - input],
    ['full(3)', 3 * input + kept, 3, kept - input],
    ['full(layers = 1, method = block)', input + 3 * kept, 1, kept - input],
    ['full(layers = 2, method = uniform)', 2 * input, 4, 2 * kept - input],
    // The last group is smaller.
    ['full(layers = 3, method = uniform)', 2 * input, 4, 3 * kept - input],
    ['full(every = 2)', 2 * input + 2 * kept, 2, kept - input],
    ['full(every = 3)', input + 3 * kept, 1, kept - input],
    [
      'modules(mlp)',
      // The output of the fused norm, 2·h, lies in the MLP.
      4 * (kept - 32 * (6 * 256 + 2 * 64)),
      (4 * (6 * 64 * 256)) / (6 * 64 * 256 + 8 * 64 * 64 + 2 * 32 * 64),
      32 * (6 * 256 + 2 * 64),
    ],
  ])('%s', (mode, activation, layers, recomputed) => {
    const stage = stageOf(mode === '' ? '' : `recompute = ${mode}`);
    expect(stage.activation).toBe(activation);
    expect(stage.recompute).toBeCloseTo((layers * forward) / 4, 15);
    expect(stage.recomputed).toBe(recomputed);
    // All that separate recomputations make stays until the backward.
    expect((stage.recomputedWhole ?? stage.recomputed) + stage.activation).toBe(4 * kept);
  });

  test('a stage has a mode of its own', () => {
    const stages = planOf(
      file(
        'recompute = full(layers = 1)',
        'stage a { layers = block[0..3]  recompute = full(every = 4) }\n  stage b { layers = block[4..7] }',
      ),
    ).stages;
    expect(stages.map(({ recomputeMode }) => recomputeMode)).toEqual(['full(every = 4)', 'full(layers = 1)']);
    expect(stages.map(({ activation }) => activation)).toEqual([input + 3 * kept, input + 3 * kept]);
  });

  test('stages that recompute ahead make all layers that they recompute', () => {
    const text = file('recompute = full(layers = 3)').replace('= 1f1b', '= 1f1b(recompute = ahead)');
    expect(planOf(text).stages[0].recomputedWhole).toBe(3 * (kept - input));
  });
});

test('what is wrong is said at its place', () => {
  const refused = (recompute: string, ...messages: readonly string[]) =>
    checkFindings(file(`recompute = ${recompute}`), messages);
  refused('full(layers = ⟦value/range:-1⟧)', '"layers"');
  refused('full(every = ⟦value/range:0⟧)', '"every"');
  refused('full(layers = 2, method = ⟦name/unknown:blocks⟧)', '"block"');
  refused('⟦key/missing:full(method = uniform)⟧', 'layers = 4');
  refused('full(⟦key/not-applicable:layers = 2⟧, every = 2)', 'either');
  refused('full(⟦key/unknown:layer⟧ = 2)', '"layers"');
  refused('modules(⟦name/unknown:core_attentoin⟧)', '"core_attention"');
  refused('⟦key/missing:modules()⟧', 'modules(mlp)');
  refused('⟦key/missing:modules⟧', 'modules(mlp)');
  refused('modules(mlp, ⟦key/duplicate:mlp⟧)', 'mlp');
  refused('modules(⟦type/mismatch:3⟧)', '`mlp`');
  refused('⟦name/unknown:fulll⟧', '"full"');
  refused('⟦name/unknown:module⟧(mlp)', '"modules"');
  refused('⟦type/mismatch:3⟧', '`full(layers = 4)`');
});

test('the name of Megatron-LM for the attention core is known', () => {
  const named = (module: string) => stageOf(`recompute = modules(${module})`).recomputeMode;
  expect(named('core_attn')).toBe('modules(core_attention)');
  expect(named('mlp, core_attn')).toBe(named('core_attention, mlp'));
});

describe('a balanced cut under recomputation of some layers', () => {
  const text = (recompute: string, stages: string, after = '') => `
model m { layer block[8] { forward = 4ms  backward = 8ms  weights = 1MiB  activation = 1MiB }
  layer head { forward = 8ms  backward = 16ms ${after} } }
device gpu { memory = 80GiB }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = ${stages}  microbatches = 4  schedule = 1f1b  recompute = ${recompute} }`;
  const cutOf = (recompute: string): readonly [number, number][] =>
    planOf(text(recompute, 'balance(2)')).stages.map((stage) => [
      stage.layers.length,
      Math.round(1e3 * (stage.forward + stage.backwardInput + stage.backwardWeight + stage.recompute)),
    ]);

  // A block takes 12 ms, or 16 ms recomputed; the head 24 ms, or 32 ms.
  test.each([
    // All of 5 and 3 + head, or of 5 and 4: 10 blocks' worth of work.
    [
      'none',
      [
        [5, 60],
        [4, 60],
      ],
    ],
    [
      'full',
      [
        [5, 80],
        [4, 80],
      ],
    ],
    [
      'full(layers = 2, method = uniform)',
      [
        [5, 80],
        [4, 80],
      ],
    ],
    [
      'full(layers = 2)',
      [
        [5, 68],
        [4, 68],
      ],
    ],
    // 5 blocks of which the fourth is recomputed, 3 and the head as the fourth.
    [
      'full(every = 4)',
      [
        [5, 64],
        [4, 68],
      ],
    ],
    // The head is the fifth of 5 layers in `[4, 5]`: 52 + 72 + 8.
    [
      'full(every = 5)',
      [
        [5, 64],
        [4, 60],
      ],
    ],
  ] as const)('%s: its slowest stage is as fast as any cut makes it', (mode, stages) => {
    expect(cutOf(mode)).toEqual(stages);
    const slowest = Math.max(...stages.map(([, time]) => time));
    for (let first = 1; first < 9; first += 1) {
      const times = planOf(text(mode, `split(${first}, ${9 - first})`)).stages.map(
        (stage) => stage.forward + stage.backwardInput + stage.backwardWeight + stage.recompute,
      );
      expect(Math.max(...times) * 1e3).toBeGreaterThan(slowest - 1e-9);
    }
  });

  test('the hint gives the sizes and has no remark', () => {
    const { derived } = resolveText(text('full(layers = 2)', 'balance(2)'));
    expect(derived.map(({ text: hint, tooltip }) => [hint, tooltip])).toContainEqual([' 5 + 4 layers', undefined]);
  });

  test('an uneven cut is compared with the best one', () => {
    const { findings } = resolveText(text('full(layers = 2)', 'split(2, 7)'));
    const [imbalance] = findings.filter(({ code }) => code === 'stage/imbalance');
    // 2 blocks and their recomputation: 32 ms; 6 blocks, the head and two recomputations: 104 ms.
    expect(imbalance.message).toMatch(/104 ms.*has 68 ms/);
  });

  test('of layers with several orders, the cut with the fastest slowest stage that was tried', () => {
    // Two branches of unequal work from one layer; all cuts are tried as stages.
    const layers = [3, 5, 1, 4, 2, 6].map(
      (time, at) =>
        `layer l${at} { forward = ${time}ms  backward = ${2 * time}ms  weights = 1MiB  activation = 1MiB ${['', 'after = l0', 'after = l1', 'after = l0', 'after = l3', 'after = l2, l4'][at]} }`,
    );
    const graph = (recompute: string, stages: string) => `model m { ${layers.join('\n')} }
device gpu { memory = 80GiB }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  ${stages}  microbatches = 4  schedule = 1f1b  recompute = ${recompute} }`;
    const slowestOf = (source: string): number | undefined => {
      const [plan] = resolveText(source).plan.pipelines;
      return plan === undefined
        ? undefined
        : Math.max(...plan.stages.map((s) => s.forward + s.backwardInput + s.backwardWeight + s.recompute));
    };
    const best = (mode: string): number => {
      const all = Array.from({ length: 62 }, (_, set) => set + 1).flatMap((set) => {
        const members = (taken: number) =>
          layers.flatMap((_, at) => (((set >> at) & 1) === taken ? [`l${at}`] : [])).join(', ');
        return slowestOf(graph(mode, `stage a { layers = ${members(1)} }\n  stage b { layers = ${members(0)} }`)) ?? [];
      });
      expect(all.length, mode).toBeGreaterThan(3);
      return Math.min(...all);
    };
    for (const mode of ['full(layers = 1)', 'full(layers = 2)', 'full(every = 2)']) {
      const found = slowestOf(graph(mode, 'stages = balance(2)')) ?? Infinity;
      expect(found, mode).toBeCloseTo(best(mode), 12);
      // No cut is faster than without recomputation.
      const hints = resolveText(graph(mode, 'stages = balance(2)')).derived.map(({ text: hint }) => hint);
      expect(hints.join(), mode).toContain(`at most ${shareAtMost(found / best('none') - 1)} above`);
    }
  });
});

describe('a planner under recomputation of some layers', () => {
  test.each(['pipedream', 'dapple'])('plan(%s) takes the cut whose plan is the fastest', (planner) => {
    const text = (stages: string) => `
model m { layer block[8] { forward = 4ms  backward = 8ms  weights = 100GiB  activation = 1MiB }
  layer head { forward = 8ms  backward = 16ms } }
device gpu { memory = 80GiB }
cluster box { gpu[2] = gpu  link = 1TB/s }
pipeline p { model = m  devices = box  stages = ${stages}  microbatches = 40  schedule = ${planner === 'dapple' ? 'dapple' : '1f1b'}  recompute = full(layers = 2) }`;
    // Gradients are too large for replicas. As `balance` finds it: 5 blocks, and 3 with the head. Both stages take 68 ms, and without recomputation 60 ms.
    expect(planOf(text(`plan(${planner})`)).stages.map(({ layers }) => layers.length)).toEqual([5, 4]);
    const { value = 0 } = planOf(text(`plan(${planner})`)).cut ?? {};
    expect(value / (planner === 'dapple' ? 41 : 40)).toBeCloseTo(0.068, 6);
  });
});
