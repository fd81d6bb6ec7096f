/** What is reported while somebody types: one mistake at the cursor, in words that stay while a word is written. */
import { expect, it, test } from 'vitest';
import { resolveText } from '../../support/resolve.ts';
import { exampleNames, exampleText, exampleUri } from '../../support/example.ts';
import { diskHost } from '../../support/host.ts';
import * as fc from '../../support/property.ts';
import { parse } from '../../../grammar/index.ts';

/** The text up to the cursor, with what an editor closes by itself; undefined inside comments. */
function typed(text: string): string | undefined {
  const { tokens, comments } = parse(text);
  if (comments.some(({ end }) => end >= text.length)) return undefined;
  const open: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'punctuation' && '([{'.includes(token.text)) open.push(token.text);
    else if (token.kind === 'punctuation' && ')]}'.includes(token.text)) open.pop();
  }
  const last = tokens.at(-1);
  const isQuoted = last?.kind === 'error' && last.text.startsWith('"');
  const closers = { '(': ')', '[': ']', '{': '}' } as const;
  return `${text}${isQuoted ? '"' : ''}${open
    .toReversed()
    .map((bracket) => closers[bracket as keyof typeof closers])
    .join('')}`;
}

/** Errors at the cursor, or behind it on its line. */
function errorsAt(before: string, setting: Parameters<typeof resolveText>[1] = {}) {
  const text = typed(before);
  if (text === undefined) return [];
  const { findings } = resolveText(text, setting);
  const from = Math.max(before.lastIndexOf('\n'), before.length - 60);
  return findings.filter(({ severity, place }) => severity === 'error' && place.end >= from);
}

// This one holds mistakes.
const files = exampleNames.filter((name) => name !== 'broken.pipe');

test('in every prefix of an example there are at most two errors at the cursor, and nothing is set twice', () => {
  fc.assert(
    fc.property(fc.constantFrom(...files), fc.double({ min: 0, max: 1, noNaN: true }), (name, share) => {
      const text = exampleText(name);
      const before = text.slice(0, Math.floor(share * text.length));
      const found = errorsAt(before, { host: diskHost, uri: exampleUri(name) });
      expect(found.length, JSON.stringify(before.slice(-80))).toBeLessThanOrEqual(2);
      expect(found.map(({ code }) => code)).not.toContain('key/duplicate');
    }),
    { numRuns: 40 },
  );
});

const file = `import { h100 } from "std:hardware"
model m {
  sequence = 2048  micro_batch = 2
  layer embed = embedding(vocab = 32000, hidden = 4096)
  layer block[32] = transformer(hidden = 4096, heads = 32, ffn = 11008, gated = true)
  layer head = lm_head(vocab = 32000, hidden = 4096)
}
cluster c { node[2] { gpu[8] = h100  link = 370GB/s + 3us }  link = 400Gb/s + 10us }
pipeline p {
  model = m  devices = c  tensor = 2  data = 2  global_batch = 64
  stages = balance(4, by = memory)  schedule = interleaved_1f1b(chunks = 2)
  optimizer = megatron_bf16(shard = distributed)  recompute = full(layers = 2)
}
expect p { bubble < 30%  peak_memory < 60GiB  mfu > 20% }
search p { tensor in [1, 2, 4]  subject_to = peak_memory < 75GiB }
`;

it('has one error at the cursor at most, after each character of a whole file', () => {
  for (let at = 1; at <= file.length; at += 1) {
    const before = file.slice(0, at);
    // This is no unit before its `s`.
    if (before.endsWith('Gb/')) continue;
    const found = errorsAt(before);
    expect(found.map(({ message }) => message).length, `${before.slice(-60)}: ${JSON.stringify(found)}`).toBeLessThan(
      2,
    );
  }
});

it('changes its mind once at most while a word is written', () => {
  for (const { index, 0: word } of file.matchAll(/[a-z_]{3,}/g)) {
    // Its first letters are a key of their own.
    if (word === 'stages') continue;
    // The last letter makes the word known.
    const codes = Array.from({ length: word.length - 1 }, (_, letter) =>
      errorsAt(file.slice(0, index + letter + 1))
        .map(({ code }) => code)
        .join(' '),
    );
    const changes = codes.filter((code, at) => at > 0 && code !== codes[at - 1]).length;
    expect(changes, `${word}: ${codes.join(', ')}`).toBeLessThanOrEqual(1);
  }
});

it.each([
  ['import { h100 } from "', 'Write a path between the quotes, such as "hardware.pipe" or "std:hardware".'],
  ['import "', 'Write a path between the quotes, such as "hardware.pipe" or "std:hardware".'],
  ['model m { layer ', 'Expected a name after "layer", found "}".'],
  ['model m { layer block[40] ', 'Expected "=" or "{" after "layer block[40]", found "}".'],
  ['model m { mi', 'A model has no key "mi". Did you mean "micro_batch"?'],
  ['model m { s', 'A model has no key "s". Did you mean "sequence"?'],
  ['pipeline p { s', 'Expected "=" or "{" after "s", found "}".'],
  ['cluster c { link = 370GB/s + 3u', 'Unknown unit "u". Did you mean "us"?'],
  ['device d { memory = 16Gi', 'Unknown unit "Gi". Did you mean "GiB"?'],
  ['model m { layer a = transformer(', 'This transformer needs "hidden", for example `hidden = 4096`.'],
  ['model m { layer a = transformer(hid', 'Expected a value, or an argument such as `hidden = 4096`, found `hid`.'],
  ['model m { layer a = transformer(hidden =', 'Expected a value after "=", found ")".'],
])('%s: %s', (before, message) => {
  expect(errorsAt(before).map((found) => found.message)).toContain(message);
});

it.each([
  ['cluster c { gpu[2] = d }\npipeline p { schedule = interleaved_1f1b(c', 'chunks = 2'],
  ['pipeline p { optimizer = megatron_bf16(s', 'shard = none'],
])('%s: the argument that the letters begin', (before, argument) => {
  expect(errorsAt(before).map(({ message }) => message)).toContainEqual(
    expect.stringContaining(`an argument such as \`${argument}\``),
  );
});

it.each([
  'pipeline p { stages = balance(4,',
  'pipeline p { optimizer = megatron_bf16(shard =',
  'pipeline p { recompute = full(method =',
  'pipeline p { offload = activations(layers =',
])('%s: says that nothing is there, once', (before) => {
  const codes = errorsAt(before).map(({ code }) => code);
  // The pipeline needs more keys.
  expect(codes.filter((code) => code !== 'key/missing')).toEqual(['syntax/unexpected']);
});

it('a comparison that can never hold is one mistake', () => {
  const { findings } = resolveText(file.replace('mfu > 20%', 'mfu > 20'));
  expect(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(['value/range']);
});
