import type { PublishedOrder } from './publishedOrder.ts';

const source =
  'sail-sg/zero-bubble-pipeline-parallelism, megatron/core/pipeline_parallel/zerobubble/scheduler/v1f1b.py at 39f2c186';

/** Orders of 1F1B-V, as the authors' code gives them for F = 1, B = 2 and free transfers. */
export const publishedWholeV: readonly PublishedOrder[] = [
  {
    source,
    policy: '1f1b_v',
    devices: 2,
    microbatches: 4,
    args: {},
    rows: [
      '0F0 0F1 0F2 3F0 3B0 3F1 3B1 0F3 0B0 3F2 3B2 0B1 3F3 3B3 0B2 0B3',
      '1F0 2F0 1F1 2F1 2B0 1B0 1F2 2F2 2B1 1B1 1F3 2F3 2B2 1B2 2B3 1B3',
    ],
  },
  {
    source,
    policy: '1f1b_v',
    devices: 3,
    microbatches: 6,
    args: {},
    rows: [
      '0F0 0F1 0F2 0F3 0F4 5F0 5B0 5F1 5B1 5F2 5B2 5F3 0B0 5B3 0F5 5F4 0B1 5B4 5F5 0B2 5B5 0B3 0B4 0B5',
      '1F0 1F1 1F2 4F0 1F3 4F1 4B0 4F2 4B1 1F4 1B0 4F3 4B2 1B1 4F4 4B3 1F5 1B2 4F5 4B4 1B3 4B5 1B4 1B5',
      '2F0 3F0 2F1 3F1 2F2 3F2 3B0 2B0 2F3 3F3 3B1 2B1 2F4 3F4 3B2 2B2 2F5 3F5 3B3 2B3 3B4 2B4 3B5 2B5',
    ],
  },
  {
    source,
    policy: '1f1b_v',
    devices: 4,
    microbatches: 8,
    args: {},
    rows: [
      '0F0 0F1 0F2 0F3 0F4 7F0 7B0 7F1 7B1 7F2 7B2 7F3 7B3 0B0 0F5 7F4 7B4 0B1 0F6 7F5 7B5 0B2 0F7 7F6 7B6 0B3 7F7 7B7 0B4 0B5 0B6 0B7',
      '1F0 1F1 1F2 1F3 6F0 6F1 6B0 6F2 6B1 1F4 6B2 6F3 1B0 6B3 6F4 1F5 1B1 6B4 6F5 1F6 1B2 6B5 6F6 1F7 1B3 6B6 6F7 1B4 6B7 1B5 1B6 1B7',
      '2F0 2F1 2F2 5F0 5F1 5F2 5B0 2F3 5B1 2F4 2B0 5F3 5B2 2B1 5F4 5B3 2F5 2B2 5F5 5B4 2F6 2B3 5F6 5B5 2F7 2B4 5F7 5B6 2B5 5B7 2B6 2B7',
      '3F0 4F0 3F1 4F1 3F2 4F2 4B0 3B0 3F3 4F3 4B1 3B1 3F4 4F4 4B2 3B2 3F5 4F5 4B3 3B3 3F6 4F6 4B4 3B4 3F7 4F7 4B5 3B5 4B6 3B6 4B7 3B7',
    ],
  },
  {
    source,
    policy: '1f1b_v',
    devices: 5,
    microbatches: 8,
    args: {},
    rows: [
      '0F0 0F1 0F2 0F3 0F4 0F5 0F6 9F0 9B0 9F1 9B1 9F2 9B2 9F3 9B3 9F4 9B4 0B0 0F7 9F5 9B5 0B1 9F6 9B6 0B2 9F7 9B7 0B3 0B4 0B5 0B6 0B7',
      '1F0 1F1 1F2 1F3 1F4 1F5 8F0 8F1 8B0 8F2 8B1 8F3 8B2 1F6 8B3 8F4 1B0 8B4 8F5 1F7 1B1 8B5 8F6 1B2 8B6 8F7 1B3 8B7 1B4 1B5 1B6 1B7',
      '2F0 2F1 2F2 2F3 7F0 7F1 7F2 7F3 7B0 2F4 7B1 2F5 7B2 2F6 7B3 7F4 2B0 7F5 2B1 7B4 2F7 7F6 2B2 7B5 7F7 2B3 7B6 2B4 7B7 2B5 2B6 2B7',
      '3F0 3F1 3F2 6F0 3F3 6F1 6F2 6F3 6B0 3F4 6B1 3F5 3B0 6F4 6B2 3F6 3B1 6F5 6B3 3B2 6F6 6B4 3F7 3B3 6F7 6B5 3B4 6B6 3B5 6B7 3B6 3B7',
      '4F0 5F0 4F1 5F1 4F2 5F2 4F3 5F3 5B0 4B0 4F4 5F4 5B1 4B1 4F5 5F5 5B2 4B2 4F6 5F6 5B3 4B3 4F7 5F7 5B4 4B4 5B5 4B5 5B6 4B6 5B7 4B7',
    ],
  },
];
