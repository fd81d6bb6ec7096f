/** `rotary_base`, `rotary_percent`, `rope_scaling` and `norm_epsilon` of a model: no figure needs them, and exports write them. */
import { expect, it } from 'vitest';
import { resolveText } from '../../support/resolve.ts';

const shape = 'transformer(hidden = 64, heads = 4, flash = true, dropout = false)';
const file = (keys: string, models = ''): string => `
model m { sequence = 128  ${keys}  layer block[4] = ${shape} }
${models}
device g { memory = 80GiB  compute = 1TFLOPS }
cluster c { gpu[4] = g  link = 100GB/s }
pipeline p { model = ${models === '' ? 'm' : 'n'}  devices = c  microbatches = 4  schedule = 1f1b  stages = balance(4)  optimizer = megatron_bf16 }`;
const constantsOf = (...of: Parameters<typeof file>) => resolveText(file(...of)).settled.get('p')?.model.constants;

const keys = 'rotary_base = 500000  rotary_percent = 0.25  rope_scaling = 8  norm_epsilon = 1e-6';

it('go with the layers to another model, unless that says otherwise', () => {
  const own = { rotaryBase: 500000, rotaryPercent: 0.25, ropeScaling: 8, normEpsilon: 1e-6 };
  expect(constantsOf(keys)).toEqual(own);
  expect(constantsOf(keys, 'model n { from = m }')).toEqual(own);
  expect(constantsOf(keys, 'model n { from = m  rotary_base = 10000 }')).toEqual({ ...own, rotaryBase: 10000 });
  expect(constantsOf('')).toBeUndefined();
});

it('change no figure', () => {
  expect(resolveText(file(keys)).plan.pipelines[0]?.stages).toEqual(resolveText(file('')).plan.pipelines[0]?.stages);
});

it.each([
  'rotary_base = 0',
  'rotary_base = 1.5',
  'rope_scaling = 0.5',
  'rotary_percent = 0',
  'rotary_percent = 2',
  'norm_epsilon = 0',
  'norm_epsilon = 2',
])('%s is refused', (wrong) => {
  expect(resolveText(file(wrong)).findings.some(({ severity }) => severity === 'error')).toBe(true);
});
