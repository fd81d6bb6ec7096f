/** NeMo 24.07, "Performance Benchmarks" (`docs/source/performance/performance_summary.md`): fine-tuning of Llama 2 with fp8. */
import type { Family, Run } from './run.ts';

const run = (name: string, setting: string, pipeline: string, measured: number): Run => ({
  name,
  setting,
  file: 'nemo_finetuning.pipe',
  pipeline,
  measured,
  predict: ({ throughput }, { devices }) =>
    (throughput * 4096) / devices.reduce((sum, { members = 1 }) => sum + members, 0),
});

export const nemoFinetuning: Family = {
  name: 'nemo_finetuning',
  title: 'NeMo, fine-tuning with fp8, tokens per second',
  unit: 'tokens per second and GPU',
  digits: 0,
  runs: [
    run('Llama 2 7B, all weights', '8 H100, data 8', 'sft_7b', 17120),
    run('Llama 2 13B, all weights', '8 H100, pipeline 4, data 2', 'sft_13b', 9741),
    run('Llama 2 70B, all weights', '16 H100, tensor 4, pipeline 4', 'sft_70b', 1833),
    run('Llama 2 7B, adapters', '8 H100, data 8', 'lora_7b', 25206),
    run('Llama 2 13B, adapters', '8 H100, data 8', 'lora_13b', 14161),
    run('Llama 2 70B, adapters', '8 H100, tensor 2, pipeline 4', 'lora_70b', 2557),
  ],
};
