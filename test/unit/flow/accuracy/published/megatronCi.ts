/**
 * Tests of Megatron-LM, `tests/functional_tests/test_cases` (August 2026): `golden_values_dev_dgx_*.json`. Seconds are the median of
 * `iteration-time`, bytes the most of `mem-max-allocated-bytes`. The last rank prints both.
 */
import type { DeviceReport, PipelineReport } from '../../../../../engine/values/report.ts';
import { allocated, type Family, type Run } from './run.ts';

/** The most, and what stays between iterations (`mem-allocated-bytes`). */
type Bytes = readonly [most: number, stays: number];

interface Row {
  /** The folder of the test, without what all of its kind have in their names. */
  readonly name: string;
  readonly setting: string;
  readonly pipeline: string;
  readonly bytes: Bytes;
  /** Absent where the model is so small that launches of kernels take most of the time, or where the test does not hold times. */
  readonly seconds?: number;
}

const row = (name: string, setting: string, pipeline: string, bytes: Bytes, seconds?: number): Row => ({
  name,
  setting,
  pipeline,
  bytes,
  ...(seconds === undefined ? {} : { seconds }),
});

const chunked = 'pipeline 4, 8 chunks, data 2';
const split = 'tensor 4, data 2';
const latent = '8 H100, tensor 2, pipeline 2, 4 chunks, expert 4';

const rows: readonly Row[] = [
  row('7B', `8 A100, ${chunked}`, 'a100_7b_pipeline', [60_489_064_448, 24_510_808_064], 2.947_91),
  row('7B', `8 H100, ${chunked}`, 'h100_7b_pipeline', [60_720_852_992, 24_808_996_864], 1.150_77),
  row('7B', `8 GB200, ${chunked}`, 'gb200_7b_pipeline', [60_519_342_080, 24_540_168_192], 0.787_29),
  row('7B', `8 A100, ${split}`, 'a100_7b_tensor', [58_188_115_968, 20_634_103_808], 2.596),
  row('7B', `8 H100, ${split}`, 'h100_7b_tensor', [57_143_791_616, 20_663_519_232], 1.115_51),
  row('7B', `8 GB200, ${split}`, 'gb200_7b_tensor', [58_217_476_096, 20_663_463_936], 0.853_46),
  row('15B', 'H100, tensor 8', 'h100_15b', [28_160_194_560, 13_269_043_200], 1.434_94),
  row('15B', 'GB200, tensor 4, pipeline 2, 2 chunks', 'gb200_15b', [42_639_351_808, 14_700_898_304], 1.214_37),
  row('Mixtral 8x7B', 'H100, tensor 2, pipeline 4, expert 4', 'h100_8x7b', [26_495_959_040, 17_703_634_944], 8.961_04),
  row(
    'Mixtral 8x7B',
    'H100, tensor 2, pipeline 4, 8 chunks, expert 8, whole experts',
    'h100_8x7b_chunks',
    [35_505_844_224, 19_743_387_648],
    3.305_89,
  ),
  row(
    'Mixtral 8x22B',
    'H100, tensor 2, pipeline 8, expert 8',
    'h100_8x22b',
    [28_533_706_752, 23_002_929_152],
    6.980_51,
  ),
  row(
    'DeepSeek-V3, 14 layers',
    'H100, tensor 2, pipeline 4, 2 chunks, expert 16',
    'h100_deepseek',
    [46_597_890_048, 33_395_759_104],
    12.030_35,
  ),
  row(
    'DeepSeek-V3, 14 layers',
    'GB200, tensor 2, pipeline 2, expert 8',
    'gb200_deepseek',
    [100_882_341_888, 58_533_773_312],
    7.6643,
  ),
  row('latent attention, 32 experts', latent, 'h100_latent', [60_111_630_336, 6_632_031_744], 1.027_16),
  row(
    'latent attention, 32 experts',
    `${latent}, modules recomputed`,
    'h100_latent_modules',
    [49_211_260_928, 6_025_470_464],
    1.100_49,
  ),
  row('T5 11B', '8 A100, tensor 4, data 2', 'a100_t5_11b', [45_261_885_440, 40_645_533_696]),
  row('T5 11B', '8 H100, tensor 4, data 2', 'h100_t5_11b', [44_989_894_656, 40_735_711_232]),
  row('T5 220M', '8 H100, data 8', 't5_data', [6_186_639_360, 4_161_267_712]),
  row('T5 220M', '8 H100, tensor 2, data 4', 't5_tensor_2', [3_234_076_160, 2_195_274_752]),
  row('T5 220M', '8 H100, tensor 4, data 2', 't5_tensor_4', [1_831_392_256, 1_106_625_024]),
  row('small', '8 H100, data 8', 'small_data', [4_702_430_720, 581_489_664]),
  row('small', '8 A100, data 8, all recomputed', 'small_full', [2_534_070_272, 1_232_487_936]),
  row('small', '8 H100, pipeline 2', 'small_pipeline_2', [3_633_177_600, 948_653_056]),
  row('small', '8 H100, pipeline 4', 'small_pipeline_4', [2_746_575_872, 778_948_608]),
  row('small', '8 H100, pipeline 4, 3 chunks', 'small_chunks', [4_161_191_424, 776_656_384]),
  row('small', '8 A100, pipeline 4, gated', 'small_swiglu', [2_684_785_152, 717_420_032]),
  row('small', '8 A100, tensor 2, pipeline 2', 'small_tensor_2', [1_900_158_464, 487_096_832]),
  row('small', '8 A100, tensor 4', 'small_tensor_4', [1_628_741_632, 382_956_544]),
  row('small', '8 A100, tensor 4, sharded state', 'small_tensor_4_sharded', [1_515_628_032, 269_842_944]),
  row('small', '8 A100, tensor 2, context 2', 'small_context_2', [1_139_960_320, 609_140_224]),
  row('small', '8 H100, tensor 2, pipeline 2, context 2', 'small_context_2_pipeline', [935_253_504, 510_689_792]),
  row('small', '8 A100, pipeline 2, context 4', 'small_context_4', [1_250_505_728, 829_378_048]),
  row('small, 8 experts', '8 A100, tensor 2, expert 2', 'experts_8', [3_099_980_800, 865_124_864]),
  row(
    'small, 8 experts',
    '8 H100, tensor 2, expert 4, whole experts',
    'experts_8_whole',
    [4_013_319_680, 1_508_810_240],
  ),
  row('small, 4 experts', '8 H100, tensor 2, pipeline 2, expert 2', 'experts_4', [2_110_856_192, 659_060_736]),
  row(
    'small, 4 experts',
    '8 H100, pipeline 2, context 2, expert 2',
    'experts_4_context',
    [2_061_327_360, 1_155_747_328],
  ),
  row(
    'small, 4 experts',
    '8 H100, tensor 2, pipeline 2, context 2, expert 2',
    'experts_4_tensor_context',
    [1_114_966_528, 628_503_552],
  ),
];

/** Those that set `NVTE_ALLOW_NONDETERMINISTIC_ALGO` to 0 in their `model_config.yaml`, of the ones with times. Tests for releases set it to 1. */
const deterministic = new Set(['7B', 'latent attention, 32 experts']);

const runOf = ({ name, setting, pipeline }: Row): Omit<Run, 'measured' | 'predict'> => ({
  name,
  setting,
  file: 'megatron_ci.pipe',
  pipeline,
  ...(deterministic.has(name) ? { deterministic: true } : {}),
});

export const megatronCi: Family = {
  name: 'megatron_ci',
  title: 'Tests of Megatron-LM, seconds of an iteration',
  unit: 's',
  digits: 2,
  runs: rows.flatMap((each) =>
    each.seconds === undefined
      ? []
      : [{ ...runOf(each), measured: each.seconds, predict: ({ iteration }: PipelineReport) => iteration }],
  ),
};

const last = ({ devices }: PipelineReport): DeviceReport => {
  const device = devices.at(-1);
  if (device === undefined) throw new Error('a pipeline without devices');
  return device;
};
/** The tests set `CUBLAS_WORKSPACE_CONFIG` to `:4096:8`: on A100s too, cuBLAS then has 32 MiB for each of two threads, not 8.125. */
const wider = ({ kind }: DeviceReport): number => (kind.startsWith('a100') ? 2 * (32 - 8.125) * 2 ** 20 : 0);
const lastPeak = (report: PipelineReport): number => (allocated(last(report)) + wider(last(report))) / 1e9;
const lastState = (report: PipelineReport): number => {
  const { workspaces = 0, memory } = last(report);
  return (memory.weights + memory.gradients + memory.optimizer + workspaces + wider(last(report))) / 1e9;
};

export const megatronCiMemory: Family = {
  name: 'megatron_ci_memory',
  memory: true,
  title: 'Tests of Megatron-LM, memory of the last device',
  unit: 'GB',
  digits: 2,
  runs: rows.map((each) => ({ ...runOf(each), measured: each.bytes[0] / 1e9, predict: lastPeak })),
};

/** The bytes between iterations, of which the simulation knows weights, gradients, optimizer state and workspaces. */
export const states: readonly Run[] = rows.map((each) => ({
  ...runOf(each),
  measured: each.bytes[1] / 1e9,
  predict: lastState,
}));

/** What an iteration adds to them. */
export const additions: readonly Run[] = rows.map((each) => ({
  ...runOf(each),
  measured: (each.bytes[0] - each.bytes[1]) / 1e9,
  predict: (report: PipelineReport) => lastPeak(report) - lastState(report),
}));
