/** Tables of Nsight Systems, with the columns that its documentation lists. */
import { expect, test } from 'vitest';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import { runReader } from '../../../engine/formats/recording/reader.ts';
import { orderOf } from './traces.ts';

const ranges = (...rows: readonly (readonly [string, number, number])[]): string =>
  [
    'Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree',
    ...rows.map(([name, from, to], at) => `${from},${to},${to - from},0,0,"${name}",7,7,1,0,${at},,:${at},"${name}"`),
  ].join('\n');

/** Launch, start and length. */
const kernels = (...rows: readonly (readonly [number, number, number, string?])[]): string =>
  [
    'API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name',
    ...rows.map(
      ([api, from, length, name = 'ampere_gemm<float, 128>']) =>
        `${api},10,${api + 10},5,${from},${length},99,7,8,0,cudaLaunchKernel,"1 1 1","128 1 1","${name}"`,
    ),
  ].join('\n');

function read(text: string, file = 'rank0.csv') {
  const bytes = new Uint8Array(Buffer.from(text));
  const reader = runReader(file, bytes);
  for (let at = 0; at < bytes.length; at += 37) {
    const fault = reader?.push(bytes.subarray(at, at + 37));
    if (fault !== undefined) return { fault };
  }
  return reader?.end();
}

const good = `Processing [report.sqlite] with [nvtx_pushpop_trace.py]...
${ranges([':ProfilerStep#4', 0, 900_000], [':PP:0F0', 1000, 9000], [':PP:0RECV_B0, seq = 3', 10_000, 11_000], [':PP:0B0, seq = 4', 20_000, 29_000])}

Processing [report.sqlite] with [cuda_kern_exec_trace.py]...
${kernels([2000, 100_000, 40_000], [3000, 130_000, 20_000], [10_500, 100_000, 80_000, 'ncclDevKernel_SendRecv(x)'], [21_000, 200_000, 5000])}
`;

test('ranges become operations, and their kernels the time', () => {
  const part = read(good);
  if (part === undefined || !('traces' in part)) throw new Error(JSON.stringify(part));
  const assembled = assemble(part.traces);
  const step = 'faults' in assembled ? undefined : assembled.recordings[0].steps[0];
  expect(step?.number).toBe(4);
  const row = step?.rows[0];
  expect(row === undefined ? '' : orderOf(row)).toBe('0F0 0B0');
  expect([...(row?.work ?? [])].map((seconds) => Math.round(seconds * 1e9))).toEqual([50_000, 5000]);
  // The message was there at 180 µs, 179 µs after the first range began.
  expect(Math.round((row?.arrived[1] ?? 0) * 1e9)).toBe(179_000);
});

test.each([
  [good, 'trace.csv', 'Name the file like "rank3.csv"'],
  [good.replaceAll('PP:', 'XX:'), 'rank0.csv', 'No range is called ":PP:0F0"'],
  [good.slice(0, good.indexOf('API Start')), 'rank0.csv', 'ask for the report cuda_kern_exec_trace too'],
  [good.replace(':PP:0F0', ':PP:0X0'), 'rank0.csv', '`0X0` is not an action of a schedule'],
  [
    good.replace('100000,40000', '100000,-40000'),
    'rank0.csv',
    '"Kernel Dur (ns)" is −40000: a number of at least 0 is expected',
  ],
])('what is missing is named', (text, file, message) => {
  const part = read(text, file);
  expect(part !== undefined && 'fault' in part ? part.fault.message : '').toContain(message);
});
