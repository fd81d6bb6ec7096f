/** Korthikanti et al. (arXiv:2205.05198): tables 4 and 5, section 6.3, figure 7. */
import type { Family, Run } from './run.ts';

const file = 'activation_recomputation.pipe';
const iteration = (name: string, setting: string, pipeline: string, measured: number): Run => ({
  name,
  setting,
  file,
  pipeline,
  measured,
  fitted: true,
  predict: (report) => report.iteration,
});

const full = 'all recomputed';
const present = 'selective, sequence parallel';

export const iterations: Family = {
  name: 'recomputation_iterations',
  title: 'arXiv:2205.05198, seconds of an iteration',
  unit: 's',
  digits: 2,
  kernels: true,
  runs: [
    iteration('22B, 8 A100', full, 'full_22b', 1.42),
    iteration('22B, 8 A100', present, 'present_22b', 1.1),
    iteration('175B, 64 A100', full, 'full_175b', 18.13),
    iteration('175B, 64 A100', present, 'present_175b', 13.75),
    iteration('530B, 280 A100', full, 'full_530b', 49.05),
    iteration('530B, 280 A100', present, 'present_530b', 37.83),
    iteration('530B, 2240 A100', `${present}, data 8`, 'present_530b_data', 39.15),
    iteration('1T, 512 A100', full, 'full_1t', 94.42),
    iteration('1T, 512 A100', present, 'present_1t', 71.49),
  ],
};

const ways = {
  baseline: 'nothing recomputed',
  sequence: 'sequence parallel',
  recompute: full,
  selective: 'selective',
  selective_sequence: present,
} as const;
type Way = keyof typeof ways;

const passes = (way: Way, forward: number, backward: number): readonly Run[] => [
  {
    name: 'forward',
    setting: ways[way],
    file,
    pipeline: `layer_${way}`,
    measured: forward,
    predict: (_, { stages: [layer] }) => 1e3 * layer.forward,
  },
  {
    name: 'backward',
    setting: ways[way],
    file,
    pipeline: `layer_${way}`,
    measured: backward,
    predict: (_, { stages: [layer] }) => 1e3 * (layer.recompute + layer.backwardInput + layer.backwardWeight),
  },
];

export const layer: Family = {
  name: 'recomputation_layer',
  apart: true,
  title: 'arXiv:2205.05198, milliseconds of a layer',
  unit: 'ms',
  digits: 1,
  kernels: true,
  runs: [
    ...passes('baseline', 7.7, 11.9),
    ...passes('sequence', 7.2, 11.8),
    ...passes('recompute', 7.7, 19.5),
    ...passes('selective', 7.7, 13.2),
    ...passes('selective_sequence', 7.2, 13.1),
  ],
};

const models = { '22B': [6144, 64], '175B': [12288, 96], '530B': [20480, 128], '1T': [25600, 160] } as const;

/** Bytes that a layer keeps of a microbatch; the baseline is Table 2's closed form for tensor ranks alone. */
const kept = (model: keyof typeof models, way: Way, measured: number): Run => {
  const [width, heads] = models[model];
  const [tokens, sequence, tensor] = [4 * 2048, 2048, 8];
  const baseline = tokens * width * (10 + 24 / tensor + (5 * heads * sequence) / (width * tensor));
  return {
    name: model,
    setting: ways[way],
    file,
    pipeline: `layer_${way}`,
    sliders: { width, heads },
    measured,
    predict: (_, { stages: [one] }) => (100 * one.activation) / baseline,
  };
};

export const activations: Family = {
  name: 'recomputation_activations',
  apart: true,
  memory: true,
  title: 'arXiv:2205.05198, activations of a layer',
  unit: '% of the baseline',
  digits: 1,
  columns: [ways.sequence, ways.selective, present, full],
  runs: [
    kept('22B', 'sequence', 66.84),
    kept('22B', 'selective', 49.42),
    kept('22B', 'selective_sequence', 16.18),
    kept('22B', 'recompute', 7.64),
    kept('175B', 'sequence', 62.04),
    kept('175B', 'selective', 56.53),
    kept('175B', 'selective_sequence', 18.49),
    kept('175B', 'recompute', 8.71),
    kept('530B', 'sequence', 58.31),
    kept('530B', 'selective', 62.04),
    kept('530B', 'selective_sequence', 20.27),
    kept('530B', 'recompute', 9.42),
    kept('1T', 'sequence', 58.31),
    kept('1T', 'selective', 62.04),
    kept('1T', 'selective_sequence', 20.27),
    kept('1T', 'recompute', 9.42),
  ].map((run) => ({ ...run, name: run.setting, setting: run.name })),
};
