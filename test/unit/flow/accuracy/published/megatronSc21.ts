/** Narayanan et al. (SC 2021, arXiv:2104.04473), tables 1 and 2. */
import type { Family, Run } from './run.ts';

interface Shape {
  readonly layers: number;
  readonly hidden: number;
}

/** FLOPs of an iteration as the paper counts them (equation 3): the core whole, and full recomputation. */
const flops = (batch: number, { layers, hidden }: Shape, sequence = 2048, vocab = 51200): number =>
  96 * batch * sequence * layers * hidden ** 2 * (1 + sequence / (6 * hidden) + vocab / (16 * layers * hidden));

const run = (
  [name, pipeline]: readonly [string, string],
  shape: Shape,
  [tensor, stages, gpus, batch]: readonly [number, number, number, number],
  measured: number,
): Run => ({
  name,
  setting: `${gpus} A100, tensor ${tensor}, pipeline ${stages}, data ${gpus / (tensor * stages)}, batch ${batch}`,
  file: 'megatron_sc21.pipe',
  pipeline,
  measured,
  fitted: true,
  predict: ({ iteration }) => flops(batch, shape) / iteration / gpus / 1e12,
});

export const megatronSc21: Family = {
  name: 'megatron_sc21',
  title: 'SC 2021, TFLOP/s',
  unit: 'TFLOP/s per GPU',
  digits: 0,
  kernels: true,
  runs: [
    run(['1.7B', 'table1_1_7b'], { layers: 24, hidden: 2304 }, [1, 1, 32, 512], 137),
    run(['3.6B', 'table1_3_6b'], { layers: 30, hidden: 3072 }, [2, 1, 64, 512], 138),
    run(['7.5B', 'table1_7_5b'], { layers: 36, hidden: 4096 }, [4, 1, 128, 512], 142),
    run(['18.4B', 'table1_18_4b'], { layers: 40, hidden: 6144 }, [8, 1, 256, 1024], 135),
    run(['39.1B', 'table1_39_1b'], { layers: 48, hidden: 8192 }, [8, 2, 512, 1536], 138),
    run(['76.1B', 'table1_76_1b'], { layers: 60, hidden: 10240 }, [8, 4, 1024, 1792], 140),
    run(['145.6B', 'table1_145_6b'], { layers: 80, hidden: 12288 }, [8, 8, 1536, 2304], 148),
    run(['310.1B', 'table1_310_1b'], { layers: 96, hidden: 16384 }, [8, 16, 1920, 2160], 155),
    run(['529.6B', 'table1_529_6b'], { layers: 105, hidden: 20480 }, [8, 35, 2520, 2520], 163),
    run(['1008B', 'table1_1008b'], { layers: 128, hidden: 25600 }, [8, 64, 3072, 3072], 163),
    run(['174.6B', 'table2_175b_384'], { layers: 96, hidden: 12288 }, [8, 12, 384, 1536], 153),
    run(['174.6B', 'table2_175b_768'], { layers: 96, hidden: 12288 }, [8, 12, 768, 1536], 149),
    run(['174.6B', 'table2_175b_1536'], { layers: 96, hidden: 12288 }, [8, 12, 1536, 1536], 141),
    run(['529.6B', 'table2_530b_560'], { layers: 105, hidden: 20480 }, [8, 35, 560, 2240], 171),
    run(['529.6B', 'table2_530b_1120'], { layers: 105, hidden: 20480 }, [8, 35, 1120, 2240], 167),
    run(['529.6B', 'table2_530b_2240'], { layers: 105, hidden: 20480 }, [8, 35, 2240, 2240], 159),
  ],
};
