/** torchtitan, `benchmarks/llama3_h100_202412_torchtitan.md` and `benchmarks/asyncTP_llama3_h100_2025-06_torchtitan.md`. */
import type { Family, Run } from './run.ts';

const run = (
  [name, setting, pipeline]: readonly [string, string, string],
  gpus: number,
  measured: number,
  [tokens, context]: readonly [number, number] = [8192, 1],
): Run => ({
  name,
  setting: `${gpus} H100, ${setting}`,
  file: 'torchtitan.pipe',
  pipeline,
  ...(pipeline.startsWith('context') ? { sliders: { tokens, context } } : {}),
  measured,
  predict: ({ throughput }) => (throughput * tokens) / gpus,
});

const long = (name: string, pipeline: string, gpus: number, measured: readonly number[]): readonly Run[] =>
  measured.map((figure, index) => {
    const [tokens, context] = [32768 * 2 ** index, 2 ** index];
    return run([name, `fp8, context ${context}, ${tokens} tokens`, pipeline], gpus, figure, [tokens, context]);
  });

export const torchtitan: Family = {
  name: 'torchtitan',
  title: 'torchtitan on H100s of 500 W',
  unit: 'tokens per second and GPU',
  digits: 0,
  runs: [
    run(['8B', 'FSDP', 'fsdp_8'], 8, 6667),
    run(['8B', 'FSDP, fp8', 'fsdp_8_fp8'], 8, 8532),
    run(['8B', 'FSDP', 'fsdp_128'], 128, 6514),
    run(['8B', 'FSDP, fp8', 'fsdp_128_fp8'], 128, 8380),
    run(['8B', 'tensor 8', 'tensor_64'], 64, 4378),
    run(['8B', 'asynchronous tensor 8', 'tensor_64_async'], 64, 4809.4),
    run(['70B', 'tensor 8, all recomputed', 'tensor_256'], 256, 597.3),
    run(['70B', 'asynchronous tensor 8, all recomputed', 'tensor_256_async'], 256, 652.4),
    run(['70B', 'tensor 8, fp8, all recomputed', 'tensor_256_fp8'], 256, 809.8),
    ...long('8B', 'context_8', 8, [3890, 2540, 1071, 548]),
    ...long('405B', 'context_512', 512, [76, 47, 31, 16]),
  ],
};
