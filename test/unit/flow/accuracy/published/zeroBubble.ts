/** Qi et al. (arXiv:2401.10241): tables 3, 4, 5, 9 and 10. */
import { type Family, highestPeak, longestSpan, type Run } from './run.ts';

/** Tables 3 and 9: milliseconds of F, B, W and a transfer for each number of microbatches. */
const models = [
  {
    name: '1.5B',
    id: '1_5b',
    gpus: 8,
    samples: 6,
    layers: 3,
    profile: {
      24: [18.522, 18.086, 9.337, 0.601],
      32: [18.513, 18.086, 9.331, 0.626],
      64: [18.546, 18.097, 9.321, 0.762],
    },
  },
  {
    name: '6.2B',
    id: '6_2b',
    gpus: 8,
    samples: 3,
    layers: 4,
    profile: {
      24: [29.718, 29.444, 19.927, 0.527],
      32: [29.802, 29.428, 19.53, 0.577],
      64: [29.935, 29.621, 19.388, 0.535],
    },
  },
  {
    name: '14.6B',
    id: '14_6b',
    gpus: 16,
    samples: 1,
    layers: 3,
    profile: {
      48: [11.347, 11.248, 8.132, 0.377],
      64: [11.307, 11.254, 8.101, 0.379],
      128: [11.325, 11.308, 8.109, 0.378],
    },
  },
  {
    name: '28.3B',
    id: '28_3b',
    gpus: 32,
    samples: 1,
    layers: 2,
    profile: {
      96: [10.419, 10.207, 7.715, 0.408],
      128: [10.408, 10.204, 7.703, 0.408],
      256: [10.402, 10.248, 7.698, 0.46],
    },
  },
] as const;

/** Microbatches of a model and their sliders, in the order of the tables. */
const settings = models.flatMap(({ name, gpus, samples, layers, profile }) =>
  Object.entries(profile).map(([microbatches, [forward, input, weight, transfer]]) => ({
    name: `${name}, ${gpus} A100, ${microbatches} microbatches of ${samples}`,
    work: (Number(microbatches) * (forward + input + weight)) / 1e3,
    sliders: { gpus, samples, layers, microbatches: Number(microbatches), forward, input, weight, transfer },
  })),
);

type Schedule = 'plain' | 'plain_batched' | 'interleaved' | 'zb_1p' | 'zb_2p' | 'zb_2p_span' | 'zb_h1' | 'zb_h2';
const called: Readonly<Record<Schedule, string>> = {
  plain: '1F1B',
  plain_batched: '1F1B',
  interleaved: '1F1B-I',
  zb_1p: 'ZB-1p',
  zb_2p: 'ZB-2p',
  zb_2p_span: 'ZB-2p',
  zb_h1: 'ZB-H1',
  zb_h2: 'ZB-H2',
};

/**
 * Samples a second and GPU. The authors let stages update on their own (section 4), so that an iteration of a split backward takes
 * the longest span of a device; all others, and those of table 10 with a reduction, last to the end of the last device.
 */
const samples = (pipeline: Schedule, barrier: boolean, measured: readonly number[]): readonly Run[] =>
  measured.map((figure, index) => ({
    name:
      barrier && called[pipeline] !== '1F1B' && pipeline !== 'interleaved'
        ? `${called[pipeline]}, barrier`
        : called[pipeline],
    setting: settings[index].name,
    file: 'zero_bubble_profile.pipe',
    pipeline,
    sliders: settings[index].sliders,
    measured: figure,
    predict: (report, { microbatches, microBatchSize, devices }) =>
      (microbatches * microBatchSize) / devices.length / (barrier ? report.iteration : longestSpan(report)),
  }));

const everyThird = (measured: readonly number[]): readonly number[] =>
  measured.flatMap((figure) => [figure, Number.NaN, Number.NaN]);

export const throughput: Family = {
  name: 'zero_bubble_throughput',
  title: 'Zero Bubble, throughput from measured times',
  unit: 'samples per second and GPU',
  digits: 2,
  columns: ['1F1B', '1F1B-I', 'ZB-1p', 'ZB-2p', 'ZB-2p, barrier'],
  runs: [
    ...samples('plain_batched', true, [11.8, 12.5, 13.6, 3.5, 3.7, 4.03, 1.4, 1.49, 1.64, 0.76, 0.8, 0.88]),
    ...samples('interleaved', true, [13.1, 13.4, 13.9, 4.01, 4.08, 4.19, 1.54, 1.59, 1.66, 0.82, 0.85, 0.9]),
    ...samples('zb_1p', false, [12.9, 13.4, 14.2, 3.88, 4, 4.2, 1.61, 1.67, 1.76, 0.87, 0.9, 0.96]),
    ...samples('zb_2p', false, [14.5, 14.8, 14.9, 4.32, 4.35, 4.39, 1.81, 1.83, 1.85, 0.99, 1, 1]),
    ...samples('zb_2p', true, everyThird([13.11, 4, 1.68, 0.91])).filter(({ measured }) => measured > 0),
  ],
};

/** Table 5, which the authors calculated: (cost − work) / cost, the cost being the longest span. */
const rates = (pipeline: Schedule, calculated: readonly number[]): readonly Run[] =>
  calculated.map((figure, index) => ({
    name: called[pipeline],
    setting: settings[index].name,
    file: 'zero_bubble_profile.pipe',
    pipeline,
    sliders: settings[index].sliders,
    measured: figure,
    predict: (report) => 1 - settings[index].work / longestSpan(report),
  }));

/** Of the four models, table 3. */
const [heads, hidden] = [
  [24, 32, 40, 48],
  [2304, 4096, 5120, 6144],
];
/** ZB-2p. */
const searched = (pipeline: Schedule): readonly Run[] =>
  rates(pipeline, [0.0433, 0.0039, 0.0026, 0.0029, 0.0022, 0.001, 0.0066, 0.0054, 0.0028, 0.0038, 0.0029, 0.0018]);
const h1 = [0.1585, 0.1242, 0.0674, 0.1323, 0.1045, 0.0554, 0.1397, 0.1088, 0.0576, 0.1421, 0.1106, 0.0594];
export const bubbleRates = {
  same: [
    ...rates('plain', [0.2431, 0.1985, 0.124, 0.2347, 0.1898, 0.1091, 0.2552, 0.2082, 0.1251, 0.2646, 0.2168, 0.1352]),
    ...rates('zb_h1', h1),
    ...rates('zb_h2', [0.1083, 0.0837, 0.0444, 0.0698, 0.0559, 0.0294, 0.0672, 0.0516, 0.0266, 0.0641, 0.049, 0.0257]),
    ...rates('zb_1p', h1),
  ],
  /** The three models that are quick to search, with the share of activations that their layers keep until W: 32 of 34 + 5as / h (their section 2), s = 1024. */
  kept: searched('zb_2p_span')
    .filter((_, index) => index % 3 === 0 && index < 9)
    .map((run, index) => ({
      ...run,
      sliders: { ...run.sliders, kept: 32 / (34 + (5 * 1024 * heads[index]) / hidden[index]) },
    })),
  interleaved: rates(
    'interleaved',
    [0.1055, 0.0818, 0.0443, 0.0808, 0.0628, 0.032, 0.1104, 0.0852, 0.0445, 0.1493, 0.1164, 0.0624],
  ),
  searched: searched('zb_2p'),
};

const peaks = (pipeline: Schedule, measured: readonly number[]): readonly Run[] =>
  measured.map((figure, index) => ({
    name: called[pipeline],
    setting: `${models[index].name}, ${models[index].gpus} A100`,
    file: 'zero_bubble_memory.pipe',
    pipeline: `${pipeline}_${models[index].id}`,
    measured: figure,
    predict: (report) => highestPeak(report) / 1e9,
  }));

export const memory: Family = {
  name: 'zero_bubble_memory',
  memory: true,
  title: 'Zero Bubble, memory',
  unit: 'GB',
  digits: 0,
  columns: ['1F1B', '1F1B-I', 'ZB-1p', 'ZB-2p'],
  runs: [
    ...peaks('plain', [30, 39, 32, 43]),
    ...peaks('interleaved', [40, 48, 39, 58]),
    ...peaks('zb_1p', [32, 42, 33, 44]),
    ...peaks('zb_2p', [59, 70, 51, 74]),
  ],
};

/** The middle columns of table 4 from shapes alone, for the schedules whose iteration ends at a barrier. */
const derived = (pipeline: Schedule, measured: readonly number[]): readonly Run[] =>
  measured.map((figure, index) => ({
    name: `${models[index].name}, ${models[index].gpus} A100`,
    setting: called[pipeline],
    file: 'zero_bubble_memory.pipe',
    pipeline: `${pipeline}_${models[index].id}`,
    measured: figure,
    predict: ({ throughput: all }, { devices }) => all / devices.length,
  }));

export const fromShapes: Family = {
  name: 'zero_bubble_shapes',
  title: 'Zero Bubble, throughput from shapes',
  unit: 'samples per second and GPU',
  digits: 2,
  kernels: true,
  runs: [...derived('plain', [12.5, 3.7, 1.49, 0.8]), ...derived('interleaved', [13.4, 4.08, 1.59, 0.85])],
};
