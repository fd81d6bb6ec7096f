import { describe, expect, it } from 'vitest';
import { checkFindings, optimizerPlan, resolveText } from './optimizerFixture.ts';

describe('bytes of a stage', () => {
  // 256 MiB of bf16 weights: 2^27 parameters a layer, two layers a stage.
  const parameters = 2 ** 28;

  it.each([
    ['adam_mixed', 2, 2, 12],
    ['megatron_bf16(shard = distributed)', 2, 4, 3],
    ['adam_mixed(zero2)', 2, 0.5, 3],
    // Whole weights and gradients stay beside the shards.
    ['adam_mixed(shard = fsdp, reshard = false)', 0.5 + 2, 0.5 + 2, 3],
    ['adam_mixed(shard = zero3, over = 2)', 1, 1, 6],
    ['megatron_bf16(main_grads = bf16, main_params = remainder, moments = fp8)', 2, 2, 4],
    ['megatron_fp8(primary = fp8, shard = zero1)', 2, 4, 3],
    ['custom(weight = 2, gradient = 3, state = 5, shard = zero1)', 2, 3, 1.25],
    ['custom(2, 3, 5, zero1)', 2, 3, 1.25],
    ['(sgd(step = 1ms))', 4, 4, 0],
  ] as const)('%s over four data ranks', (optimizer, weights, gradients, state) => {
    expect(optimizerPlan(optimizer, 4).stages[0]).toMatchObject({
      parameters,
      weights: weights * parameters,
      gradients: gradients * parameters,
      optimizer: state * parameters,
    });
  });

  it('while a pass runs, whole layers in 16 bits and whole gradients as they are summed', () => {
    const layer = parameters / 2;
    // The backward of the first layer: its weights and gradient, and the second's gradient on its way.
    expect(optimizerPlan('adam(fsdp)', 4).stages[0].workspace).toBe((2 + 4 + 4) * layer);
    // The backward of the second as well as of the first: two weights and a gradient, or a weight and two gradients.
    expect(optimizerPlan('adam_mixed(zero3)', 4).stages[0].workspace).toBe((2 + 2 + 2) * layer);
    expect(optimizerPlan('adam_mixed(zero2)', 4).stages[0].workspace).toBe((2 + 2) * layer);
    expect(optimizerPlan('adam_mixed(zero1)', 4).stages[0].workspace).toBe(0);
  });

  it('takes seconds for the step', () => {
    expect(optimizerPlan('adam_mixed(zero1, 3ms)', 4).step[0].optimizer).toBe(0.003);
    expect(optimizerPlan('custom(2, 3, 5, step = 4ms)', 1).step[0].optimizer).toBe(0.004);
  });
});

describe('findings', () => {
  it.each([
    ['adam(shard = ⟦name/unknown:zero4⟧)', 4, 'zero'],
    ['adam(shard = ⟦type/mismatch:3⟧)', 4, '`none`, `zero1`, `distributed`, `zero2`, `zero3` or `fsdp`'],
    [
      'adam(shard = zero1, ⟦value/range:over⟧ = 3)',
      4,
      '"over" is 3; it must be a divisor of the 4 ranks that hold the same weights, such as 2 or 4',
    ],
    ['adam(shard = zero1, ⟦value/range:over⟧ = 9)', 4, 'such as 4.'],
    ['adam(shard = zero1, over = ⟦value/range:0⟧)', 4, '"over" is 0'],
    ['adam(⟦key/unknown:stepp⟧ = 1ms)', 4, 'step'],
    ['⟦key/missing:custom⟧(weight = 2, gradient = 4)', 4, 'state'],
    ['custom(weight = 2, gradient = ⟦value/range:0 - 1⟧, state = 1)', 4, '"gradient"'],
    ['custom(weight = ⟦type/dimension:2GiB⟧, gradient = 1, state = 1)', 4, 'a plain number'],
    ['⟦type/mismatch:megatron_fp8(primary = fp8, main_params = remainder)⟧', 4, 'keeps none'],
    ['megatron_bf16(moments = ⟦name/unknown:fp64⟧)', 4, 'fp'],
  ] as const)('%s', (optimizer, data, message) => {
    checkFindings(optimizer, data, [message]);
  });

  it('of `custom` without its bytes, one for all', () => {
    checkFindings('⟦key/missing:custom⟧', 1, ['"weight"']);
  });

  it.each([
    ['adam(⟦key/not-applicable:shard⟧ = zero1)', 1, 'one data rank'],
    ['adam(⟦key/not-applicable:zero3⟧)', 1, 'one data rank'],
    ['adam(⟦key/not-applicable:over⟧ = 2)', 4, '`shard` is `none`'],
    ['adam(⟦key/not-applicable:reshard⟧ = false)', 4, '`shard` is `none`'],
    ['adam(zero2, ⟦key/not-applicable:reshard⟧ = false)', 4, '`zero2` does not split weights'],
    ['adam(fsdp, reshard = false, ⟦key/not-applicable:prefetch⟧ = 2)', 4, 'gathered once an iteration'],
    ['adam(zero1, ⟦key/not-applicable:prefetch⟧ = 0)', 4, '`zero1` does not split weights'],
    ['adam(zero2, ⟦key/not-applicable:gradient_sync⟧ = last)', 4, '`zero2` does not split weights'],
    ['adam(⟦key/not-applicable:gradient_sync⟧ = last)', 4, '`shard` is `none`'],
    ['adam(fsdp, reshard = false, ⟦key/not-applicable:gradient_sync⟧ = each)', 4, 'gradients stay whole'],
    ['adam(⟦key/not-applicable:shard⟧ = fsdp, over = 1)', 4, '`over` is 1'],
    ['sgd(⟦key/not-applicable:shard⟧ = zero1)', 4, '`sgd` keeps no state'],
    ['custom(2, 2, 0, ⟦key/not-applicable:shard⟧ = zero1)', 4, '`custom` keeps no state'],
  ] as const)('that nothing changes: %s', (optimizer, data, message) => {
    checkFindings(optimizer, data, [message]);
  });

  it('none where all is well', () => {
    for (const optimizer of [
      'sgd(shard = zero2)',
      'adam(fsdp, reshard = false, over = 2)',
      'adam(shard = none)',
      'adam(fsdp, gradient_sync = last, reduce = bf16)',
    ])
      checkFindings(optimizer, 4);
  });
});

it('what a parameter takes is shown behind the optimizer', () => {
  const hint = (optimizer: string) => resolveText(optimizer, 4).derived.find(({ text }) => text.includes('/parameter'));
  expect(hint('adam_mixed')).toMatchObject({
    text: ' 16 bytes/parameter',
    tooltip: 'Weights 2, gradients 2, optimizer state 12 bytes per parameter.',
  });
  expect(hint('megatron_bf16(shard = zero2, moments = bf16)')).toMatchObject({
    text: ' 14 bytes/parameter',
    tooltip:
      'Weights 2, gradients 4, optimizer state 8 bytes per parameter, gradients and state split over data ranks.',
  });
  expect(hint('adam(shard = fsdp, over = 2)')?.tooltip).toContain('all of it split over 2 data ranks');
});
