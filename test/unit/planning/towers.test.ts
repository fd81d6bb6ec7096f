import { describe, expect, it, test } from 'vitest';
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
    .findings.filter(
      ({ severity, code }) => severity === 'error' || code.startsWith('layer/') || code.startsWith('key/'),
    )
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

describe('schedules that cut sequences into segments', () => {
  const schedule = 'stages = balance(1)  schedule = seq1f1b(segments = 2)';
  const found = (layers: string) =>
    analyse(file(layers, schedule).replace('schedule = 1f1b', ''))
      .findings.filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
  it('run no layer with other tokens, and none that attends to another tower', () => {
    expect(found(`layer a = ${block}`)).toEqual([]);
    expect(found(`layer vision { shape = ${vision}  tokens = 24 }`)).toEqual([
      expect.stringContaining('seq1f1b, which cuts them into segments: layer "vision" works on 24 other tokens'),
    ]);
    const crossing = block.replace(')', ', cross = 64)');
    expect(found(`layer a = ${block}\n layer b { shape = ${crossing}  attends = a }`)).toEqual([
      expect.stringContaining('layer "b" attends to another tower'),
    ]);
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

describe('layers that attend to another tower', () => {
  const encoder = 'transformer(hidden = 128, heads = 4, causal = false, flash = true, dropout = false)';
  const decoder = (more = '') =>
    `transformer(hidden = 256, heads = 4, flash = true, dropout = false, cross = 24, cross_hidden = 128${more})`;
  const layers = `layer encoder[2] { shape = ${encoder}  tokens = 24 }
    layer target { shape = embedding(vocab = 1000, hidden = 256, dropout = false)  after = [] }
    layer decoder[4] { shape = ${decoder()}  attends = encoder }`;

  it('get the tokens of the encoder in every stage, and send their gradients back', () => {
    const { edges } = planWith(layers, 'stages = split(2, 2, 2, 1)');
    const [tokens, own] = [2 * 2 * 24 * 128, 2 * 2 * 64 * 256];
    expect(edges).toEqual([
      { from: 0, to: 1, bytes: tokens },
      { from: 0, to: 2, bytes: tokens },
      { from: 0, to: 3, bytes: tokens },
      { from: 1, to: 2, bytes: own },
      { from: 2, to: 3, bytes: own },
    ]);
  });

  it('need no gradient of a frozen encoder', () => {
    const { edges } = planWith(
      layers.replace('tokens = 24 }', 'tokens = 24  trainable = false }'),
      'stages = split(2, 3, 2)',
    );
    expect(edges.map(({ from, to, forwardOnly = false }) => [from, to, forwardOnly])).toEqual([
      [0, 1, true],
      [0, 2, true],
      [1, 2, false],
    ]);
  });

  it('run no input gradient of keys and values if nothing of the encoder trains', () => {
    // Samples × layers of a stage × tokens of the encoder × products of keys and of values.
    const keysAndValues = (count: number) => 2 * count * 24 * 2 * (2 * 128 * 256);
    const stage = (text: string) => planWith(text, 'stages = split(2, 3, 2)').stages[2];
    const trained = stage(layers);
    const frozen = stage(layers.replace('tokens = 24 }', 'tokens = 24  trainable = false }'));
    expect(trained.backwardInput - frozen.backwardInput).toBe(keysAndValues(2));
    expect(frozen.backwardWeight).toBe(trained.backwardWeight);
    expect(frozen.backwardFlops).toBe(2 * trained.forwardFlops - keysAndValues(2));
    // One layer of the encoder trains: its output has a gradient.
    const split = layers.replace('encoder[2]', 'first').replace('attends = encoder', 'attends = last');
    const half = split.replace(
      'tokens = 24 }',
      `tokens = 24 }\n layer last { shape = ${encoder}  tokens = 24  trainable = false }`,
    );
    expect(stage(half).backwardInput).toBe(trained.backwardInput);
  });

  it('hold the tokens once in a stage, and count all parts', () => {
    const held = (count: number) => planWith(layers, `stages = split(2, ${5 - count}, ${count})`).stages[2].activation;
    const tokens = 2 * 2 * 24 * 128;
    expect(held(2)).toBe(2 * held(1) - tokens);
    expect(held(3)).toBe(3 * held(1) - 2 * tokens);
    const [, , whole] = planWith(layers, 'stages = split(2, 2, 3)  recompute = full').stages;
    expect(whole.activation).toBe(3 * 2 * 2 * 64 * 256 + tokens);
    const [, , group] = planWith(
      layers,
      'stages = split(2, 2, 3)  recompute = full(layers = 3, method = uniform)',
    ).stages;
    expect(group.activation).toBe(2 * 2 * 64 * 256 + tokens);
    expect(group.recomputed).toBe(3 * whole.recomputed + 2 * 2 * 2 * 64 * 256);
  });

  it('hold nothing where nothing trains', () => {
    const frozen = layers
      .replace('tokens = 24 }', 'tokens = 24  trainable = false }')
      .replace('after = [] }', 'after = []  trainable = false }')
      .replace('attends = encoder', 'attends = encoder  trainable = false');
    const { stages } = planWith(`${frozen}\n layer head = ${block}`, 'stages = split(2, 5, 1)');
    expect(stages[1].activation).toBe(0);
  });

  it('come with the layers of another model', () => {
    const text = `${file(layers, 'stages = split(2, 3, 2)').replace('model = m', 'model = other')}
model other { from = m }`;
    expect(planOf(text).edges).toEqual(planWith(layers, 'stages = split(2, 3, 2)').edges);
  });

  it('attend to all images of their sample, or each to its own', () => {
    const of = (encoders: string, decoders: string, cross: number) =>
      findingsOf(
        layers
          .replace('tokens = 24 ', `tokens = 24 ${encoders} `)
          .replace('cross = 24', `cross = ${cross}`)
          .replace('attends = encoder', `attends = encoder ${decoders}`),
      );
    expect(of('images = 3', '', 72)).toEqual([]);
    expect(of('images = 3', 'tokens = 64  images = 3', 24)).toEqual([]);
    expect(of('images = 3', 'tokens = 64  images = 3', 72)).toEqual([expect.stringContaining('has 24 tokens')]);
  });

  it.each([
    'layer other = linear(inputs = 8, outputs = 128, tokens = 99)',
    'layer other = conv2d(inputs = 3, outputs = 64, height = 8)',
    'layer other { forward = 1ms  backward = 2ms  output = 1MiB }',
  ])('believe `cross` where the tokens are not known: %s', (other) => {
    expect(findingsOf(`${other}\n layer x { shape = ${decoder()}  attends = other }`)).toEqual([]);
  });

  it('of another model must match too, if its sequence changes', () => {
    const text = (sequence: number) => `${file(
      `layer encoder = ${encoder}\n layer x { shape = ${decoder().replace('24', '64')}  attends = encoder }`,
      'stages = balance(1)',
    ).replace('model = m', 'model = other')}
model other { from = m  sequence = ${sequence} }`;
    expect(planOf(text(64)).stages).toHaveLength(1);
    expect(() => planOf(text(32))).toThrow('`cross = 64`, and encoder has 32 tokens');
  });

  it.each([
    ['attends = encoder', '', 'key/missing: .*attends'],
    ['cross = 24, ', 'cross = 25, ', '`cross = 25`, and encoder\\[1\\] has 24 tokens'],
    ['tokens = 24 ', 'tokens = 24  images = 2 ', 'has 48 tokens'],
    ['cross_hidden = 128', 'cross_hidden = 64', 'tokens 64 wide for keys and values, and encoder\\[1\\] is 128 wide'],
    [', cross_hidden = 128', '', 'tokens 256 wide for keys and values'],
    ['attends = encoder', 'attends = encodr', 'Unknown layer "encodr"'],
  ])('with %s replaced by "%s" are an error', (from, to, message) => {
    expect(findingsOf(layers.replace(from, to))).toEqual([expect.stringMatching(message)]);
  });

  it('in the short form need braces, and without `cross` attend to nothing', () => {
    expect(findingsOf(`layer x = ${block}\n layer y = ${decoder()}`)).toEqual([
      expect.stringMatching(/^key\/missing: .*attends/),
    ]);
    expect(findingsOf(`layer x = ${block}\n layer y { shape = ${block}  attends = x }`)).toEqual([
      expect.stringMatching(/^key\/not-applicable: .*no `cross`/),
    ]);
  });
});

test('patches read pixels: behind layers that do not train they have no input gradient', () => {
  const patches = 'patch_embedding(patch = 14, hidden = 128)';
  const { stages } = planWith(
    `layer a { shape = embedding(vocab = 100, hidden = 128)  trainable = false }
     layer b { shape = ${patches}  tokens = 16 }`,
  );
  expect(stages[0].backwardInput).toBe(0);
  expect(stages[0].backwardWeight).toBe(stages[0].forward);
});

describe('two embeddings', () => {
  const [vocab, hidden] = [1000, 128];
  const embedding = (more = '') => `embedding(vocab = ${vocab}, hidden = ${hidden}, dropout = false${more})`;
  const narrow = 'transformer(hidden = 128, heads = 4, flash = true, dropout = false)';
  const layers = (more: string) => `layer first = ${embedding()}
    layer a = ${narrow}
    layer second { shape = ${embedding(more)}  after = [] }
    layer b { shape = ${narrow}  after = [a, second] }`;
  const matrix = vocab * hidden;
  it('have two matrices, or one where the second is tied', () => {
    const parameters = (more: string, stages = 'stages = balance(1)') => planWith(layers(more), stages).stages;
    const [[apart], [tied]] = [parameters(''), parameters(', tied = true')];
    expect(apart.parameters - tied.parameters).toBe(matrix);
    expect(apart.weights - tied.weights).toBe(2 * matrix);
  });
  it('train both, or neither, where they are tied', () => {
    expect(findingsOf(layers(', tied = true').replace('after = []', 'after = []  trainable = false'))).toEqual([
      expect.stringContaining('an embedding tied to it that both train'),
    ]);
    expect(findingsOf(layers('').replace('after = []', 'after = []  trainable = false'))).toEqual([]);
  });
  it('on two stages reduce the gradient of their matrix only where it is tied', () => {
    const steps = (more: string) => planWith(layers(more), 'stages = split(2, 2)').step.map(({ sync }) => sync);
    expect(steps('')).toEqual([0, 0]);
    // A ring of two over all of the matrix.
    for (const sync of steps(', tied = true')) expect(sync).toBeCloseTo((2 * matrix) / 100e9, 12);
    const [, second] = planWith(layers(', tied = true'), 'stages = split(2, 2)').stages;
    expect(second.weights).toBe(planWith(layers(''), 'stages = split(2, 2)').stages[1].weights);
  });
});
