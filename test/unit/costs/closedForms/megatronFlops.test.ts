/**
 * FLOPs of an iteration as Megatron-LM logs them (`num_floating_point_operations` in megatron/training/training.py),
 * worked out here from its rules: every product three times, two FLOPs for each weight and token; half of a causal core; SwiGLU
 * counts three matrices; a depth of multi-token prediction is one more layer of the kind of the last, a projection, and logits.
 */
import { describe, expect, test } from 'vitest';
import { layer, near, run } from './run.ts';

interface Configuration {
  readonly name: string;
  readonly layers: number;
  readonly h: number;
  readonly f: number;
  readonly heads: number;
  readonly groups: number;
  readonly kvChannels: number;
  readonly vocab: number;
  readonly s: number;
  readonly swiglu: boolean;
  readonly latent?: {
    readonly q: number;
    readonly kv: number;
    readonly nope: number;
    readonly rope: number;
    readonly v: number;
  };
  readonly experts?: {
    readonly count: number;
    readonly topk: number;
    readonly width: number;
    readonly shared: number;
    readonly dense: number;
  };
  readonly depths?: number;
}

/** Of `batch` samples. `apart` is what it counts that no product of the model is: norms, as if each were a weight. */
function logged(configuration: Configuration, batch: number): { readonly total: number; readonly apart: number } {
  const { layers, h, f, heads, groups, kvChannels, vocab, s, swiglu, latent, experts, depths = 0 } = configuration;
  const matrices = swiglu ? 3 : 2;
  const moe = experts === undefined ? 0 : layers - experts.dense + depths;
  const all = layers + depths;
  let norms = depths * 3 * h;
  let attention: number;
  if (latent === undefined) {
    const query = kvChannels * heads;
    attention = h * (query + 2 * kvChannels * groups) + query * s + query * h;
  } else {
    const { q, kv, nope, rope, v } = latent;
    attention =
      q * (h + heads * (nope + rope)) +
      kv * (h + heads * (nope + v)) +
      h * rope +
      heads * v * h +
      (s * heads * (nope + rope + v)) / 2;
    norms += all * (q + kv);
  }
  const mlp =
    (all - moe) * h * f * matrices +
    (experts === undefined ? 0 : moe * h * matrices * (experts.topk + experts.shared) * experts.width);
  const products = mlp + all * attention + depths * 2 * h * h + (depths + 1) * h * vocab;
  return { total: 6 * batch * s * (products + norms), apart: 6 * batch * s * norms };
}

const gpt = { groups: 96, swiglu: false };
const configurations: readonly Configuration[] = [
  { name: 'GPT-3 175B', layers: 96, h: 12288, f: 49152, heads: 96, kvChannels: 128, vocab: 51200, s: 2048, ...gpt },
  {
    ...{ name: 'Llama-3 8B', layers: 32, h: 4096, f: 14336, heads: 32, groups: 8, kvChannels: 128 },
    ...{ vocab: 128256, s: 8192, swiglu: true },
  },
  {
    ...{ name: 'Llama-3 70B', layers: 80, h: 8192, f: 28672, heads: 64, groups: 8, kvChannels: 128 },
    ...{ vocab: 128256, s: 4096, swiglu: true },
  },
  {
    ...{ name: 'Qwen3 32B: heads wider than hidden', layers: 64, h: 5120, f: 25600, heads: 64, groups: 8 },
    ...{ kvChannels: 128, vocab: 151936, s: 4096, swiglu: true },
  },
  {
    ...{ name: 'Mixtral 8x7B', layers: 32, h: 4096, f: 14336, heads: 32, groups: 8, kvChannels: 128 },
    ...{ vocab: 32000, s: 4096, swiglu: true },
    experts: { count: 8, topk: 2, width: 14336, shared: 0, dense: 0 },
  },
  {
    ...{ name: 'DeepSeek-V3 with one depth of prediction', layers: 61, h: 7168, f: 18432, heads: 128, groups: 128 },
    ...{ kvChannels: 128, vocab: 129280, s: 4096, swiglu: true, depths: 1 },
    latent: { q: 1536, kv: 512, nope: 128, rope: 64, v: 128 },
    experts: { count: 256, topk: 8, width: 2048, shared: 1, dense: 3 },
  },
];

function textOf(configuration: Configuration): readonly string[] {
  const { layers, h, f, heads, groups, kvChannels, vocab, swiglu, latent, experts, depths = 0 } = configuration;
  const attention: Readonly<Record<string, number>> =
    latent === undefined
      ? { kv_heads: groups, head_dim: kvChannels }
      : {
          ...{ kv_lora_rank: latent.kv, q_lora_rank: latent.q, qk_nope_head_dim: latent.nope },
          ...{ qk_rope_head_dim: latent.rope, v_head_dim: latent.v },
        };
  const dense = { hidden: h, heads, ffn: f, gated: swiglu, bias: false, ...attention };
  const mixed =
    experts === undefined
      ? dense
      : {
          ...dense,
          ...{ experts: experts.count, experts_per_token: experts.topk, expert_ffn: experts.width },
          shared_experts: experts.shared,
        };
  const first = experts?.dense ?? 0;
  return [
    layer('embed', 'embedding', { vocab, hidden: h }),
    ...(first > 0 ? [layer(`dense[${first}]`, 'transformer', dense)] : []),
    layer(`block[${layers - first}]`, 'transformer', mixed),
    ...(depths > 0 ? [layer(`mtp[${depths}]`, 'mtp', { vocab, ...mixed })] : []),
    layer('head', 'lm_head', { vocab, hidden: h, norm: 'rmsnorm' }),
  ];
}

describe.each(configurations)('$name', (configuration) => {
  test.each([
    ['one device', 1, 1, 1],
    ['four stages', 4, 1, 1],
    ['two stages of 2 tensor and 2 context ranks', 2, 2, 2],
  ] as const)('on %s', (_name, p, t, c) => {
    const [m, b] = [3, 2];
    const { plan, report } = run({
      model: { sequence: configuration.s, micro_batch: b },
      layers: textOf(configuration),
      devices: p * t * c,
      pipeline: {
        ...{ microbatches: m, stages: `balance(${p})`, schedule: '1f1b', tensor: t, context: c },
        ...(t > 1 ? { sequence_parallel: true } : {}),
      },
    });
    const { total, apart } = logged(configuration, m * b);
    // Routers are products too, which Megatron-LM leaves out.
    const layersOfExperts =
      configuration.experts === undefined
        ? 0
        : configuration.layers - configuration.experts.dense + (configuration.depths ?? 0);
    const routers =
      6 * m * b * configuration.s * layersOfExperts * configuration.h * (configuration.experts?.count ?? 0);
    const forward = plan.stages.reduce((sum, stage) => sum + stage.forwardFlops, 0);
    expect(3 * m * forward * t * c).toSatisfy((found: number) => near(found, total - apart + routers));
    // As times on a device of one FLOP a second: a forward, and twice that in the backward.
    const seconds = report.stages.reduce(
      (sum, stage) => sum + stage.forward + stage.backward_input + stage.backward_weight,
      0,
    );
    expect(m * seconds * t * c).toSatisfy((found: number) => near(found, total - apart + routers));
    // What the two count apart is small.
    expect(Math.max(apart, routers) / total).toBeLessThan(0.006);
  });
});
