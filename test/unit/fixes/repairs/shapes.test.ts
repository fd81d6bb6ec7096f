import { describe, expect, it, test } from 'vitest';
import { nearestDivisors } from '../../../../engine/basics/divisors.ts';
import { analyse, codesOf, fixesOf } from '../../../support/analyse.ts';
import { bare, type Case, checkCase } from './promise.ts';

const model = (block: string, more = ''): string => `
model m {
  sequence = 128
  layer embed = embedding(vocab = 1000, hidden = 512)
  layer block[8] ${block}
  layer head = lm_head(vocab = 1000, hidden = 512)
  ${more}
}
device gpu { memory = 80GiB  compute = 900TFLOPS  bandwidth = 3TB/s }
cluster node { gpu[2] = gpu  link = 100GB/s }
pipeline p { model = m  devices = node  stages = balance(2)  schedule = 1f1b  microbatches = 4 }
`;
const plain = '= transformer(hidden = 512, heads = 8)';

const cases: readonly Case[] = [
  // Another count of heads.
  {
    code: 'type/mismatch',
    text: model('= transformer(hidden = 512, heads = 7)'),
    titles: ['Write heads = 8', 'Write heads = 4'],
    makes: 'transformer(hidden = 512, heads = 8)',
  },
  {
    code: 'type/mismatch',
    text: model('= transformer(hidden = 512, heads = 7, kv_heads = 3)'),
    titles: ['Write heads = 8 and kv_heads = 4', 'Write heads = 4 and kv_heads = 4'],
    makes: 'transformer(hidden = 512, heads = 8, kv_heads = 4)',
  },
  {
    code: 'type/mismatch',
    text: model('= transformer(hidden = 512, heads = 8, kv_heads = 16)'),
    titles: ['Write kv_heads = 8', 'Write kv_heads = 4'],
    makes: 'kv_heads = 8)',
  },
  // What trains.
  {
    code: 'type/mismatch',
    text: model(plain, 'trainable = [false]'),
    titles: ['Write true', 'Remove "trainable"'],
    makes: 'trainable = true',
  },
  // Attention to another tower.
  {
    code: 'layer/cycle',
    text: model('{ shape = transformer(hidden = 512, heads = 8, cross = 128)  attends = block }'),
    titles: ['Attend to "embed"'],
    makes: 'attends = embed }',
  },
];

test.each(cases)('$code is repaired: $titles.0', checkCase);

describe('arguments that do not divide', () => {
  it('are reported at the divisor, with the numbers next to it', () => {
    const text = model('= transformer(hidden = 512, heads = 7)');
    const [finding] = analyse(text).findings;
    expect(finding.message).toBe(
      'Expected a number that divides hidden = 512, such as 8 or 4, or a value for head_dim, found heads = 7.',
    );
    expect(text.slice(finding.place.start - 'heads = '.length, finding.place.end)).toBe('heads = 7');
  });

  it('are never answered by the example of a layer', () => {
    for (const block of ['heads = 7', 'heads = 8, kv_heads = 16', 'heads = 8, causal = false, window = 8'])
      for (const fix of fixesOf(analyse(model(`= transformer(hidden = 512, ${block})`)), 'type/mismatch'))
        expect(fix.title).not.toContain('forward');
  });

  it('are the nearest first, among all divisors', () => {
    for (let of = 1; of <= 200; of += 1)
      for (let number = 1; number <= 220; number += 7) {
        const all = Array.from({ length: of }, (_, index) => index + 1).filter((each) => of % each === 0);
        const distances = all.map((each) => Math.abs(each - number)).toSorted((a, b) => a - b);
        const found = nearestDivisors(of, number);
        expect(found.every((each) => all.includes(each))).toBe(true);
        expect(found.map((each) => Math.abs(each - number))).toEqual(distances.slice(0, 2));
      }
    // Of two that are as near, the larger one.
    expect(nearestDivisors(8, 3)).toEqual([4, 2]);
  });
});

describe('what trains', () => {
  it.each(['[false]', '[true, false]'])('is no %s', (value) => {
    expect(codesOf(analyse(model(plain, `trainable = ${value}`)))).toEqual(['type/mismatch']);
  });

  it('is not answered by a list where nothing trains', () => {
    const fixes = fixesOf(analyse(model(plain, 'trainable = false')), 'type/mismatch');
    expect(fixes.map(bare)).not.toContain('Write [false]');
    expect(fixes.map(bare)).toContain('Write true');
  });
});

describe('attention in a cycle', () => {
  it('is reported once for all layers of an array, by the layer that it names', () => {
    const block = '{ shape = transformer(hidden = 512, heads = 8, cross = 128)  attends = late }';
    const text = model(`${block}\n  layer late ${plain}`);
    const found = analyse(text).findings.filter(({ code }) => code === 'layer/cycle');
    expect(found).toHaveLength(1);
    expect(found[0].message).toContain(
      'Layer "block" attends to "late", which needs it. Let it attend to a layer that does not need it.',
    );
    expect(found[0].message).not.toContain('after');
    expect(text.slice(found[0].place.start, found[0].place.end)).toBe('block');
    expect(found[0].related.map(({ place }) => text.slice(place.start, place.end))).toEqual(['late']);
  });

  it('says so of a layer that attends to itself', () => {
    const block = '{ shape = transformer(hidden = 512, heads = 8, cross = 128)  attends = block }';
    const [found] = analyse(model(block)).findings;
    expect(found.message).toContain('Layer "block" attends to itself.');
  });
});
