/** `loss` and `pad` of a model: what a training decides of its shapes. */
import { describe, expect, test } from 'vitest';
import { checkFindings } from '../../support/expected.ts';
import { planOf } from '../../support/resolve.ts';

const around = (
  models: string,
  stages = 1,
): string => `device card { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s  efficiency = 50% }
cluster box { gpu[2] = card  link = 200GB/s + 3us }
${models}
pipeline train { model = net  devices = box  tensor = 2  microbatches = 4  stages = balance(${stages})  schedule = 1f1b  optimizer = none }
`;
const own = (keys: string, argument = ''): string =>
  around(`model net {
  sequence = 1024  ${keys}
  layer embed = embedding(vocab = 50257, hidden = 768)
  layer block[2] = transformer(hidden = 768, heads = 12)
  layer out = lm_head(vocab = 50257, hidden = 768${argument})
}`);
const figures = (text: string) => {
  const [stage] = planOf(text).stages;
  return { held: stage.activation + stage.workspace, parameters: stage.parameters };
};

describe('what a model says', () => {
  test('holds for layers that say nothing, and a layer that does goes before', () => {
    const asArgument = figures(own('', ', loss = fused'));
    expect(figures(own('loss = fused'))).toEqual(asArgument);
    expect(figures(own('loss = eager', ', loss = fused'))).toEqual(asArgument);
    expect(figures(own('')).held).toBeGreaterThan(asArgument.held);
  });

  test('pads the tables of embedding and head to a multiple of it times the tensor ranks', () => {
    // 50257 is 197 short of 50432 = 197 · 256.
    const [plain, padded] = [figures(own('')), figures(own('pad = 128'))];
    expect(padded.parameters - plain.parameters).toBe(2 * 768 * (50432 - 50257));
  });

  test('overrides what a model `from` elsewhere says', () => {
    const gpt2 = 'import { gpt2 } from "std:models"\n';
    const from = (keys: string) =>
      figures(around(`${gpt2}model base { from = gpt2  loss = eager }\nmodel net { from = base ${keys} }`));
    expect(from('').held).toBe(figures(around(`${gpt2}model net { from = gpt2  loss = eager }`)).held);
    expect(from('loss = chunked(8)').held).toBe(
      figures(around(`${gpt2}model net { from = gpt2  loss = chunked(8) }`)).held,
    );
    expect(from('loss = chunked(8)').held).toBeLessThan(from('').held);
  });
});

test('what cannot be is reported where it is written', () => {
  checkFindings(own('loss = ⟦type/mismatch:7⟧'), ['`parallel` or `eager`']);
  checkFindings(own('loss = ⟦name/unknown:fusd⟧'), ['fused']);
  checkFindings(own('loss = ⟦key/missing:chunked()⟧'), ['chunks']);
  checkFindings(own('pad = ⟦value/range:0⟧'), ['at least 1']);
  checkFindings(
    `device card { memory = 80GiB }
cluster box { gpu[1] = card }
model net { ⟦key/not-applicable:loss⟧ = eager  layer a { forward = 1ms  backward = 2ms } }
pipeline train { model = net  devices = box  microbatches = 4  stages = balance(1)  schedule = 1f1b }
`,
    ['no layer of the model has a vocabulary'],
  );
});
