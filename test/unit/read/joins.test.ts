/** A tower that gives more tokens than the sequence that it joins has room for. */
import { expect, test } from 'vitest';
import { analyse, fixesOf } from '../../support/analyse.ts';

const model = (images: number, { sequence = 1024, after = '', width = 512 } = {}): string => `
model m {
  sequence = ${sequence}
  layer patch { shape = patch_embedding(patch = 14, hidden = 256)  tokens = 256  images = ${images} }
  layer project { shape = linear(inputs = 256, outputs = ${width})  tokens = 256  images = ${images} }
  layer embed { shape = embedding(vocab = 1000, hidden = 512) ${after} }
  layer block[4] = transformer(hidden = 512, heads = 8)
  layer head = lm_head(vocab = 1000, hidden = 512)
}
`;
const errors = (text: string): readonly string[] =>
  analyse(text)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);

test('as many tokens as the sequence has room for are right', () => {
  for (const images of [1, 3, 4]) expect(errors(model(images))).toEqual([]);
});

test('more tokens are reported at the sequence', () => {
  const text = model(5);
  expect(errors(text)).toEqual([
    'The sequence is 1024; it must be at least 1280, since "embed" joins 1280 tokens of "project" to its own.',
  ]);
  const found = analyse(text).findings.find(({ code }) => code === 'value/range');
  expect(text.slice(found?.place.start, found?.place.end)).toBe('1024');
  const [fix] = fixesOf(analyse(text), 'value/range');
  expect(fix.title).toMatch(/^Change to 1280/);
});

test('a tower of another width, or one that the embedding does not read, is not joined', () => {
  expect(errors(model(5, { width: 384 }))).toEqual([]);
  expect(errors(model(5, { after: ' after = []' }))).toEqual([]);
});

test('a model that takes over the layers with a shorter sequence is checked too', () => {
  expect(errors(`${model(4)}model short { from = m  sequence = 512 }\n`)).toEqual([
    'The sequence is 512; it must be at least 1024, since "embed" joins 1024 tokens of "project" to its own.',
  ]);
});
