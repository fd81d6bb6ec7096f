import { amountOf, key, type BlockSchema } from './types.ts';
import type { Word } from '../kinds.ts';
import { precisions } from './words.ts';

const framework: Word = {
  name: 'framework',
  doc: 'A context (1.5 GiB), and 0.5 GiB for each communicator group that the device is in: pipeline neighbours, tensor, context, data, experts; at most 3 GiB. The settings `pipewright.memory.*` have these figures.',
};

export const device: BlockSchema = {
  name: 'device',
  doc: 'One kind of accelerator.',
  keys: [
    key('memory', 'memory = 80GiB', amountOf('bytes', { above: 0 }), 'Bytes of memory on one device.', {
      required: true,
    }),
    key(
      'reserved',
      'reserved = 2GiB',
      amountOf('bytes', { min: 0, words: [framework] }),
      'Bytes that the framework and other programs hold; 0 unless said. `framework` counts them: a context, and a communicator for each group that the device is in.',
    ),
    key(
      'compute',
      'compute = 312TFLOPS',
      amountOf('compute', { above: 0 }),
      'Dense peak rate. Needed for layers with a shape. `compute(fp8) = …` is that of one number format, which counts where a model has that precision.',
      { forms: ['value', 'call'], repeatable: true, parameters: precisions },
    ),
    key(
      'bandwidth',
      'bandwidth = 2TB/s',
      amountOf('bandwidth', { above: 0 }),
      'Bandwidth of the device memory. Without it only FLOPs take time.',
    ),
    key(
      'efficiency',
      'efficiency = 50%',
      amountOf('share', { above: 0, max: 1 }),
      'Share of the peak that the kernels of whole layers reach; 100 % unless said. `efficiency(fp8) = …` is that of one number format. `efficiency(16GFLOP) = …`, `efficiency(fp8, 16GFLOP) = …`: that of products of so many FLOPs and more; layers are then costed kernel by kernel, and `efficiency` is the share of smaller products.',
      { forms: ['value', 'call'], repeatable: true, parameters: precisions, sizes: 'flops' },
    ),
    key(
      'memory_efficiency',
      'memory_efficiency = 80%',
      amountOf('share', { above: 0, max: 1 }),
      'Share of `bandwidth` that kernels reach; 100 % unless said. `memory_efficiency(10MB) = …` is that of kernels that move so many bytes and more; layers are then costed kernel by kernel.',
      { forms: ['value', 'call'], repeatable: true, parameters: [], sizes: 'bytes' },
    ),
    key(
      'launch',
      'launch = 4us',
      amountOf('time'),
      'Time that each kernel of a layer with a shape takes besides its work; 0 unless said: a processor that runs ahead, or CUDA graphs, hide it.',
    ),
    key(
      'memory_overlap',
      'memory_overlap = 0%',
      amountOf('share', { min: 0, max: 1 }),
      'Share of the shorter of computing and moving bytes that runs beside the longer: 100 % unless said, a roofline; 0 % adds the two.',
    ),
    key(
      'speed',
      'speed = 1.5',
      amountOf('number', { above: 0 }),
      'Relative speed for measured layers: their times are divided by it; 1 unless said.',
    ),
    key(
      'from',
      'from = system("a100_80g.json")',
      { kind: 'system' },
      'Figures that stand in a file of Calculon (`.json`) or aiconfigurator (`.yaml`). Keys beside it stand for those of the file.',
    ),
  ],
};
