import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
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
      4 * (kept - 32 * 6 * 256),
      (4 * (6 * 64 * 256)) / (6 * 64 * 256 + 8 * 64 * 64 + 2 * 32 * 64),
      32 * 6 * 256,
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
  const tooltipsOf = (recompute: string): string => {
    const { derived } =
      resolveText(`model m { layer block[9] { forward = 4ms  backward = 8ms  weights = 1MiB  activation = 1MiB } }
device gpu { memory = 80GiB }
cluster box { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  recompute = ${recompute} }`);
    return derived.map(({ tooltip }) => tooltip ?? '').join('\n');
  };
  test.each(['full(layers = 2)', 'full(every = 2)'])('%s: its hint says that cuts are compared without it', (mode) => {
    expect(tooltipsOf(mode)).toContain(`the layers that \`${mode}\` recomputes follow from the cut`);
  });
  test.each(['none', 'full', 'full(layers = 2, method = uniform)'])('%s: it knows all of it', (mode) => {
    expect(tooltipsOf(mode)).not.toContain('follow from the cut');
  });
});
