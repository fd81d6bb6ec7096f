import { describe, expect, it } from 'vitest';
import type { ModelDefinition } from '../../../engine/definitions/model.ts';
import { matrixOf } from '../../../engine/planning/exchange/matrix.ts';
import { analyse } from '../../support/analyse.ts';
import { planOf } from '../../support/resolve.ts';

/** Times are FLOPs: devices make one a second and move bytes at once. */
const file = (layers: string, pipeline: string) => `model m {
  sequence = 64  micro_batch = 2
  ${layers}
}
device gpu { memory = 1000000TiB  compute = 1FLOPS }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline p { model = m  devices = box  microbatches = 4  schedule = 1f1b  ${pipeline} }
`;
const planWith = (layers: string, pipeline = 'stages = balance(1)') => planOf(file(layers, pipeline));
const findingsOf = (layers: string, pipeline = 'stages = balance(1)') =>
  analyse(file(layers, pipeline))
    .findings.filter(({ severity }) => severity !== 'information' && severity !== 'hint')
    .map(({ code, message }) => `${code}: ${message}`);

const vision = 'transformer(hidden = 128, heads = 4, causal = false, flash = true, dropout = false)';
const block = 'transformer(hidden = 256, heads = 4, flash = true, dropout = false)';

describe('tokens of a layer', () => {
  it('replace the sequence of the model in FLOPs and bytes', () => {
    const [tower] = planWith(`layer vision { shape = ${vision}  tokens = 24 }`).stages;
    // 12·h² weights without biases; the core meets all 24 tokens of its image: 4·tokens·h each.
    expect(tower.forward).toBe(2 * 24 * (2 * 12 * 128 ** 2 + 4 * 24 * 128));
    const [whole] = planWith(`layer vision = ${vision}`).stages;
    expect(whole.forward).toBe(2 * 64 * (2 * 12 * 128 ** 2 + 4 * 64 * 128));
    expect(tower.activation / whole.activation).toBe(24 / 64);
    expect(tower.parameters).toBe(whole.parameters);
  });

  it('attend within their image: images multiply linearly', () => {
    const stage = (keys: string) => planWith(`layer vision { shape = ${vision}  ${keys} }`).stages[0];
    const [one, four] = [stage('tokens = 24'), stage('tokens = 24  images = 4')];
    expect(four.forward).toBe(4 * one.forward);
    expect(four.activation).toBe(4 * one.activation);
    expect(four.parameters).toBe(one.parameters);
    // All tokens as one sequence would meet four times as many keys.
    expect(stage('tokens = 96').forward - four.forward).toBe(2 * 96 * 4 * (96 - 24) * 128);
  });

  it('make the message to the next stage as large as the tower’s tokens × width', () => {
    const { edges } = planWith(
      `layer vision[2] { shape = ${vision}  tokens = 24  images = 3 }
       layer project { shape = linear(inputs = 512, outputs = 256)  tokens = 6  images = 3 }
       layer block[2] = ${block}`,
      'stages = split(2, 1, 2)',
    );
    expect(edges).toEqual([
      { from: 0, to: 1, bytes: 2 * 2 * 3 * 24 * 128 },
      { from: 1, to: 2, bytes: 2 * 2 * 3 * 6 * 256 },
    ]);
  });

  it('come with the layers of another model, and have the place of any expression', () => {
    const text = `let patches = 48 / 2
${file(`layer vision { shape = ${vision}  tokens = patches }`, 'stages = balance(1)').replace('model = m', 'model = other')}
model other { from = m  sequence = 32 }`;
    expect(planOf(text).stages[0].forward).toBe(
      planWith(`layer vision { shape = ${vision}  tokens = 24 }`).stages[0].forward,
    );
  });

  it('multiply the images of a convolution and the samples of a matrix', () => {
    const conv = 'conv2d(inputs = 3, outputs = 128, height = 28, kernel = 14, stride = 14, padding = 0)';
    const [stage] = planWith(`layer patches { shape = ${conv}  images = 3 }`).stages;
    expect(stage.forward).toBe(2 * 3 * (2 * 4 * 3 * 14 ** 2 * 128));
    const model: ModelDefinition = {
      ...{ name: 'm', sequence: 64, microBatch: 2, precision: 'bf16', elements: 1, after: new Map() },
      layerOf: Int32Array.of(0),
      layers: [
        {
          ...{
            name: 'map',
            array: false,
            count: 1,
            first: 0,
            symbol: '',
            place: { uri: '', start: 0, end: 0 },
            end: 0,
          },
          cost: { kind: 'shape', shape: 'linear', args: { inputs: 8, outputs: 4 }, tokens: 5, images: 3 },
        },
      ],
    };
    expect(matrixOf(model, 0, 7)).toEqual({ rows: 8, columns: 4, samples: 2 * 5 * 3 * 7 });
  });

  it('are cut by time: a balanced cut puts many small layers against few large ones', () => {
    const { stages } = planWith(
      `layer vision[48] { shape = ${vision}  tokens = 16 }
       layer block[4] = ${block}`,
      'stages = balance(4)',
    );
    // A block has 16 times the FLOPs of a layer of the tower in products, and more in its core.
    expect(Math.max(...stages.map(({ forward }) => forward))).toBeLessThan(
      1.5 * (stages.reduce((sum, { forward }) => sum + forward, 0) / 4),
    );
    expect(stages[0].layers.length).toBeGreaterThan(12);
  });
});

describe('tokens that mean nothing', () => {
  it.each([
    ['{ forward = 1ms  backward = 2ms  tokens = 4 }', 'tokens', 'measured times are of a whole microbatch'],
    ['{ forward = 1ms  backward = 2ms  images = 4 }', 'images', 'measured times are of a whole microbatch'],
    ['{ shape = matmul(rows = 4, inner = 4, columns = 4)  tokens = 4 }', 'tokens', 'its sizes as arguments'],
    ['{ shape = conv2d(inputs = 3, outputs = 8, height = 8)  tokens = 4 }', 'tokens', 'works on pixels'],
    ['{ shape = custom(flops = 1GFLOP)  tokens = 4 }', 'tokens', 'the costs of a whole microbatch'],
    ['{ shape = linear(inputs = 4, outputs = 4, tokens = 8)  images = 4 }', 'images', 'of a whole microbatch'],
  ])('layer x %s: %s has no effect', (layer, key, reason) => {
    const found = findingsOf(`layer x ${layer}`);
    expect(found.filter((each) => each.startsWith('key/not-applicable'))).toHaveLength(1);
    expect(found[0]).toContain(`"${key}"`);
    expect(found[0]).toContain(reason);
  });

  it('are errors with their figures', () => {
    expect(findingsOf(`layer x { shape = ${vision}  images = 4 }`)).toEqual([
      expect.stringMatching(/^key\/missing: .*tokens/),
    ]);
    expect(findingsOf(`layer x { shape = ${vision}  tokens = 0 }`)).toEqual([expect.stringMatching(/at least 1/)]);
    expect(findingsOf(`layer x { shape = ${vision}  tokens = 577 }`, 'stages = balance(1)  context = 2')).toEqual([
      expect.stringContaining('a divisor of the 577 tokens of layer "x"'),
    ]);
  });
});
