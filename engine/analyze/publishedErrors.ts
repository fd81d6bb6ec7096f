/**
 * Share by which published runs took more seconds and bytes than their simulation, by kind: the runs of docs/accuracy.md that nothing was
 * fitted to. Made by `UPDATE_ACCURACY=1 npx vitest run test/unit/flow/accuracy`, which tests compare it with.
 */
import type { RunKind } from '../values/accuracy.ts';

export interface PublishedErrors extends RunKind {
  readonly figure: 'time' | 'memory';
  /** Ascending. */
  readonly errors: readonly number[];
}

export const publishedErrors: readonly PublishedErrors[] = [
  {
    figure: 'time',
    device: 'hopper',
    format: 'fp8',
    experts: true,
    nodes: 'several',
    errors: [-0.02, 0.137, 0.214, 0.256],
  },
  {
    figure: 'time',
    device: 'hopper',
    format: 'fp8',
    experts: false,
    nodes: 'several',
    errors: [
      -0.142, -0.132, -0.099, -0.087, -0.077, -0.071, -0.06, -0.059, -0.058, -0.057, -0.054, 0, 0.003, 0.011, 0.014,
      0.042, 0.06, 0.068, 0.073, 0.092, 0.104, 0.133, 0.257,
    ],
  },
  {
    figure: 'time',
    device: 'hopper',
    format: 'fp8',
    experts: false,
    nodes: 'one',
    errors: [-0.317, -0.222, -0.126, -0.11, -0.087, -0.077, -0.043, -0.021, -0.01, -0.009, 0.009, 0.011, 0.045, 0.2],
  },
  {
    figure: 'time',
    device: 'hopper',
    format: '16bit',
    experts: true,
    nodes: 'several',
    errors: [-0.035, -0.013, 0.104, 0.109, 0.191, 0.283],
  },
  {
    figure: 'time',
    device: 'hopper',
    format: '16bit',
    experts: false,
    nodes: 'several',
    errors: [
      -0.171, -0.103, -0.102, -0.086, -0.086, -0.065, -0.062, -0.055, 0.019, 0.026, 0.044, 0.046, 0.084, 0.098, 0.111,
      0.231,
    ],
  },
  {
    figure: 'time',
    device: 'hopper',
    format: '16bit',
    experts: false,
    nodes: 'one',
    errors: [
      -0.126, -0.11, -0.11, -0.067, -0.049, -0.019, -0.016, -0.006, -0.004, 0.009, 0.011, 0.018, 0.028, 0.029, 0.03,
      0.059, 0.065, 0.082, 0.197, 0.242,
    ],
  },
  {
    figure: 'time',
    device: 'blackwell',
    format: 'fp8',
    experts: true,
    nodes: 'several',
    errors: [-0.021, 0.003, 0.053, 0.057, 0.239, 0.242, 0.37],
  },
  { figure: 'time', device: 'blackwell', format: 'fp8', experts: true, nodes: 'one', errors: [-0.009, 0.095, 0.127] },
  { figure: 'time', device: 'blackwell', format: 'fp8', experts: false, nodes: 'several', errors: [-0.008] },
  { figure: 'time', device: 'blackwell', format: 'fp8', experts: false, nodes: 'one', errors: [0.025, 0.134] },
  { figure: 'time', device: 'blackwell', format: 'fp4', experts: false, nodes: 'several', errors: [-0.143, -0.018] },
  { figure: 'time', device: 'blackwell', format: 'fp4', experts: false, nodes: 'one', errors: [-0.085, 0.02] },
  { figure: 'time', device: 'blackwell', format: '16bit', experts: true, nodes: 'several', errors: [0.063, 0.346] },
  { figure: 'time', device: 'blackwell', format: '16bit', experts: true, nodes: 'one', errors: [0.018, 0.712] },
  { figure: 'time', device: 'blackwell', format: '16bit', experts: false, nodes: 'several', errors: [-0.031] },
  {
    figure: 'time',
    device: 'ampere',
    format: '16bit',
    experts: false,
    nodes: 'several',
    errors: [0.037, 0.058, 0.064, 0.109, 0.117, 0.13, 0.15],
  },
  {
    figure: 'time',
    device: 'ampere',
    format: '16bit',
    experts: false,
    nodes: 'one',
    errors: [
      -0.165, -0.156, -0.144, -0.141, -0.091, -0.062, -0.036, -0.03, -0.023, -0.016, 0.001, 0.004, 0.005, 0.009, 0.011,
      0.015, 0.02, 0.063, 0.069, 0.089, 0.229,
    ],
  },
  {
    figure: 'memory',
    device: 'hopper',
    format: 'fp8',
    experts: false,
    nodes: 'several',
    errors: [-0.045, -0.02, -0.002, 0.011, 0.017, 0.075, 0.09, 0.099, 0.116, 0.195, 0.229],
  },
  {
    figure: 'memory',
    device: 'hopper',
    format: 'fp8',
    experts: false,
    nodes: 'one',
    errors: [-0.025, -0.025, -0.024, -0.022, -0.018],
  },
  {
    figure: 'memory',
    device: 'hopper',
    format: '16bit',
    experts: true,
    nodes: 'several',
    errors: [0.018, 0.045, 0.056, 0.065],
  },
  {
    figure: 'memory',
    device: 'hopper',
    format: '16bit',
    experts: true,
    nodes: 'one',
    errors: [0.021, 0.036, 0.038, 0.045, 0.072, 0.099],
  },
  {
    figure: 'memory',
    device: 'hopper',
    format: '16bit',
    experts: false,
    nodes: 'several',
    errors: [-0.042, 0.031, 0.035],
  },
  {
    figure: 'memory',
    device: 'hopper',
    format: '16bit',
    experts: false,
    nodes: 'one',
    errors: [-0.022, 0.001, 0.003, 0.004, 0.004, 0.004, 0.013, 0.013, 0.015, 0.018, 0.022, 0.043, 0.046],
  },
  { figure: 'memory', device: 'blackwell', format: '16bit', experts: true, nodes: 'one', errors: [-0.063] },
  { figure: 'memory', device: 'blackwell', format: '16bit', experts: false, nodes: 'several', errors: [0.146] },
  { figure: 'memory', device: 'blackwell', format: '16bit', experts: false, nodes: 'one', errors: [0, 0.022] },
  { figure: 'memory', device: 'ampere', format: '16bit', experts: true, nodes: 'one', errors: [0.012] },
  {
    figure: 'memory',
    device: 'ampere',
    format: '16bit',
    experts: false,
    nodes: 'several',
    errors: [-0.025, -0.021, -0.012, -0.006, 0.001, 0.002, 0.002, 0.024],
  },
  {
    figure: 'memory',
    device: 'ampere',
    format: '16bit',
    experts: false,
    nodes: 'one',
    errors: [
      -0.045, -0.034, -0.029, -0.022, -0.006, 0, 0.005, 0.007, 0.007, 0.009, 0.011, 0.015, 0.017, 0.02, 0.022, 0.022,
      0.023, 0.028,
    ],
  },
];
