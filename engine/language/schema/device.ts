import { leastCache } from '../../costs/tiles.ts';
import { amountOf, key, type BlockSchema, required } from './types.ts';
import type { Word } from '../kinds.ts';
import { precisions } from './words.ts';

const framework: Word = {
  name: 'framework',
  doc: 'A context (1.5 GiB), and 0.5 GiB for each communicator group that the device belongs to: pipeline neighbours, tensor, context, data, experts; at most 3 GiB. The settings `pipewright.memory.*` have these figures.',
};

const passes: readonly Word[] = [
  { name: 'forward', doc: 'The forward of the attention core.' },
  { name: 'backward', doc: 'The backward of the attention core.' },
];

const none: Word = {
  name: 'none',
  doc: 'In `compute(bf16) = none`: the device does not have this number format. A model in it gets a warning and the rate of the other formats.',
};

export const device: BlockSchema = {
  name: 'device',
  doc: 'One kind of accelerator.',
  keys: [
    key('memory', 'memory = 80GiB', amountOf('bytes', { above: 0 }), 'Bytes of memory on one device.', {
      default: required,
    }),
    key(
      'reserved',
      'reserved = 2GiB',
      amountOf('bytes', { min: 0, words: [framework] }),
      'Memory taken by the framework and other programs. `framework` estimates it: a context, and a communicator for each group that the device belongs to.',
      { see: ['costs/state.md#what-a-framework-holds'], default: '0B' },
    ),
    key(
      'compute',
      'compute = 312TFLOPS',
      amountOf('compute', { above: 0, words: [none] }),
      'Dense peak rate. Needed for layers with a shape. `compute(fp8) = …` sets the peak for one number format. Models with that `precision` use it. `compute(bf16) = none`: the device does not have the format.',
      {
        see: ['diagnostics/device/number-format.md'],
        default: { otherwise: 'none: layers with a shape need it' },
        forms: ['value', 'call'],
        repeatable: true,
        parameters: precisions,
      },
    ),
    key(
      'bandwidth',
      'bandwidth = 2TB/s',
      amountOf('bandwidth', { above: 0 }),
      'Bandwidth of the device memory. Without it only FLOPs take time.',
      { default: { otherwise: 'none: only FLOPs take time' } },
    ),
    key(
      'efficiency',
      'efficiency = 50%',
      amountOf('share', { above: 0, max: 1 }),
      'Share of the peak that the kernels of whole layers reach. `efficiency(fp8) = …` applies to one number format. `efficiency(16GFLOP) = …` and `efficiency(fp8, 16GFLOP) = …` apply to products of at least that size. Layers are then costed kernel by kernel, and `efficiency` applies to smaller products.',
      {
        see: ['costs/time.md#by-size'],
        default: '100%',
        forms: ['value', 'call'],
        repeatable: true,
        parameters: precisions,
        sizes: 'flops',
      },
    ),
    key(
      'attention_efficiency',
      'attention_efficiency = 45%',
      amountOf('share', { above: 0, max: 1 }),
      'Share of the 16-bit peak that fused attention cores (`flash = true`) reach. Their backward then takes 2.5 times the FLOPs of the forward. `attention_efficiency(2048) = …` applies from that many keys for each token of a kernel on: half the sequence if the layer is causal, divided by `context`. `attention_efficiency(backward) = …` and `attention_efficiency(backward, 2048) = …` apply to one pass. Heads narrower than 128 reach less.',
      {
        see: ['costs/time.md#attention'],
        default: {
          otherwise: 'attention is computed like any product, and its backward takes twice the FLOPs of the forward',
        },
        forms: ['value', 'call'],
        repeatable: true,
        parameters: passes,
        sizes: 'number',
      },
    ),
    key(
      'memory_efficiency',
      'memory_efficiency = 80%',
      amountOf('share', { above: 0, max: 1 }),
      'Share of `bandwidth` that kernels reach. `memory_efficiency(10MB) = …` applies to kernels that move at least that many bytes. Layers are then costed kernel by kernel.',
      { default: '100%', forms: ['value', 'call'], repeatable: true, parameters: [], sizes: 'bytes' },
    ),
    key(
      'launch',
      'launch = 4us',
      amountOf('time'),
      'Launch overhead added to each kernel of a layer with a shape. A processor that runs ahead, or CUDA graphs, usually hide it.',
      {
        default: '0s',
      },
    ),
    key(
      'memory_overlap',
      'memory_overlap = 0%',
      amountOf('share', { min: 0, max: 1 }),
      'How much memory traffic overlaps with compute. At 100 % (a roofline) a kernel takes the longer of the two times; at 0 %, their sum.',
      { default: '100%' },
    ),
    key(
      'cache',
      'cache = 164KiB',
      amountOf('bytes', { min: leastCache }),
      'Cache that holds a tile of a product, such as the shared memory of a multiprocessor. Products of layers with a shape are then read tile by tile, by the tile of least memory traffic.',
      { see: ['communication/welder.md'], default: { otherwise: 'none: a product moves each of its elements once' } },
    ),
    key(
      'speed',
      'speed = 1.5',
      amountOf('number', { above: 0 }),
      'Relative speed of computing: divides the times of measured layers and multiplies the rate of `compute`. Memory bandwidth stays the same.',
      { default: '1' },
    ),
    key(
      'host',
      'host = 25GB/s + 5us',
      { kind: 'link' },
      'Link to the memory of the host, in each direction; `half(…)` if both directions share it. Needed for `E[j, to = host]`.',
      { see: ['costs/state.md#on-the-host'], default: { otherwise: 'none' } },
    ),
    key(
      'from',
      'from = h100',
      { kind: 'system' },
      'Takes the figures from another device, such as one of `std:hardware`, or from a file of Calculon (`.json`) or aiconfigurator (`.yaml`): `system("a100_80g.json")`. Keys that you also set override them.',
      { see: ['formats/calculon.md', 'formats/aiconfigurator.md'], default: { otherwise: 'none' } },
    ),
  ],
};
