/** Megatron Bridge, "Performance Summary" (containers 25.11, 26.02 and 26.04.01), and NeMo 24.07: dense models with fp8 and fp4. */
import type { Family, Run } from './run.ts';

const run = (
  [name, setting, pipeline]: readonly [string, string, string],
  gpus: number,
  tokens: number,
  measured: number,
  fitted = false,
): Run => ({
  name,
  setting,
  file: 'megatron_bridge.pipe',
  pipeline,
  measured,
  fitted,
  predict: ({ throughput }) => (throughput * tokens) / gpus,
});

const gb300 = (named: readonly [string, string, string], gpus: number, measured: number, fitted = false): Run => ({
  ...run(named, gpus, 8192, measured, fitted),
  file: 'megatron_bridge_gb300.pipe',
});

export const megatronBridge: Family = {
  name: 'megatron_bridge',
  title: 'Megatron Bridge and NeMo, dense models with fp8 and fp4',
  unit: 'tokens per second and GPU',
  digits: 0,
  runs: [
    run(['Llama 3 8B', '8 H100, data 8, batch 128', 'h100_8b'], 8, 8192, 14451, true),
    run(['Llama 3 70B', '64 H100, tensor 4, pipeline 8, data 2, batch 256', 'h100_70b'], 64, 8192, 1664, true),
    run(['Llama 3 70B', '64 H100, tensor 4, pipeline 8, data 2, batch 128', 'h100_70b_half'], 64, 8192, 1602, true),
    run(
      ['Llama 3.1 405B', '1024 H100, tensor 8, pipeline 8, context 2, data 8, batch 1536', 'h100_405b'],
      1024,
      8192,
      328,
      true,
    ),
    run(
      ['Llama 3.1 405B', '1024 H100, tensor 8, pipeline 8, context 2, data 8, batch 512', 'h100_405b_third'],
      1024,
      8192,
      292,
    ),
    run(['Llama 3 8B, NeMo 24.07', '8 H100, context 2, data 4, batch 128', 'h100_8b_context'], 8, 8192, 12273),
    run(
      ['Llama 3 70B, NeMo 24.07', '64 H100, tensor 4, pipeline 4, context 2, data 2, batch 128', 'h100_70b_context'],
      64,
      8192,
      1524,
    ),
    run(['Llama 2 7B, NeMo 24.07', '8 H100, data 8, batch 128', 'h100_llama2_7b'], 8, 4096, 16934),
    run(['Llama 2 13B, NeMo 24.07', '16 H100, pipeline 4, data 4, batch 128', 'h100_llama2_13b'], 16, 4096, 8715),
    run(
      ['Llama 2 70B, NeMo 24.07', '64 H100, tensor 4, pipeline 4, data 4, batch 128', 'h100_llama2_70b'],
      64,
      4096,
      1728,
    ),
    run(['Llama 3 8B', '8 B200, data 8, batch 128', 'b200_8b'], 8, 8192, 30624, true),
    run(
      ['Llama 3.1 405B', '128 B200, tensor 4, pipeline 8, context 2, data 2, batch 64', 'b200_405b'],
      128,
      8192,
      661,
      true,
    ),
    run(['Llama 3 8B', '8 GB200, data 8, batch 128', 'gb200_8b'], 8, 8192, 31508, true),
    run(['Llama 3 70B', '64 GB200, data 64, batch 256', 'gb200_70b'], 64, 8192, 4312, true),
    run(['Llama 3.1 405B', '256 GB200, tensor 4, pipeline 16, data 4, batch 1536', 'gb200_405b'], 256, 8192, 813, true),
    gb300(['Llama 3 8B', '8 GB300, data 8, batch 128', 'gb300_8b'], 8, 37556, true),
    gb300(['Llama 3.1 405B', '256 GB300, tensor 2, pipeline 8, context 2, data 8', 'gb300_405b'], 256, 999, true),
    gb300(['Llama 3 70B', '64 GB300, data 64, batch 256', 'gb300_70b'], 64, 4520),
    gb300(['Llama 3 70B, 26.02', '64 GB300, data 64, batch 256', 'gb300_70b'], 64, 5003),
    gb300(['Llama 3.1 405B, 26.02', '256 GB300, tensor 4, pipeline 8, data 8', 'gb300_405b_tensor'], 256, 988),
    gb300(['Llama 3 70B, fp4, 26.02', '64 GB300, pipeline 4, data 16', 'gb300_70b_fp4'], 64, 6798),
    gb300(['Llama 3 70B, fp4, 26.02', '64 GB200, tensor 2, pipeline 4, data 8', 'gb200_70b_fp4'], 64, 4458),
    gb300(['Llama 3.1 405B, fp4, 26.02', '256 GB300, tensor 4, pipeline 8, data 8', 'gb300_405b_fp4'], 256, 1333),
    gb300(['Llama 3.1 405B, fp4, 26.02', '256 GB200, tensor 4, pipeline 16, data 4', 'gb200_405b_fp4'], 256, 1076),
  ],
};
