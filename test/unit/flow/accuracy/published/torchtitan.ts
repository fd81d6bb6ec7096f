/**
 * torchtitan: `benchmarks/llama3_h100_202412_torchtitan.md`, `benchmarks/asyncTP_llama3_h100_2025-06_torchtitan.md`,
 * `benchmarks/llama3-8b_h200_202506_trainy-whitefiber.md`, and `docs/performance.md` of December 2024.
 */
import { type Family, highestPeak, type Run } from './run.ts';

/** Tokens of a second and GPU, and GiB that the allocator of the fullest GPU reserved. */
interface Row {
  readonly name: string;
  readonly setting: string;
  readonly pipeline: string;
  readonly gpus: number;
  readonly rate?: number;
  readonly peak?: number;
  readonly tokens?: number;
  readonly context?: number;
}

const long = (
  name: string,
  setting: string,
  pipeline: string,
  gpus: number,
  figures: readonly (readonly [rate: number, peak: number])[],
): readonly Row[] =>
  figures.map(([rate, peak], index) => {
    const [tokens, context] = [32768 * 2 ** index, 2 ** index];
    return {
      name,
      setting: `${gpus} H100, ${setting}, context ${context}, ${tokens} tokens`,
      pipeline,
      gpus,
      rate,
      peak,
      tokens,
      context,
    };
  });

const row = (
  [name, setting, pipeline]: readonly [string, string, string],
  gpus: number,
  rate: number | undefined,
  peak?: number,
): Row => ({
  name,
  setting: `${gpus} ${setting}`,
  pipeline,
  gpus,
  ...(rate === undefined ? {} : { rate }),
  ...(peak === undefined ? {} : { peak }),
});

const rows: readonly Row[] = [
  row(['8B', 'H100, FSDP, not compiled', 'fsdp_8'], 8, 5762, 82.4),
  row(['8B', 'H100, FSDP', 'fsdp_8'], 8, 6667, 77),
  row(['8B', 'H100, FSDP, fp8', 'fsdp_8_fp8'], 8, 8532, 76.8),
  row(['8B', 'H100, FSDP, not compiled', 'fsdp_128'], 128, 5605, 67),
  row(['8B', 'H100, FSDP', 'fsdp_128'], 128, 6514, 62),
  row(['8B', 'H100, FSDP, fp8', 'fsdp_128_fp8'], 128, 8380, 61.8),
  row(['8B', 'H200, FSDP, fp8', 'h200_32'], 32, 10938, 47.96),
  row(['8B', 'H200, FSDP, fp8', 'h200_64'], 64, 10753, 46.97),
  row(['8B', 'A100, FSDP', 'a100_operations'], 64, 2973),
  row(['8B', 'A100, FSDP, every other layer recomputed', 'a100_layers'], 64, 2904),
  row(['70B', 'A100, FSDP, all recomputed', 'a100_full'], 64, 331),
  row(['8B', 'H100, tensor 8', 'tensor_64'], 64, 4378),
  row(['8B', 'H100, asynchronous tensor 8', 'tensor_64_async'], 64, 4809.4),
  row(['8B', 'H100, tensor 8, fp8', 'tensor_64_fp8'], 64, 5078.1),
  row(['8B', 'H100, asynchronous tensor 8, fp8', 'tensor_64_fp8_async'], 64, 5570.1),
  row(['70B', 'H100, tensor 8', 'tensor_256'], 256, 597.3),
  row(['70B', 'H100, asynchronous tensor 8', 'tensor_256_async'], 256, 652.4),
  row(['70B', 'H100, tensor 8, fp8, June 2025', 'tensor_256_fp8'], 256, 809.8),
  row(['70B', 'H100, asynchronous tensor 8, fp8, June 2025', 'tensor_256_fp8_async'], 256, 942.4),
  row(['70B', 'H100, tensor 8, fp8', 'tensor_256_fp8'], 256, 829, 71.9),
  row(['70B', 'H100, asynchronous tensor 8, fp8', 'tensor_256_fp8_async'], 256, 876, 67.6),
  row(['405B', 'H100, tensor 8, fp8', 'tensor_128_fp8'], 128, 177),
  row(['405B', 'H100, asynchronous tensor 8, fp8', 'tensor_128_fp8_async'], 128, 185),
  row(['405B', 'H100, 1F1B, fp8', 'pipeline_512'], 512, 100, 82.5),
  row(['405B', 'H100, interleaved 1F1B, fp8', 'interleaved_512'], 512, 128, 72.7),
  ...long('8B', 'fp8', 'context_8', 8, [
    [3890, 83.9],
    [2540, 84.2],
    [1071, 84],
    [548, 84.5],
  ]),
  ...long('405B', '1F1B, fp8', 'context_512', 512, [
    [76, 75.3],
    [47, 75.9],
    [31, 77.1],
    [16, 84.9],
  ]),
];

const runOf = ({ name, setting, pipeline, tokens, context }: Row): Omit<Run, 'measured' | 'predict'> => ({
  name,
  setting,
  file: 'torchtitan.pipe',
  pipeline,
  ...(tokens === undefined || context === undefined ? {} : { sliders: { tokens, context } }),
});

export const torchtitan: Family = {
  name: 'torchtitan',
  title: 'torchtitan, tokens per second',
  unit: 'tokens per second and GPU',
  digits: 0,
  runs: rows.flatMap((each) =>
    each.rate === undefined
      ? []
      : [
          {
            ...runOf(each),
            measured: each.rate,
            predict: ({ throughput }) => (throughput * (each.tokens ?? 8192)) / each.gpus,
          },
        ],
  ),
};

const GiB = 1024 ** 3;

export const torchtitanMemory: Family = {
  name: 'torchtitan_memory',
  memory: true,
  title: 'torchtitan, memory',
  unit: 'GiB',
  digits: 1,
  runs: rows.flatMap((each) =>
    each.peak === undefined
      ? []
      : [{ ...runOf(each), measured: each.peak, predict: (report) => highestPeak(report) / GiB }],
  ),
};
