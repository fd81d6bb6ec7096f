/**
 * Shares that kernels of an accelerator reach, by size. Their shape follows single kernels: on an H100 (torch 2.11, cuDNN 9.19)
 * as measured for `docs/accuracy.md`, on A100s from published figures. Kernels of a training run are slower than single ones: a
 * *level* for each kind of kernel is fitted to whole published runs, which the accuracy page names.
 */
import type { DeviceFigures } from './device.ts';

/** Least size and percent of the peak or of the bandwidth, of a single kernel. */
type Shape = readonly (readonly [size: number, percent: number])[];

/** Kernels in a run, as a share of single ones. */
interface Levels {
  readonly products: number;
  readonly fp8?: number;
  readonly fp4?: number;
  readonly memory: number;
  readonly attention: number;
}

interface Shapes {
  /** By GFLOP. */
  readonly products: Shape;
  readonly fp8?: Shape;
  readonly fp4?: Shape;
  /** By MB. */
  readonly memory: Shape;
  /** By keys of a token. */
  readonly forward: Shape;
  readonly backward: Shape;
}

const ampere: Shapes = {
  products: [
    [0, 10],
    [1, 35],
    [4, 60],
    [16, 75],
    [64, 80],
  ],
  memory: [
    [0, 40],
    [16, 75],
    [64, 83],
    [256, 88],
  ],
  forward: [
    [0, 25],
    [256, 45],
    [512, 55],
    [1024, 62],
    [2048, 66],
  ],
  backward: [
    [0, 20],
    [256, 35],
    [512, 45],
    [1024, 50],
    [2048, 55],
  ],
};

const hopper: Shapes = {
  products: [
    [0, 10],
    [4, 25],
    [8, 45],
    [16, 60],
    [32, 68],
    [128, 70],
  ],
  fp8: [
    [0, 5],
    [4, 14],
    [8, 20],
    [16, 38],
    [32, 55],
    [128, 67],
  ],
  memory: [
    [0, 40],
    [32, 75],
    [128, 83],
    [512, 89],
  ],
  forward: [
    [0, 17],
    [256, 33],
    [512, 49],
    [1024, 55],
    [2048, 58],
  ],
  backward: [
    [0, 8],
    [256, 17],
    [512, 29],
    [1024, 40],
    [2048, 46],
    [4096, 50],
    [8192, 54],
  ],
};

/** FlashAttention-2, which does not use the asynchronous units of Hopper. */
const hopperFlash2: Shapes = {
  ...hopper,
  forward: [
    [0, 12],
    [256, 21],
    [512, 27],
    [1024, 30],
    [2048, 32],
    [4096, 33],
    [8192, 34],
  ],
  backward: [
    [0, 6],
    [256, 11],
    [512, 16],
    [1024, 21],
    [2048, 25],
    [4096, 29],
    [8192, 31],
  ],
};

/** Twice the rates of Hopper: a kernel fills the device from twice the size on. */
const larger = (shape: Shape): Shape => shape.map(([size, percent]) => [2 * size, percent]);
const blackwell: Shapes = {
  ...hopper,
  products: larger(hopper.products),
  fp8: larger(hopper.fp8 ?? []),
  // Twice the rate of fp8 again. No kernels in fp4 were measured.
  fp4: larger(larger(hopper.fp8 ?? [])),
  memory: larger(hopper.memory),
};

type Rates = Required<Pick<DeviceFigures, 'kernels' | 'efficiency' | 'family'>>;

/** Entries of a device: the figure for the smallest kernels, then those by size. */
function rates(
  family: Rates['family'],
  { products, fp8 = [], fp4 = [], memory, forward, backward }: Shapes,
  levels: Levels,
): Rates {
  const entries = (key: string, word: string, unit: string, shape: Shape, level: number) =>
    shape.map(([size, percent]): [string, number] => {
      const within = [...(word === '' ? [] : [word]), ...(size === 0 ? [] : [`${size}${unit}`])];
      return [within.length === 0 ? key : `${key}(${within.join(', ')})`, Math.round(level * percent)];
    });
  return {
    family,
    efficiency: Math.round(levels.products * products[0][1]),
    kernels: [
      ...entries('efficiency', '', 'GFLOP', products.slice(1), levels.products),
      ...entries('efficiency', 'fp8', 'GFLOP', fp8, levels.fp8 ?? levels.products),
      ...entries('efficiency', 'fp4', 'GFLOP', fp4, levels.fp4 ?? levels.products),
      ...entries('memory_efficiency', '', 'MB', memory, levels.memory),
      ...entries('attention_efficiency', '', '', forward, levels.attention),
      ...entries('attention_efficiency', 'backward', '', backward, levels.attention),
    ],
  };
}

export const a100Rates = rates('ampere', ampere, { products: 0.87, memory: 0.9, attention: 0.87 });
const h100Levels: Levels = { products: 0.83, fp8: 0.76, memory: 0.85, attention: 0.58 };
export const h100Rates = rates('hopper', hopper, h100Levels);
export const h100Flash2Rates = rates('hopper', hopperFlash2, h100Levels);
export const b200Rates = {
  unfitted: ['bf16', 'fp16'],
  ...rates('blackwell', blackwell, { products: 0.8, fp8: 0.7, fp4: 0.4, memory: 0.8, attention: 0.75 }),
};
/**
 * Blackwell Ultra at 1400 W in place of 1200 W (GB300 and GB200 NVL72 data sheets) keeps higher clocks under load. Its units for
 * exponentials are twice as fast, which the softmax of attention waits for (NVIDIA, *Inside NVIDIA Blackwell Ultra*, August 2025).
 */
export const gb300Rates = {
  unfitted: ['bf16', 'fp16'],
  ...rates('blackwell', blackwell, { products: 0.8, fp8: 0.85, fp4: 0.4, memory: 0.8, attention: 0.9 }),
};
