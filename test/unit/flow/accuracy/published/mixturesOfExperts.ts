/**
 * Mixtures of experts: "Performance Summary" of Megatron Bridge (containers 26.04.01, 25.11 and 25.09) and of NeMo 25.02 and 25.04, the guide
 * of Megatron Core 0.9 (`core/transformer/moe/README.md`), and DeepSeek-V3 (arXiv:2412.19437, table 1).
 */
import type { Family, Run } from './run.ts';

const run = (
  [name, setting, pipeline]: readonly [string, string, string],
  measured: number,
  file = 'mixtures_of_experts.pipe',
): Run => ({
  name,
  setting,
  file,
  pipeline,
  measured,
  predict: ({ tokens }) => tokens?.per_second_per_gpu ?? Number.NaN,
});

/**
 * Megatron Core publishes 468 TFLOP/s. FLOPs of a token of Mixtral 8x7B as it counts them (`num_floating_point_operations`): 12·L·h² times
 * queries, keys and values, the whole core, two gated experts, and the head.
 */
const [layers, hidden, tokens] = [32, 4096, 4096];
const share = 1 + 8 / 32 + tokens / hidden + (3 / 2) * 2 * (14336 / hidden) + 32000 / (2 * hidden * layers);
const mixtralRate = 468e12 / (12 * layers * hidden ** 2 * share);

/** 2.664 million hours of H800s for 14.8 trillion tokens. */
const deepseekRate = 14.8e12 / (2.664e6 * 3600);

export const mixturesOfExperts: Family = {
  name: 'mixtures_of_experts',
  title: 'Mixtures of experts, tokens per second',
  unit: 'tokens per second and GPU',
  digits: 0,
  runs: [
    run(['Mixtral 8x7B, bf16', '64 H100, pipeline 4, data 16, expert 8', 'h100_8x7b'], mixtralRate),
    run(['Mixtral 8x7B, fp8', '64 B200, data 64, expert 8', 'b200_8x7b'], 15457),
    run(['Mixtral 8x7B, fp8', '64 GB200, data 64, expert 8', 'gb200_8x7b'], 19275),
    run(
      ['Mixtral 8x22B, fp8, 65536 tokens', '256 B200, tensor 2, pipeline 4, context 8, data 4, expert 8', 'b200_8x22b'],
      2232,
    ),
    run(
      [
        'Mixtral 8x22B, fp8, 65536 tokens',
        '256 GB200, tensor 2, pipeline 4, context 8, data 4, expert 8',
        'gb200_8x22b',
      ],
      2731,
    ),
    run(['Qwen3 30B-A3B, fp8', '16 H100, data 16, expert 16', 'h100_30b'], 8960),
    run(['Qwen3 30B-A3B, fp8', '8 B200, data 8, expert 8', 'b200_30b'], 27136),
    run(['Qwen3 30B-A3B, fp8', '8 GB200, data 8, expert 8', 'gb200_30b'], 26112),
    run(['Qwen3 235B-A22B, fp8', '256 H100, tensor 2, pipeline 8, data 16, expert 32', 'h100_235b'], 1712),
    run(['Qwen3 235B-A22B, fp8', '256 B200, pipeline 8, data 32, expert 8', 'b200_235b'], 3776),
    run(['Qwen3 235B-A22B, fp8', '256 GB200, pipeline 8, data 32, expert 32', 'gb200_235b'], 5680),
    run(['GPT-OSS 120B, bf16', '64 H100, pipeline 4, data 16, expert 8', 'h100_120b'], 5824),
    run(['GPT-OSS 120B, bf16', '64 B200, data 64, expert 8', 'b200_120b'], 13568),
    {
      ...run(['GPT-OSS 120B, bf16', '64 GB200, data 64, expert 64', 'gb200_120b'], 16640),
      reason:
        'The kernels of its experts were not fused, and the host waited for them: without both it was 93 % faster (NVIDIA, *Boosting MoE Training Throughput with Advanced Fusion Kernels*, June 2026).',
    },
    run(['DeepSeek-V3, fp8', '1024 H100, tensor 2, pipeline 8, data 64, expert 64', 'h100_671b'], 1297),
    run(['DeepSeek-V3, fp8', '256 B200, pipeline 8, data 32, expert 32', 'b200_671b'], 3328),
    run(['DeepSeek-V3, fp8', '256 GB200, pipeline 4, data 64, expert 64', 'gb200_671b'], 4256),
    run(['DeepSeek-V3 without MTP, bf16', '256 GB200, pipeline 4, data 64, expert 64', 'gb200_671b_bf16'], 3139),
    run(
      ['DeepSeek-V3, fp8, its authors', '2048 H800, pipeline 16, data 128, expert 64', 'as_published'],
      deepseekRate,
      '../deepseek-v3.pipe',
    ),
  ],
};
