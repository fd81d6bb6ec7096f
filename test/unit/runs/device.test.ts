/** Traces of GPUs, by what PyTorch documents: work is joined to the call that launched it, on any thread. */
import { expect, test } from 'vitest';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import { rankTimes } from '../../../engine/measured/idle.ts';
import { measure } from '../../../engine/runs/measure.ts';
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

/** Kernels of one replay of a CUDA graph: they share the number of the launch. */
const replayed = (
  correlation: number,
  works: readonly (readonly [label: string | undefined, ts: number, dur: number, kernel?: string])[],
): readonly Event[] => [
  { name: 'cudaGraphLaunch', cat: 'cuda_runtime', ts: works[0][1] - 50, dur: 5, tid: 1, args: { correlation } },
  ...works.map(([name, ts, dur, kernel = 'gemm']) => ({
    ...{ name: kernel, cat: 'kernel', ts, dur, tid: 7 },
    args: { correlation, 'graph node id': ts, ...(name === undefined ? {} : { name }) },
  })),
];

test('operations of a CUDA graph are its labelled kernels, replay by replay', () => {
  const step = (correlation: number, at: number): readonly Event[] => [
    // The step on the host ends before the replay begins.
    slice(`ProfilerStep#${correlation}`, at - 60, 20),
    ...replayed(correlation, [
      ['PP:0F0', at, 10],
      ['PP:0F0', at + 5, 15],
      [undefined, at + 21, 2],
      ['PP:0SEND_F0', at + 20, 4, 'ncclDevKernel_SendRecv(ncclDevKernelArgs)'],
      ['PP:0RECV_B0', at + 24, 36, 'ncclDevKernel_SendRecv(ncclDevKernelArgs)'],
      ['PP:0B0', at + 60, 30],
      // An optimizer in the same graph.
      ['adam', at + 95, 5],
    ]),
  ];
  const { steps } = recordingOf([...step(1, 100), ...step(2, 300)]);
  expect(steps.map(({ number }) => number)).toEqual([0, 1]);
  for (const [at, { rows }] of steps.entries()) {
    expect(orderOf(rows[0])).toBe('0F0 0B0');
    expect(rounded(rows[0].work)).toEqual([20, 30]);
    const from = 200 * at;
    expect(rounded(rows[0].start)).toEqual([from, from + 60]);
    // What the backward needs was there when its message ended; the device waited for it from the end of the forward on.
    expect(rounded(rows[0].begin)).toEqual([from, from + 20]);
    expect(rounded(rows[0].posted)[0]).toBe(from + 20);
    expect(rounded(rows[0].arrived)[1]).toBe(from + 60);
  }
});

test('a fused pair of a CUDA graph has one label, so it has a slot and no times', () => {
  const row = rowOf(
    replayed(1, [
      ['PP:0F0', 100, 10],
      ['PP:0F1', 110, 10],
      ['PP:(0B0;0B1)OVERLAP_F_B', 120, 40],
    ]),
  );
  expect(orderOf(row)).toBe('0F0 0F1 0B0 0B1');
  expect(rounded(row.work)).toEqual([10, 10, Number.NaN, Number.NaN]);
  expect(rounded(row.end)).toEqual([10, 20, 60, 60]);
});

test('slices on the host say more than labels of kernels, and a label that is none is told at its place', () => {
  const events = [
    slice('PP:0F0', 90, 5),
    ...launched(1, { ts: 91 }, { ts: 95, dur: 7 }),
    // A graph that was recorded for microbatch 0 is replayed for microbatch 1.
    slice('PP:0F1', 110, 5),
    ...launched(2, { ts: 111 }, { ts: 115, dur: 9 }).map((event) =>
      event.cat === 'kernel' ? { ...event, args: { ...event.args, name: 'PP:0F0' } } : event,
    ),
  ];
  expect(orderOf(rowOf(events))).toBe('0F0 0F1');
  expect(rounded(rowOf(events).work)).toEqual([7, 9]);
  expect(() =>
    rowOf(
      replayed(1, [
        ['PP:0F0', 100, 10],
        ['PP:0X1', 120, 10],
      ]),
    ),
  ).toThrow(/0X1/);
});

/** A rank of two: what it launches between the operations of microbatch 0. */
const rankOf = (rank: number, events: readonly Event[]) =>
  traceOf(
    `rank${rank}.json`,
    JSON.stringify({ distributedInfo: { rank }, traceEvents: events.map((event) => ({ ph: 'X', pid: 1, ...event })) }),
  );
const nccl = 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)';

test('a kernel that sends and receives at once has one time for both messages', () => {
  // NCCL makes one kernel of the send of F1 and the receive of B0, launched in the slice of the receive.
  const first = [
    slice('PP:0F0', 0, 5),
    ...launched(1, { ts: 1 }, { ts: 100, dur: 50 }),
    slice('PP:0SEND_F0', 6, 1),
    ...launched(2, { ts: 6 }, { ts: 150, dur: 10, name: nccl }),
    slice('PP:0F1', 8, 5),
    ...launched(3, { ts: 9 }, { ts: 160, dur: 50 }),
    slice('PP:0SEND_F1', 14, 1),
    slice('PP:0RECV_B0', 16, 1),
    ...launched(4, { ts: 16 }, { ts: 212, dur: 80, name: nccl }),
    slice('PP:0B0', 18, 5),
    ...launched(5, { ts: 19, tid: 2 }, { ts: 292, dur: 60 }),
    slice('PP:0RECV_B1', 24, 1),
    ...launched(6, { ts: 24 }, { ts: 360, dur: 90, name: nccl }),
    slice('PP:0B1', 26, 5),
    ...launched(7, { ts: 27, tid: 2 }, { ts: 450, dur: 60 }),
  ];
  const last = [
    slice('PP:1RECV_F0', 0, 1),
    ...launched(1, { ts: 0 }, { ts: 5, dur: 155, name: nccl }),
    slice('PP:1F0', 2, 5),
    ...launched(2, { ts: 3 }, { ts: 160, dur: 50 }),
    slice('PP:1B0', 8, 5),
    ...launched(3, { ts: 9, tid: 2 }, { ts: 210, dur: 60 }),
    slice('PP:1SEND_B0', 14, 1),
    slice('PP:1RECV_F1', 16, 1),
    ...launched(4, { ts: 16 }, { ts: 270, dur: 22, name: nccl }),
    slice('PP:1F1', 18, 5),
    ...launched(5, { ts: 19 }, { ts: 292, dur: 50 }),
    slice('PP:1B1', 24, 5),
    ...launched(6, { ts: 25, tid: 2 }, { ts: 342, dur: 60 }),
    slice('PP:1SEND_B1', 30, 1),
    ...launched(7, { ts: 30 }, { ts: 402, dur: 48, name: nccl }),
  ];
  const assembled = assemble([rankOf(0, first), rankOf(1, last)]);
  if ('faults' in assembled) throw new Error(assembled.faults[0].message);
  const [recording] = assembled.recordings;
  const [one, two] = recording.steps[0].rows;
  expect([orderOf(one), orderOf(two)]).toEqual(['0F0 0F1 0B0 0B1', '1F0 1B0 1F1 1B1']);
  // F1 and B0 are there when the one kernel of each rank ends, and no kernel of a message is time of an operation.
  expect(rounded(one.arrived).slice(2)).toEqual([292, 450]);
  expect(rounded(two.arrived)).toEqual([160, Number.NaN, 292, Number.NaN]);
  expect(rounded(one.work)).toEqual([50, 50, 60, 60]);
  // Sent by the kernel of its slice. When one kernel also receives, nothing tells when it sent.
  expect(rounded(one.posted).slice(0, 2)).toEqual([150, Number.NaN]);
  expect([rounded(two.posted)[1], rounded(two.posted)[3]]).toEqual([Number.NaN, 402]);
  // The message of F0 flew 10 µs, not the 154 since the host asked for it.
  const { flights } = measure(recording, 0);
  expect(flights.find(({ from }) => from === 0)?.seconds.map((seconds) => Math.round(seconds * 1e6))).toEqual([10]);
});

test('two operations that ran at once have one time, which a rank spends once', () => {
  const events = [
    slice('PP:0F0', 50, 5),
    ...launched(9, { ts: 51 }, { ts: 60, dur: 5 }),
    slice('PP:(0F1;0B0)OVERLAP_F_B', 100, 10),
    ...launched(1, { ts: 101 }, { ts: 150, dur: 20 }),
    ...launched(2, { ts: 102, tid: 2 }, { ts: 160, dur: 30 }),
    slice('PP:0B1', 300, 5),
    ...launched(10, { ts: 301 }, { ts: 310, dur: 5 }),
  ];
  const recording = recordingOf(events);
  const [row] = recording.steps[0].rows;
  expect(rounded(row.start)).toEqual([10, 100, 100, 260]);
  expect(rounded(row.end)).toEqual([15, 140, 140, 265]);
  const [time] = rankTimes(recording, recording.steps);
  const micros = Object.fromEntries(Object.entries(time).map(([part, seconds]) => [part, Math.round(seconds * 1e6)]));
  expect(micros).toMatchObject({ computing: 50, within: 0, sender: 0, message: 0, done: 0 });
  for (const part of Object.values(micros)) expect(part).toBeGreaterThanOrEqual(0);
  expect(Object.values(micros).reduce((all, part) => all + part, 0)).toBe(255);
});
