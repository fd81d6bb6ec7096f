/** Dao (arXiv:2307.08691), table 1: GPT models with FlashAttention-2 on eight A100s. */
import type { Family, Run } from './run.ts';

/** FLOPs of a token as the paper counts them (section 4.2): the core whole. */
const flopsOfToken = (hidden: number, layers: number, tokens: number): number => {
  const parameters = layers * 12 * hidden ** 2 + (50304 + tokens) * hidden;
  return 6 * parameters + 12 * layers * hidden * tokens;
};

const run = (
  name: string,
  [hidden, layers, heads, tokens]: readonly [number, number, number, number],
  measured: number,
): Run => ({
  name,
  setting: `8 A100, ${tokens} tokens`,
  file: 'flash_attention_2.pipe',
  pipeline: 'training',
  sliders: { hidden, layers, heads, tokens },
  measured,
  predict: ({ throughput }) => (throughput * tokens * flopsOfToken(hidden, layers, tokens)) / 8 / 1e12,
});

export const flashAttention2: Family = {
  name: 'flash_attention_2',
  title: 'FlashAttention-2, GPT on A100s, TFLOP/s',
  unit: 'TFLOP/s per GPU',
  digits: 0,
  runs: [
    run('GPT3-1.3B', [2048, 24, 16, 2048], 196),
    run('GPT3-1.3B', [2048, 24, 16, 8192], 220),
    run('GPT3-2.7B', [2560, 32, 32, 2048], 205),
    run('GPT3-2.7B', [2560, 32, 32, 8192], 225),
  ],
};
