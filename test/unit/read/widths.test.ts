/** Layers that read other tokens than the only layer before them gives: tokens × width is what a merge conserves. */
import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const found = (layers: string) =>
  analyse(`model m { sequence = 64 ${layers} }`)
    .findings.filter(({ code }) => code === 'layer/width')
    .map(({ message }) => message);

const block = (hidden: number) => `transformer(hidden = ${hidden}, heads = 4)`;
const patch = 'layer patch { shape = patch_embedding(patch = 14, hidden = 128) tokens = 24 images = 4 }';
const vision = (keys: string, hidden = 128) => `layer vision[2] { shape = ${block(hidden)} ${keys} }`;
const merge = (tokens: number, width: number) =>
  `layer merge { shape = linear(inputs = ${width}, outputs = 256) tokens = ${tokens} images = 4 }`;
const right = `${patch} ${vision('tokens = 24 images = 4')}`;

describe('a layer that does not fit the one before it', () => {
  it.each([
    [
      `layer a = ${block(128)} layer b = ${block(256)}`,
      '"b" reads tokens 256 wide, and "a" before it gives tokens 128',
    ],
    [
      `layer a[2] = ${block(128)} layer b = linear(inputs = 100, outputs = 8)`,
      '"a[1]" before it gives tokens 128 wide',
    ],
    [`layer a = embedding(vocab = 100, hidden = 128) layer b[2] = ${block(256)}`, 'Layer "b[0]" reads tokens 256 wide'],
    [`layer a = ${block(256)} layer b = lm_head(vocab = 100, hidden = 128)`, 'linear(inputs = 256, outputs = 128)'],
    [`layer a = norm(hidden = 128) layer b = ${block(192)}`, 'reads tokens 192 wide'],
    [`layer a = linear(inputs = 64, outputs = 128) layer b = ${block(256)}`, 'gives tokens 128 wide'],
    [
      `${patch} ${vision('tokens = 192 images = 4')}`,
      'reads 768 tokens × 128 = 98,304 elements of a sample, and "patch" before it gives 96 tokens × 128 = 12,288',
    ],
    [`${right} ${merge(24, 500)}`, 'reads tokens 500 wide'],
    [`${right} ${merge(12, 512)}`, 'reads 48 tokens × 512 = 24,576 elements'],
    [`${right} ${merge(8, 200)}`, 'reads 32 tokens × 200 = 6,400 elements'],
    [
      `layer a = ${block(128)} layer b = ${block(64)} layer c { shape = ${block(256)} after = a }`,
      '"b" reads tokens 64',
    ],
  ])('%s', (layers, message) => {
    expect(found(layers)[0]).toContain(message);
  });
  it('says what the layer before it gives, at its place', () => {
    const text = `model m { sequence = 64 layer a = ${block(128)} layer b = ${block(256)} }`;
    const [finding] = analyse(text).findings.filter(({ code }) => code === 'layer/width');
    expect(finding.related.map(({ message }) => message)).toEqual(['Gives 64 tokens, 128 wide.']);
    expect(finding.related[0].place.start).toBe(text.indexOf('a = '));
  });
  it('is reported once, at the layer that reads', () => {
    expect(found(`layer a = ${block(128)} layer b = ${block(256)} layer c = ${block(256)}`)).toHaveLength(1);
  });
});

describe('what may fit is not reported', () => {
  it.each([
    ['a merge of 2 × 2 tokens', `${right} ${merge(6, 512)}`],
    ['a merge that drops a token', `${right} ${merge(5, 512)}`],
    ['outputs of four layers side by side', `${right} ${merge(24, 512)}`],
    [
      'a merge into narrower tokens that drops a few',
      `${right} layer b { shape = ${block(32)} tokens = 95 images = 4 }`,
    ],
    [
      'queries that attend to tokens which are not known',
      `layer a = ${block(128)} layer q { shape = transformer(hidden = 60, heads = 4, cross = 96, cross_hidden = 128) }`,
    ],
    ['padding', `${patch} ${vision('tokens = 32 images = 4')}`],
    ['a pooled tower', `${right} layer pooled { shape = ${block(128)} tokens = 1 }`],
    ['text that joins', `${right} layer b = ${block(128)}`],
    [
      'text that joins what a projector gives',
      `${right} ${merge(6, 512)} layer b { shape = ${block(256)} tokens = 48 }`,
    ],
    [
      'layers after several',
      `layer a = ${block(128)} layer b { shape = ${block(64)} after = [] } layer c { shape = ${block(256)} after = [a, b] }`,
    ],
    ['a parallel tower', `layer a = ${block(128)} layer b { shape = ${block(256)} after = [] }`],
    [
      'cross-attention',
      `${right} layer q { shape = transformer(hidden = 60, heads = 4, cross = 96, cross_hidden = 128) tokens = 8 attends = vision }`,
    ],
    [
      'a second embedding',
      `layer a = ${block(128)} layer b = embedding(vocab = 100, hidden = 256) layer c = ${block(256)}`,
    ],
    ['what follows a head', `layer a = lm_head(vocab = 100, hidden = 128) layer b = ${block(256)}`],
    [
      'branches of one input',
      'layer q = linear(inputs = 128, outputs = 128) layer k = linear(inputs = 128, outputs = 32) layer v = linear(inputs = 128, outputs = 32) layer o = linear(inputs = 128, outputs = 128)',
    ],
    [
      'vectors of a whole microbatch',
      `layer a = linear(inputs = 64, outputs = 64, tokens = 3) layer b = ${block(128)}`,
    ],
    [
      'convolutions and matrices',
      `layer a = conv2d(inputs = 3, outputs = 64, height = 28) layer b = ${block(128)} layer c = matmul(rows = 4, inner = 5, columns = 6)`,
    ],
    [
      'text that makes a whole multiple',
      `layer patch { shape = patch_embedding(patch = 14, hidden = 128) tokens = 16 images = 2 } layer b = ${block(128)}`,
    ],
    [
      'branches of unequal widths',
      'layer k = linear(inputs = 128, outputs = 48) layer o = linear(inputs = 128, outputs = 128)',
    ],
    ['a norm of a part', 'layer k = linear(inputs = 128, outputs = 48) layer n = norm(hidden = 32)'],
    ['a merge of three tokens into two', `${right} ${merge(16, 192)}`],
    [
      'cross-attention to what the file leaves out',
      `layer a = ${block(128)} layer b = transformer(hidden = 256, heads = 4, cross = 96)`,
    ],
    [
      'a second tower of patches',
      `layer a = ${block(128)} layer patch { shape = patch_embedding(patch = 14, hidden = 200) tokens = 24 }`,
    ],
    ['measured layers', `layer a = ${block(128)} layer b { forward = 1ms backward = 2ms } layer c = ${block(256)}`],
  ])('%s', (_, layers) => {
    expect(found(layers)).toEqual([]);
  });
});
