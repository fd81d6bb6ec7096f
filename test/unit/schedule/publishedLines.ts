import type { PublishedOrder } from './publishedOrder.ts';

/** Pipelines of one direction. */
export const publishedLines: readonly PublishedOrder[] = [
  {
    source: 'sail-sg/zero-bubble-pipeline-parallelism, megatron/core/pipeline_parallel/handcrafted_zb_v at 106e4704',
    policy: 'zb_v',
    devices: 3,
    microbatches: 6,
    args: {},
    rows: [
      '0F0 0F1 0F2 0F3 0F4 5F0 5I0 5W0 5F1 5I1 5W1 5F2 5I2 5W2 0F5 0I0 0W0 5F3 5I3 5W3 0I1 0W1 5F4 5I4 5W4 0I2 0W2 5F5 5I5 5W5 0I3 0W3 0I4 0W4 0I5 0W5',
      '1F0 1F1 1F2 4F0 1F3 4F1 4I0 4W0 4F2 4I1 4W1 1F4 1I0 1W0 4F3 4I2 4W2 1F5 1I1 1W1 4F4 4I3 4W3 1I2 1W2 4F5 4I4 4W4 1I3 4I5 1I4 1W3 1I5 1W4 4W5 1W5',
      '2F0 3F0 2F1 3F1 2F2 3F2 3I0 3W0 2F3 2I0 2W0 3F3 3I1 3W1 2F4 2I1 2W1 3F4 3I2 3W2 2F5 2I2 2W2 3F5 3I3 3W3 2I3 3I4 2I4 3I5 2I5 2W3 3W4 3W5 2W4 2W5',
    ],
  },
  {
    source: 'sail-sg/zero-bubble-pipeline-parallelism, megatron/core/pipeline_parallel/handcrafted_zb_v at 106e4704',
    policy: 'zb_v',
    devices: 4,
    microbatches: 3,
    args: {},
    rows: [
      '0F0 0F1 0F2 7F0 7I0 7W0 7F1 7I1 7W1 7F2 7I2 7W2 0I0 0W0 0I1 0W1 0I2 0W2',
      '1F0 1F1 1F2 6F0 6F1 6I0 6W0 6F2 6I1 6W1 6I2 6W2 1I0 1W0 1I1 1W1 1I2 1W2',
      '2F0 2F1 2F2 5F0 5F1 5F2 5I0 5W0 5I1 5W1 2I0 2W0 5I2 5W2 2I1 2W1 2I2 2W2',
      '3F0 4F0 3F1 4F1 3F2 4F2 4I0 4W0 3I0 3W0 4I1 4W1 3I1 3W1 4I2 4W2 3I2 3W2',
    ],
  },
  {
    source: 'microsoft/DeepSpeed, deepspeed/runtime/pipe/schedule.py at 077e6740',
    policy: '1f1b',
    devices: 4,
    microbatches: 6,
    args: {},
    rows: [
      '0F0 0F1 0F2 0F3 0B0 0F4 0B1 0F5 0B2 0B3 0B4 0B5',
      '1F0 1F1 1F2 1B0 1F3 1B1 1F4 1B2 1F5 1B3 1B4 1B5',
      '2F0 2F1 2B0 2F2 2B1 2F3 2B2 2F4 2B3 2F5 2B4 2B5',
      '3F0 3B0 3F1 3B1 3F2 3B2 3F3 3B3 3F4 3B4 3F5 3B5',
    ],
  },
  {
    source: 'microsoft/DeepSpeed, deepspeed/runtime/pipe/schedule.py at 077e6740',
    policy: '1f1b',
    devices: 3,
    microbatches: 2,
    args: {},
    rows: ['0F0 0F1 0B0 0B1', '1F0 1F1 1B0 1B1', '2F0 2B0 2F1 2B1'],
  },
  {
    source: 'alpa-projects/alpa, alpa/pipeline_parallel/schedules.py at 080cf638: gpipe',
    policy: 'gpipe',
    devices: 3,
    microbatches: 3,
    args: {},
    rows: ['0F0 0F1 0F2 0B0 0B1 0B2', '1F0 1F1 1F2 1B0 1B1 1B2', '2F0 2F1 2F2 2B0 2B1 2B2'],
  },
  {
    source: 'alpa-projects/alpa, alpa/pipeline_parallel/schedules.py at 080cf638: 1f1b_overlap_friendly',
    policy: 'eager_1f1b',
    devices: 3,
    microbatches: 6,
    args: {},
    rows: [
      '0F0 0F1 0F2 0F3 0F4 0B0 0F5 0B1 0B2 0B3 0B4 0B5',
      '1F0 1F1 1F2 1B0 1F3 1B1 1F4 1B2 1F5 1B3 1B4 1B5',
      '2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3 2F4 2B4 2F5 2B5',
    ],
  },
  {
    source: 'alpa-projects/alpa, alpa/pipeline_parallel/schedules.py at 080cf638: 1f1b_overlap_friendly',
    policy: 'eager_1f1b',
    devices: 4,
    microbatches: 5,
    args: {},
    rows: [
      '0F0 0F1 0F2 0F3 0F4 0B0 0B1 0B2 0B3 0B4',
      '1F0 1F1 1F2 1F3 1F4 1B0 1B1 1B2 1B3 1B4',
      '2F0 2F1 2F2 2B0 2F3 2B1 2F4 2B2 2B3 2B4',
      '3F0 3B0 3F1 3B1 3F2 3B2 3F3 3B3 3F4 3B4',
    ],
  },
  {
    source:
      'NVIDIA/Megatron-LM, megatron/core/pipeline_parallel/schedules.py: get_schedule_table, get_pp_rank_microbatches',
    policy: 'interleaved_1f1b',
    devices: 2,
    microbatches: 5,
    args: { chunks: 2, group: 3 },
    rows: [
      '0F0 0F1 0F2 2F0 2F1 2F2 2B0 0F3 2B1 0F4 2B2 2F3 0B0 2F4 0B1 0B2 2B3 2B4 0B3 0B4',
      '1F0 1F1 1F2 3F0 3B0 3F1 3B1 3F2 3B2 1F3 1B0 1F4 1B1 3F3 1B2 3F4 3B3 3B4 1B3 1B4',
    ],
  },
  {
    source:
      'NVIDIA/Megatron-LM, megatron/core/pipeline_parallel/schedules.py: get_schedule_table, get_pp_rank_microbatches',
    policy: 'interleaved_1f1b',
    devices: 3,
    microbatches: 6,
    args: { chunks: 2, group: 3 },
    rows: [
      '0F0 0F1 0F2 3F0 3F1 3F2 0F3 0F4 3B0 0F5 3B1 3F3 3B2 3F4 0B0 3F5 0B1 0B2 3B3 3B4 3B5 0B3 0B4 0B5',
      '1F0 1F1 1F2 4F0 4F1 4F2 4B0 1F3 4B1 1F4 4B2 1F5 1B0 4F3 1B1 4F4 1B2 4F5 4B3 4B4 4B5 1B3 1B4 1B5',
      '2F0 2F1 2F2 5F0 5B0 5F1 5B1 5F2 5B2 2F3 2B0 2F4 2B1 2F5 2B2 5F3 5B3 5F4 5B4 5F5 5B5 2B3 2B4 2B5',
    ],
  },
  {
    source:
      'NVIDIA/Megatron-LM, megatron/core/pipeline_parallel/schedules.py: get_schedule_table, get_pp_rank_microbatches',
    policy: 'interleaved_1f1b',
    devices: 2,
    microbatches: 4,
    args: { chunks: 3, group: 2 },
    rows: [
      '0F0 0F1 2F0 2F1 4F0 4F1 0F2 4B0 0F3 4B1 2F2 2B0 2F3 2B1 4F2 0B0 4F3 0B1 4B2 4B3 2B2 2B3 0B2 0B3',
      '1F0 1F1 3F0 3F1 5F0 5B0 5F1 5B1 1F2 3B0 1F3 3B1 3F2 1B0 3F3 1B1 5F2 5B2 5F3 5B3 3B2 3B3 1B2 1B3',
    ],
  },
  {
    source:
      'sail-sg/zero-bubble-pipeline-parallelism, megatron/core/pipeline_parallel/zerobubble/scheduler/seq1f1b.py at 55ce9624',
    policy: 'seq1f1b',
    devices: 4,
    microbatches: 2,
    args: { segments: 3 },
    rows: [
      '0F0.0 0F0.1 0F0.2 0F1.0 0F1.1 0F1.2 0B0.2 0B0.1 0B0.0 0B1.2 0B1.1 0B1.0',
      '1F0.0 1F0.1 1F0.2 1F1.0 1F1.1 1B0.2 1F1.2 1B0.1 1B0.0 1B1.2 1B1.1 1B1.0',
      '2F0.0 2F0.1 2F0.2 2F1.0 2B0.2 2F1.1 2B0.1 2F1.2 2B0.0 2B1.2 2B1.1 2B1.0',
      '3F0.0 3F0.1 3F0.2 3B0.2 3F1.0 3B0.1 3F1.1 3B0.0 3F1.2 3B1.2 3B1.1 3B1.0',
    ],
  },
  {
    source:
      'sail-sg/zero-bubble-pipeline-parallelism, megatron/core/pipeline_parallel/zerobubble/scheduler/seq1f1b.py at 55ce9624',
    policy: 'seq1f1b',
    devices: 2,
    microbatches: 3,
    args: { segments: 2 },
    rows: [
      '0F0.0 0F0.1 0F1.0 0B0.1 0F1.1 0B0.0 0F2.0 0B1.1 0F2.1 0B1.0 0B2.1 0B2.0',
      '1F0.0 1F0.1 1B0.1 1F1.0 1B0.0 1F1.1 1B1.1 1F2.0 1B1.0 1F2.1 1B2.1 1B2.0',
    ],
  },
];
