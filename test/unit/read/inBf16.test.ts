/** `in_bf16 = block[0], block[3]`: layers of a model in fp8 or fp4 that multiply in bf16. */
import { expect, it } from 'vitest';
import { planOf, resolveText } from '../../support/resolve.ts';

const shape = 'transformer(hidden = 64, heads = 4, flash = true, dropout = false)';
const file = (keys: string, precision = 'fp8', models = ''): string => `
model m { sequence = 128  precision = ${precision}  ${keys}  layer block[4] = ${shape} }
${models}
device g { memory = 80GiB  compute = 1TFLOPS  compute(fp8) = 2TFLOPS  compute(fp4) = 4TFLOPS }
cluster c { gpu[4] = g  link = 100GB/s }
pipeline p { model = ${models === '' ? 'm' : 'n'}  devices = c  microbatches = 4  schedule = 1f1b  stages = balance(4)  optimizer = megatron_bf16 }`;
const stages = (...of: Parameters<typeof file>) =>
  planOf(file(...of)).stages.map(({ forward, activation }) => ({ forward, activation }));

it('takes the times and the activations of bf16 for these layers, and no others', () => {
  const [bf16] = stages('', 'bf16');
  const stored = 'activations = fp8';
  const [fp8] = stages(stored);
  expect(bf16.forward).toBeGreaterThan(fp8.forward);
  expect(bf16.activation).toBeGreaterThan(fp8.activation);
  expect(stages(`${stored}  in_bf16 = block[0], block[3]`)).toEqual([bf16, fp8, fp8, bf16]);
  const [fp4] = stages('activations = fp4', 'fp4');
  expect(stages('activations = fp4  in_bf16 = block[1..2]', 'fp4')).toEqual([fp4, bf16, bf16, fp4]);
});

it('goes with the layers to another model of the same precision, unless that says otherwise', () => {
  const keys = 'in_bf16 = block[0]';
  const own = stages(keys);
  expect(stages(keys, 'fp8', 'model n { from = m }')).toEqual(own);
  expect(stages(keys, 'fp8', 'model n { from = m  in_bf16 = block[3] }')).toEqual(own.toReversed());
  expect(stages(keys, 'fp8', 'model n { from = m  precision = bf16 }')).toEqual(stages('', 'bf16'));
});

it('needs a model of fewer bits, and layers that exist', () => {
  const messages = (...of: Parameters<typeof file>) =>
    resolveText(file(...of))
      .findings.map(({ message }) => message)
      .join('\n');
  expect(messages('in_bf16 = block[0]', 'bf16')).toContain('the model multiplies in bf16');
  expect(messages('in_bf16 = block[4]')).toContain('from 0 to 3');
  expect(messages('in_bf16 = head')).toContain('Unknown layer "head"');
  // A device with a rate for fp8 alone has no time for these layers.
  const narrow = file('in_bf16 = block[0]').replace('compute = 1TFLOPS  ', '');
  expect(
    resolveText(narrow)
      .findings.map(({ message }) => message)
      .join(),
  ).toContain('compute = 312TFLOPS');
});
