/** Layers of several shapes in one array, by a pattern of letters. */
import { describe, expect, it } from 'vitest';
import { planOf, resolveText } from '../../support/resolve.ts';

const shapes =
  'w = transformer(hidden = 64, heads = 4, window = 16, flash = true), b = transformer(hidden = 64, heads = 4)';
const model = (layer: string, more = ''): string => `
model m { sequence = 128  ${more}  layer embed = embedding(vocab = 100, hidden = 64)  layer ${layer}  layer head = lm_head(vocab = 100, hidden = 64) }`;
const rest = (stages = 'balance(2)', keys = ''): string => `
device g { memory = 80GiB  compute = 1TFLOPS }
cluster c { gpu[2] = g  link = 100GB/s }
pipeline p { model = m  devices = c  microbatches = 4  schedule = 1f1b  stages = ${stages}  optimizer = adam ${keys} }`;
const findings = (text: string): readonly string[] => resolveText(text).findings.map(({ message }) => message);

describe('an array that follows a pattern', () => {
  const stages = (layer: string, cut: string, more = '') =>
    planOf(model(layer, more) + rest(cut)).stages.map(({ layers, forwardFlops, parameters }) => ({
      layers,
      forwardFlops,
      parameters,
    }));

  it('costs what its layers cost as arrays', () => {
    const one = stages(`block[7] = pattern("wwb", ${shapes})`, 'split(4, 5)');
    const [w, b] = shapes.split(', b = ');
    const apart = stages(
      `w[2] = ${w.slice(4)}  layer b = ${b}  layer w2[2] = ${w.slice(4)}  layer b2 = ${b}  layer w3 = ${w.slice(4)}`,
      'split(4, 5)',
    );
    const figures = (all: typeof one) => all.map(({ forwardFlops, parameters }) => [forwardFlops, parameters]);
    expect(figures(one)).toEqual(figures(apart));
    expect(one[1].layers).toEqual(['block[3]', 'block[4]', 'block[5]', 'block[6]', 'head']);
  });

  it('has one name for all of its layers: in stages, in `frozen`, in another model', () => {
    const layer = `block[7] = pattern("wwb", ${shapes})`;
    const cut = 'split(4, 5)';
    const frozen = planOf(model(layer, 'frozen = block[2..3], block[6]') + rest(cut)).stages;
    const all = planOf(model(layer) + rest(cut)).stages;
    expect(all[0].parameters - (frozen[0].trainable ?? 0)).toBe(12 * 64 ** 2 + 13 * 64);
    expect(all[1].parameters - (frozen[1].trainable ?? 0)).toBe(2 * (12 * 64 ** 2 + 13 * 64));
    const copied = `${model(layer)}\nmodel n { from = m }${rest(cut).replace('model = m', 'model = n')}`;
    expect(planOf(copied).stages.map(({ layers }) => layers)).toEqual(all.map(({ layers }) => layers));
  });

  it('names layers without a stage as one range', () => {
    const text = `${model(`block[6] = pattern("wb", ${shapes})`)}
device g { memory = 80GiB  compute = 1TFLOPS }
cluster c { gpu[2] = g  link = 100GB/s }
pipeline p { model = m  devices = c  microbatches = 4  schedule = 1f1b  optimizer = adam
  stage a { layers = embed, block[0] }
  stage b { layers = head }
}`;
    expect(findings(text).join(' ')).toContain('block[1..5]');
  });

  it('shows the figures of each letter behind its shape', () => {
    const text = model(`block[6] = pattern("wwb", ${shapes})`) + rest();
    const { derived, symbols } = resolveText(text);
    const hints = derived.filter(({ layer }) => layer !== undefined);
    const letters = hints.map(({ layer, offset }) => [layer?.letter, text.slice(0, offset).split(/\b/).at(-2)]);
    expect(letters).toEqual([
      [undefined, '64'],
      ['w', 'true'],
      ['b', '4'],
      [undefined, '64'],
    ]);
    const [, w, b] = hints.map(({ layer }) => layer?.cost);
    expect(b?.forwardFlops).toBeGreaterThan(w?.forwardFlops ?? Infinity);
    const block = [...symbols.symbols.values()].find(({ name }) => name === 'block');
    expect(block?.detail).toBe('4 × transformer (w) and 2 × transformer (b)');
    expect(block?.shapes?.map(({ count }) => count)).toEqual([2, 1, 2, 1]);
  });
});

describe('what a pattern cannot be', () => {
  const wrong = (layer: string, more = '') => findings(model(layer, more) + rest());
  it.each([
    [
      `block[6] = pattern("wxb", ${shapes})`,
      'Expected letters that have a shape, such as `x = transformer(…)`, found `x` without one.',
    ],
    [`block[6] = pattern("ww", ${shapes})`, 'Expected a letter of "ww", found `b`.'],
    [
      `block[2] = pattern("wwb", ${shapes})`,
      'The pattern is 3 letters; it must be at most 2, as many as the array has layers.',
    ],
    [`block[6] = pattern(wwb, ${shapes})`, 'Unknown name "wwb".'],
    [
      `block[6] = pattern("", ${shapes})`,
      'Expected letters in quotes, such as `pattern("wwwb", w = …, b = …)`, found something else.',
    ],
    [
      `block[6] = pattern("w", w = transformer(hidden = 64, heads = 4), w = transformer(hidden = 64, heads = 4))`,
      '"w" is set twice',
    ],
    [`block[6] = pattern("w", w = pattern("w", w = transformer(hidden = 64, heads = 4)))`, 'found a pattern'],
    [`block[6] = pattern("w", wide = transformer(hidden = 64, heads = 4))`, 'Expected a letter for each shape'],
    [`block[6] = pattern("w", w = transformer(hidden = 64, heads = 5))`, 'heads'],
    [`block[6] = pattern("w", w = transformer(hidden = 64, heads = 4, cross = 8))`, 'need their array'],
    [`block[6] { shape = pattern("wb", ${shapes})  tokens = 64 }`, 'a pattern has layers of several shapes'],
    [`block[6] { shape = pattern("wb", ${shapes})  trainable = false }`, 'Write it in the model'],
  ])('%s', (layer, message) => {
    expect(wrong(layer).join('\n')).toContain(message);
  });

  it('widths of neighbours are compared', () => {
    const wide =
      'block[2] = pattern("wb", w = transformer(hidden = 64, heads = 4), b = transformer(hidden = 128, heads = 4))';
    expect(wrong(wide).join(' ')).toMatch(/block\[1\].*128|128.*block\[1\]/);
  });
});
