import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { layer, near, run } from './run.ts';

/** Bytes of a parameter: weights, gradients, optimizer state (arXiv:1910.02054, section 3.1; Megatron-LM, dist_optimizer). */
const recipes: readonly (readonly [string, number, number, number])[] = [
  ['adam', 4, 4, 8],
  ['adamw', 4, 4, 8],
  ['adam_mixed', 2, 2, 12],
  ['megatron_bf16', 2, 4, 12],
  // And 4 while weights are updated.
  ['megatron_fp16', 2, 2, 12],
  ['momentum', 4, 4, 4],
  ['sgd', 4, 4, 0],
  ['momentum_mixed', 2, 2, 8],
  ['megatron_sgd', 2, 4, 8],
  ['adam_bf16', 2, 2, 4],
  ['custom(weight = 3, gradient = 5, state = 7)', 3, 5, 7],
];
/** What each shard splits: weights, gradients, state. */
const shards: readonly (readonly [string, boolean, boolean, boolean])[] = [
  ['none', false, false, false],
  ['zero1', false, false, true],
  ['distributed', false, false, true],
  ['zero2', false, true, true],
  ['zero3', true, true, true],
  ['fsdp', true, true, true],
];
const withShard = (recipe: string, shard: string, more = ''): string =>
  recipe.endsWith(')') ? recipe.replace(')', `, shard = ${shard}${more})`) : `${recipe}(shard = ${shard}${more})`;

/** Ranks of a stage; e expert ranks among them, tensor ranks split experts or hold whole ones. */
const meshes = fc
  .record({
    t: fc.constantFrom(1, 2),
    c: fc.constantFrom(1, 2),
    d: fc.constantFrom(1, 2, 3, 4),
    e: fc.constantFrom(1, 2, 3, 4),
    whole: fc.boolean(),
    p: fc.constantFrom(1, 2),
  })
  .map(({ whole, ...one }) => ({ ...one, etp: whole ? 1 : one.t }))
  .filter(({ t, c, d, e, etp }) => ((t * c * d) / etp) % e === 0);

const [h, a, kv, fe, E] = [32, 4, 2, 12, 12];
/** Layers of a stage with experts: on one device h·(2a + 2kv)·hd/t, norms and router whole, and E/e experts, 1/etp of each. */
function parametersOf({ t, e, etp }: { readonly t: number; readonly e: number; readonly etp: number }) {
  const dense = (h * (2 * a + 2 * kv) * (h / a)) / t + 2 * h + h * E;
  return { dense, experts: ((E / e) * 3 * h * fe) / etp };
}
const blocks = (count: number): string =>
  layer(`block[${count}]`, 'transformer', {
    ...{ hidden: h, heads: a, kv_heads: kv, gated: true, bias: false, norm: 'rmsnorm', flash: true, dropout: false },
    ...{ experts: E, experts_per_token: 2, expert_ffn: fe },
  });
type Mesh = Readonly<Record<'t' | 'c' | 'd' | 'e' | 'etp' | 'p', number>>;
const devicesOf = ({ t, c, d, e, etp, p }: Mesh, layers: number, optimizer: string) =>
  run({
    model: { sequence: 16 },
    layers: [blocks(layers * p)],
    devices: t * c * d * p,
    pipeline: {
      ...{ microbatches: 2, stages: `balance(${p})`, schedule: '1f1b', optimizer, tensor: t, context: c, data: d },
      ...{ expert: e, expert_tensor: etp },
      ...(t > 1 ? { sequence_parallel: true } : {}),
    },
  }).report.devices;

describe('weights, gradients and state of a stage', () => {
  test.each(recipes.flatMap((recipe) => shards.map((shard) => [...recipe, ...shard] as const)))(
    '%s (%d + %d + %d) with shard = %s',
    (recipe, weight, gradient, state, shard, splitsWeights, splitsGradients, splitsState) => {
      fc.assert(
        fc.property(meshes, (mesh) => {
          const { t, c, d, e, etp } = mesh;
          const { dense, experts } = parametersOf(mesh);
          const n = 2;
          // Shares of dense parameters over d·c ranks, of experts over those that hold the same: t·c·d / (etp·e).
          const split = n * (dense / (d * c) + experts / ((t * c * d) / (etp * e)));
          const whole = n * (dense + experts);
          for (const { memory } of devicesOf(mesh, n, withShard(recipe, shard))) {
            const expected = [
              weight * (splitsWeights ? split : whole),
              gradient * (splitsGradients ? split : whole),
              state * (splitsState ? split : whole),
            ];
            const found = [memory.weights, memory.gradients, memory.optimizer];
            for (const [index, bytes] of expected.entries())
              expect(found[index]).toSatisfy((value: number) => near(value, bytes));
          }
        }),
        { numRuns: 8 },
      );
    },
  );

  // Bytes of a parameter in all, for d ranks: the closed forms as they are published.
  test.each([
    ['adam', 'zero1', (d: number) => 8 + 8 / d],
    ['adam_mixed', 'zero1', (d: number) => 4 + 12 / d],
    ['megatron_bf16', 'distributed', (d: number) => 6 + 12 / d],
    ['megatron_fp16', 'distributed', (d: number) => 4 + 12 / d],
    ['adam_mixed', 'zero2', (d: number) => 2 + 14 / d],
    ['adam_mixed', 'zero3', (d: number) => 16 / d],
    ['megatron_bf16', 'none', () => 18],
    ['megatron_fp16', 'none', () => 16],
    ['momentum', 'none', () => 12],
    ['sgd', 'none', () => 8],
    ['adam_bf16', 'none', () => 8],
  ] as const)('%s with %s over d ranks', (recipe, shard, closed) => {
    for (const d of [1, 2, 8, 64]) {
      const devices = devicesOf({ t: 1, c: 1, d, e: 1, etp: 1, p: 1 }, 1, withShard(recipe, shard));
      const { dense, experts } = parametersOf({ t: 1, e: 1, etp: 1 });
      const { weights, gradients, optimizer } = devices[0].memory;
      expect((weights + gradients + optimizer) / (dense + experts)).toBeCloseTo(closed(d), 9);
    }
  });

  test('hybrid sharding: shard groups of `over` ranks in place of all', () => {
    for (const [d, over] of [
      [8, 4],
      [6, 2],
      [4, 4],
    ]) {
      const mesh = { t: 1, c: 1, d, e: 1, etp: 1, p: 1 };
      const [{ memory }] = devicesOf(mesh, 1, withShard('megatron_bf16', 'zero3', `, over = ${over}`));
      const { dense, experts } = parametersOf(mesh);
      const sum = memory.weights + memory.gradients + memory.optimizer;
      expect(sum).toBeCloseTo((18 * (dense + experts)) / over, 6);
    }
  });
});

describe('beyond the shards, while a pass runs', () => {
  const [bf16, fp32] = [2, 4];
  /** Of layers of Ψ parameters, in a backward: weights of two, and gradients of the layer and of the one that is scattered. */
  test.each([
    ['zero3', 2 * bf16 + 2 * fp32],
    ['fsdp', 2 * bf16 + 2 * fp32],
    ['zero2', 2 * fp32],
  ])('%s: %d bytes a parameter of one layer (arXiv:2304.11277, sections 3.3.2 and 3.4)', (shard, bytes) => {
    for (const layers of [1, 2, 3, 5]) {
      const mesh = { t: 1, c: 1, d: 4, e: 1, etp: 1, p: 1 };
      const [{ memory }] = devicesOf(mesh, layers, withShard('megatron_bf16', shard));
      const { dense, experts } = parametersOf(mesh);
      // Of one layer nothing is fetched ahead or scattered; of two, the second is scattered once none is fetched any more.
      const fewer = { 1: shard === 'zero2' ? fp32 : bf16 + fp32, 2: shard === 'zero2' ? 2 * fp32 : bf16 + 2 * fp32 };
      const expected = layers === 1 || layers === 2 ? fewer[layers] : bytes;
      expect(memory.workspace).toBeCloseTo(expected * (dense + experts), 3);
    }
  });

  test('without resharding all weights of the stage in 16 bits and all its gradients, from first to last', () => {
    const mesh = { t: 1, c: 1, d: 4, e: 1, etp: 1, p: 1 };
    const [{ memory }] = devicesOf(mesh, 5, withShard('megatron_bf16', 'zero3', ', reshard = false'));
    const { dense, experts } = parametersOf(mesh);
    const all = 5 * (dense + experts);
    expect(memory.weights).toBeCloseTo((2 + 2 / 4) * all, 3);
    expect(memory.gradients).toBeCloseTo((4 + 4 / 4) * all, 3);
    expect(memory.workspace).toBe(0);
  });
});
