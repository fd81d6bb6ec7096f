/** `recompute = budget(50%)`. */
import { expect, it } from 'vitest';
import { planOf, resolveText } from '../../support/resolve.ts';

const file = (recompute: string): string => `
model m { sequence = 128  layer block[4] = transformer(hidden = 64, heads = 4, flash = true, dropout = false) }
device g { memory = 80GiB  compute = 1TFLOPS }
cluster c { gpu[2] = g  link = 100GB/s }
pipeline p { model = m  devices = c  microbatches = 4  schedule = 1f1b  stages = balance(2)  optimizer = adam  recompute = ${recompute} }`;
const modes = (recompute: string) => planOf(file(recompute)).stages.map(({ recomputeMode }) => recomputeMode);

it('is a share, whose ends are no and full recomputation', () => {
  expect(modes('budget(50%)')).toEqual(['budget(50%)', 'budget(50%)']);
  expect(modes('budget(0.25)')).toEqual(['budget(25%)', 'budget(25%)']);
  expect(modes('budget(share = 1)')).toEqual(['none', 'none']);
  expect(modes('budget(0%)')).toEqual(['full', 'full']);
});

it('keeps less and recomputes more with less', () => {
  const [all, half, none] = ['none', 'budget(50%)', 'full'].map((mode) => planOf(file(mode)).stages[0]);
  expect(half.activation).toBeLessThan(all.activation);
  expect(half.activation).toBeGreaterThan(none.activation);
  expect(half.recompute).toBeGreaterThan(all.recompute);
  expect(half.recompute).toBeLessThan(none.recompute);
});

it.each([
  ['budget(150%)', '"share" is 150 %; it must be from 0 %'],
  ['budget()', 'This call to budget needs the argumen'],
  ['budget', 'budget(50%)'],
  ['budget(mlp)', 'Unknown name "mlp"'],
])('%s is refused', (written, message) => {
  expect(
    resolveText(file(written))
      .findings.map((finding) => finding.message)
      .join('\n'),
  ).toContain(message);
});
