/** Traces of GPUs, by what PyTorch documents: work is joined to the call that launched it, on any thread. */
import { expect, test } from 'vitest';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import type { Recording } from '../../../engine/values/recording.ts';
import { orderOf, traceOf } from './traces.ts';

interface Event {
  readonly name: string;
  readonly cat: string;
  readonly ts: number;
  readonly dur: number;
  readonly tid: number;
  readonly args?: object;
}

const slice = (name: string, ts: number, dur: number): Event => ({ name, cat: 'user_annotation', ts, dur, tid: 1 });

/** A call and the work that it launches. */
const launched = (
  correlation: number,
  call: { readonly cat?: string; readonly ts: number; readonly tid?: number },
  work: { readonly cat?: string; readonly name?: string; readonly ts: number; readonly dur: number },
): readonly Event[] => [
  { name: 'cudaLaunchKernel', cat: 'cuda_runtime', dur: 1, tid: 1, args: { correlation }, ...call },
  { name: 'gemm', cat: 'kernel', tid: 7, args: { correlation, stream: 7 }, ...work },
];

function recordingOf(events: readonly Event[]): Recording {
  const text = JSON.stringify({
    distributedInfo: { rank: 0 },
    traceEvents: events.map((event) => ({ ph: 'X', pid: 1, ...event })),
  });
  const assembled = assemble([traceOf('rank0.json', text)]);
  if ('faults' in assembled) throw new Error(assembled.faults[0].message);
  return assembled.recordings[0];
}

const rowOf = (events: readonly Event[]) => recordingOf(events).steps[0].rows[0];
const rounded = (seconds: Float64Array): readonly number[] => [...seconds].map((second) => Math.round(second * 1e6));

test('an operation takes the union of the work that it launched, on any thread and by any driver', () => {
  const row = rowOf([
    slice('PP:0F0', 100, 10),
    ...launched(1, { ts: 101 }, { ts: 150, dur: 20 }),
    // Triton launches through the driver; the two overlap by 5.
    ...launched(2, { ts: 103, cat: 'cuda_driver' }, { ts: 165, dur: 15 }),
    ...launched(3, { ts: 105 }, { ts: 190, dur: 4, cat: 'gpu_memcpy' }),
    slice('PP:0B0', 120, 10),
    // Autograd has its own thread, and a collective computes nothing.
    ...launched(4, { ts: 125, tid: 2 }, { ts: 200, dur: 40 }),
    ...launched(5, { ts: 126, tid: 2 }, { ts: 200, dur: 90, name: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL' }),
    // Named like the slice on the host, on the device: not an operation.
    { ...slice('PP:0F0', 150, 44), cat: 'gpu_user_annotation' },
    // Launched between two slices.
    ...launched(6, { ts: 115 }, { ts: 300, dur: 40 }),
  ]);
  expect(orderOf(row)).toBe('0F0 0B0');
  expect(rounded(row.work)).toEqual([34, 40]);
  expect(rounded(row.start)).toEqual([50, 100]);
  expect(rounded(row.end)).toEqual([94, 140]);
});

test.each(['ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)', 'ncclDevKernel_SendRecv(ncclDevKernelArgs)'])(
  'a message is there when %s ends',
  (name) => {
    const events = [
      slice('PP:0F0', 90, 5),
      ...launched(1, { ts: 91 }, { ts: 95, dur: 1 }),
      slice('PP:0RECV_B0', 100, 5),
      ...launched(2, { ts: 101 }, { ts: 102, dur: 58, name }),
      slice('PP:0B0', 110, 5),
      ...launched(3, { ts: 111 }, { ts: 161, dur: 9 }),
    ];
    expect(rounded(rowOf(events).arrived)[1]).toBe(160 - 90);
  },
);

test('two fused operations that ran at once have no time; one after the other they have', () => {
  const fused = (second: number): readonly Event[] => [
    slice('PP:(0F1;0B0)OVERLAP_F_B', 100, 10),
    ...launched(1, { ts: 101 }, { ts: 150, dur: 20 }),
    ...launched(2, { ts: 102, tid: 2 }, { ts: second, dur: 30 }),
  ];
  const before = [slice('PP:0F0', 50, 5), ...launched(9, { ts: 51 }, { ts: 60, dur: 5 }), slice('PP:0B1', 300, 5)];
  const rest = [...before, ...launched(10, { ts: 301 }, { ts: 310, dur: 5 })];
  expect(rounded(rowOf([...rest, ...fused(160)]).work)).toEqual([5, Number.NaN, Number.NaN, 5]);
  expect(rounded(rowOf([...rest, ...fused(170)]).work)).toEqual([5, 20, 30, 5]);
});
