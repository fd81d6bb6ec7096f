/** Rules of published systems: each is a name for `overlap(…)` with these arguments. A new system is a row. */
import { type RuleArguments, type RuleParameter, ruleParameters } from './arguments.ts';

export interface ExchangePreset {
  readonly name: string;
  readonly doc: string;
  /** Who says the figures. */
  readonly source: string;
  /** What it says where the file does not; `ranks` hold the same weights, `written` is what the file says. */
  readonly arguments: RuleArguments | ((ranks: number, written: RuleArguments) => RuleArguments);
  /** Stages but the first exchange all their gradients as one. */
  readonly wholeBehindFirst?: true;
  /** The collective where the pipeline names none. */
  readonly collective?: 'ps' | 'hybrid';
  /** What a value without a name stands for; default: `bucket`. */
  readonly leading?: string;
}

const mebibytes = (count: number) => ({ bytes: count * 1024 ** 2 });

/** `overlap` is first: the others say how it runs. */
export const exchangePresets: readonly ExchangePreset[] = [
  {
    name: 'overlap',
    doc: 'Gradients of a layer are exchanged as soon as the last backward of its stage has passed it.',
    source: '',
    arguments: {},
  },
  {
    name: 'ddp',
    doc: 'PyTorch DistributedDataParallel: buckets of 25 MiB, the first of 1 MiB.',
    source: 'PyTorch 2: torch/nn/parallel/distributed.py, c10d/reducer.hpp',
    arguments: (_ranks, { bucket }) => (bucket === undefined ? { bucket: mebibytes(25), first: mebibytes(1) } : {}),
  },
  {
    name: 'megatron',
    doc: 'Megatron-LM with overlapped gradient reduction: buckets of 40 M parameters, or of 1 M for each data rank if that is more. Stages but the first have one bucket.',
    source: 'Megatron-LM: megatron/core/distributed/distributed_data_parallel.py',
    arguments: (ranks) => ({ bucket: { parameters: Math.max(40e6, 1e6 * ranks) } }),
    wholeBehindFirst: true,
  },
  {
    name: 'horovod',
    doc: 'Horovod: what is ready is fused every millisecond, up to 128 MiB.',
    source: 'Horovod: horovod/common/operations.cc',
    arguments: { cycle: 1e-3, fuse: mebibytes(128) },
    leading: 'cycle',
  },
  {
    name: 'wfbp',
    doc: 'Wait-free backpropagation: each layer is exchanged as soon as its gradients are there.',
    source: 'Zhang et al., Poseidon, USENIX ATC 2017, section 3',
    arguments: {},
    collective: 'ps',
  },
  {
    name: 'hybrid',
    doc: 'Poseidon: as `wfbp`, and each fully connected layer goes through servers or as factors between workers, whichever moves less.',
    source: 'Zhang et al., Poseidon, USENIX ATC 2017, section 4',
    arguments: {},
    collective: 'hybrid',
  },
  {
    name: 'p3',
    doc: 'P3: slices of 50,000 parameters, the layer that the next forward needs first goes first, no barrier.',
    source: 'Jayarajan et al., P3, MLSys 2019, section 4 (the released code has 40,000: kvstore_dist.h)',
    arguments: { order: 'forward', partition: { parameters: 50_000 }, barrier: false },
    collective: 'ps',
    leading: 'slice',
  },
  {
    name: 'tictac',
    doc: 'TicTac: gradients are pushed as they get ready; after all of them, weights are pulled in the order `tao` or `tio`.',
    source: 'Hashemi et al., TicTac, MLSys 2019',
    arguments: { order: 'tao', barrier: false },
    collective: 'ps',
    leading: 'order',
  },
  {
    name: 'bytescheduler',
    doc: 'ByteScheduler: pieces of 1 M parameters, credit of 4 M, the layer that the next forward needs first goes first, no barrier.',
    source: 'Peng et al., ByteScheduler, SOSP 2019; bytescheduler/common/bytecore.py',
    arguments: {
      order: 'forward',
      partition: { parameters: 1e6 },
      credit: { parameters: 4e6 },
      barrier: false,
    },
    leading: 'partition',
  },
  {
    name: 'byteps',
    doc: 'BytePS: pieces of 4,096,000 bytes as they get ready. With `credit`, that many pieces, and the layer that the next forward needs first goes first.',
    source: 'Jiang et al., BytePS, OSDI 2020; byteps/common/scheduled_queue.cc',
    arguments: (_ranks, { credit }) => ({
      partition: { bytes: 4_096_000 },
      ...(credit === undefined ? {} : { order: 'forward', strict: true }),
    }),
    leading: 'credit',
  },
  {
    name: 'pace',
    doc: 'PACE: the bucket with the longest work behind it goes first, and interrupts others. Buckets are chosen so that the iteration is shortest. No barrier.',
    source: 'Bao et al., Preemptive All-reduce Scheduling for Expediting Distributed DNN Training, INFOCOM 2020',
    arguments: { order: 'tail', bucket: 'best', partition: 'at_preemption', barrier: false },
  },
  {
    name: 'dear',
    doc: 'DeAR: gradients are scattered during the backward, and gathered from the front layer on during the next forward; no barrier.',
    source: 'Zhang et al., DeAR, ICDCS 2023, arXiv:2302.12445',
    arguments: { halves: 'apart', barrier: false },
  },
];

export const findPreset = (name: string): ExchangePreset | undefined =>
  exchangePresets.find((preset) => preset.name === name);

/** Its parameters: a value without a name is what the system is known for. */
export const inOrder = ({ leading = 'bucket' }: ExchangePreset): readonly RuleParameter[] => [
  ...ruleParameters.filter(({ name }) => name === leading),
  ...ruleParameters.filter(({ name }) => name !== leading),
];
