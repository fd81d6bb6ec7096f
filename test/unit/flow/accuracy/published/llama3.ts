/** Llama Team (arXiv:2407.21783), table 4. */
import type { Family, Run } from './run.ts';

/** FLOPs of a forward and backward of a token, as Megatron-LM counts them: products with weights, and half of the attention core. */
const flopsOfToken = (sequence: number): number => {
  const [layers, hidden, ffn, vocab] = [126, 16384, 53248, 128256];
  const attention = 2 * hidden ** 2 + 2 * hidden * ((8 / 128) * hidden);
  const weights = layers * (attention + 3 * hidden * ffn) + hidden * vocab;
  return 6 * weights + 3 * layers * 2 * sequence * hidden;
};

const run = (pipeline: string, gpus: number, sequence: number, setting: string, measured: number): Run => ({
  name: `${gpus} H100, ${sequence} tokens`,
  setting,
  file: 'llama3_405b.pipe',
  pipeline,
  measured,
  fitted: sequence === 8192,
  predict: ({ throughput }) => (throughput * sequence * flopsOfToken(sequence)) / gpus / 1e12,
});

export const llama3: Family = {
  name: 'llama3_405b',
  title: 'Llama 3 405B, TFLOP/s',
  unit: 'TFLOP/s per GPU',
  digits: 0,
  runs: [
    run('data_64', 8192, 8192, 'tensor 8, pipeline 16, data 64', 430),
    run('data_128', 16384, 8192, 'tensor 8, pipeline 16, data 128', 400),
    run('context_16', 16384, 131072, 'tensor 8, context 16, pipeline 16, data 8', 380),
  ],
};
