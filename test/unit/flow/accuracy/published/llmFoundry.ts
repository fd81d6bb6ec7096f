/**
 * LLM Foundry, `scripts/train/benchmarking/README.md` (MosaicML, 2023): MPT models of 1 to 70 billion parameters in bf16 with FSDP. Of rows that
 * differ in one setting, such as 256 and 512 tokens or 16 and 32 GPUs, not all are here.
 */
import type { Family, Run } from './run.ts';

/** Width, heads and layers. */
const shapes = {
  '1B': [2048, 16, 24],
  '3B': [2560, 20, 32],
  '7B': [4096, 32, 32],
  '13B': [5120, 40, 40],
  '30B': [7168, 56, 48],
  '70B': [8192, 64, 80],
} as const;

type Row = readonly [
  model: keyof typeof shapes,
  tokens: number,
  gpus: number,
  micro: number,
  accumulation: number,
  rate: number,
  recomputed?: 'recomputed',
];

const h100: readonly Row[] = [
  ['70B', 2048, 64, 8, 4, 1039, 'recomputed'],
  ['70B', 2048, 32, 2, 16, 882, 'recomputed'],
  ['30B', 8192, 8, 1, 21, 1384, 'recomputed'],
  ['30B', 4096, 8, 1, 21, 1802, 'recomputed'],
  ['30B', 2048, 32, 14, 3, 2308, 'recomputed'],
  ['30B', 2048, 16, 10, 3, 2263, 'recomputed'],
  ['30B', 2048, 8, 3, 21, 2002, 'recomputed'],
  ['13B', 32768, 8, 1, 3, 1976, 'recomputed'],
  ['13B', 16384, 8, 3, 3, 2985, 'recomputed'],
  ['13B', 4096, 8, 10, 3, 4717, 'recomputed'],
  ['13B', 2048, 64, 2, 1, 4800],
  ['13B', 2048, 8, 2, 1, 4792],
  ['7B', 65536, 8, 1, 2, 1956, 'recomputed'],
  ['7B', 32768, 8, 2, 2, 3318, 'recomputed'],
  ['7B', 8192, 8, 8, 2, 6935, 'recomputed'],
  ['7B', 4096, 8, 16, 2, 8611, 'recomputed'],
  ['7B', 2048, 8, 6, 1, 10643],
  ['3B', 32768, 8, 3, 6, 5873, 'recomputed'],
  ['3B', 16384, 8, 1, 6, 11152],
  ['3B', 8192, 8, 3, 6, 16578],
  ['3B', 4096, 8, 5, 6, 20964],
  ['3B', 2048, 64, 6, 3, 22525],
  ['3B', 2048, 16, 10, 3, 24142],
  ['1B', 8192, 8, 3, 4, 29157],
  ['1B', 2048, 8, 14, 1, 45455],
  ['1B', 2048, 64, 20, 1, 44402],
];

const a100: readonly Row[] = [
  ['30B', 8192, 8, 1, 21, 574, 'recomputed'],
  ['30B', 4096, 8, 1, 21, 814, 'recomputed'],
  ['30B', 2048, 8, 3, 21, 916, 'recomputed'],
  ['13B', 32768, 8, 1, 3, 1016, 'recomputed'],
  ['13B', 8192, 8, 5, 3, 1795, 'recomputed'],
  ['13B', 2048, 8, 2, 3, 2262],
  ['7B', 32768, 8, 2, 2, 1672, 'recomputed'],
  ['7B', 8192, 8, 8, 2, 3206, 'recomputed'],
  ['7B', 2048, 8, 6, 2, 4641],
  ['3B', 16384, 8, 1, 6, 5529],
  ['3B', 4096, 8, 5, 6, 9457],
  ['1B', 8192, 8, 3, 4, 13814],
  ['1B', 2048, 8, 14, 4, 20513],
];

const runOf =
  (device: 'h100' | 'a100') =>
  ([model, tokens, gpus, micro, accumulation, rate, recomputed]: Row): Run => {
    const [hidden, heads, layers] = shapes[model];
    return {
      name: model,
      setting: `${gpus} ${device.toUpperCase()}, ${tokens} tokens, ${accumulation} × ${micro}${recomputed === undefined ? '' : ', all recomputed'}`,
      file: 'llm_foundry.pipe',
      pipeline: recomputed === undefined ? device : `${device}_recomputed`,
      sliders: { hidden, heads, layers, tokens, micro, accumulation, nodes: gpus / 8 },
      measured: rate,
      predict: ({ tokens: found }) => found?.per_second_per_gpu ?? Number.NaN,
    };
  };

export const llmFoundry: Family = {
  name: 'llm_foundry',
  title: 'LLM Foundry, tokens per second',
  unit: 'tokens per second and GPU',
  digits: 0,
  runs: [...h100.map(runOf('h100')), ...a100.map(runOf('a100'))],
};
