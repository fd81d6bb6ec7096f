/** Microbatches in flight of schedules that count chunks, segments or copies: one unit for all of them. */
import { describe, expect, test } from 'vitest';
import { inFlightText, inFlightWords, microbatchesInFlight } from '../../../engine/analyze/inFlight.ts';
import { analyse, analyseExample, runOf } from '../../support/analyse.ts';

const p = 4;
const pipelineOf = (schedule: string, stages: number, keys: string): string => `device gpu { memory = 80GiB }
cluster box { gpu[${p}] = gpu  link = 1000GB/s }
model toy { layer block[16] { forward = 4ms  backward = 8ms  weights = 1MiB  activation = 64MiB } }
pipeline train { model = toy  devices = box  microbatches = 16  stages = balance(${stages})  schedule = ${schedule}  ${keys} }`;
const devices = (schedule: string, stages = p, keys = '') =>
  runOf(pipelineOf(schedule, stages, keys)).run.report.devices;
const most = (schedule: string, stages?: number): number =>
  Math.max(...devices(schedule, stages).map(microbatchesInFlight));

describe('most microbatches in flight', () => {
  test('are those of the closed forms, in one unit', () => {
    expect(most('1f1b')).toBe(p);
    expect(most('gpipe')).toBe(16);
    // pv + p − 1 chunks of v (arXiv:2104.04473, section 2.2).
    expect(most('interleaved_1f1b(chunks = 2)', 2 * p)).toBe((2 * p + p - 1) / 2);
    expect(most('interleaved_1f1b(chunks = 4)', 4 * p)).toBe((4 * p + p - 1) / 4);
    // p + k − 1 segments of k (arXiv:2406.03488).
    expect(most('seq1f1b(segments = 4)')).toBe((p + 4 - 1) / 4);
    // Two copies on each device, which share the microbatches: p + 1 (DeepSeek's DualPipe).
    expect(most('dualpipe')).toBe(p + 1);
  });

  test('are memory over the activations of one microbatch on a device, whatever the unit', () => {
    // 16 layers of 64 MiB on four devices: 256 MiB for each microbatch; all devices hold equal weights.
    for (const [schedule, stages] of [
      ['1f1b', p],
      ['interleaved_1f1b(chunks = 2)', 2 * p],
      ['zb_v', 2 * p],
      ['seq1f1b(segments = 4)', p],
      ['gpipe', p],
    ] as const)
      for (const device of devices(schedule, stages)) {
        const held = device.memory_items.filter(
          ({ kind }) => kind === 'activations' || kind === 'activations_for_weight',
        );
        const bytes = held.reduce((sum, item) => sum + item.bytes, 0);
        expect([schedule, microbatchesInFlight(device) * 256 * 2 ** 20]).toEqual([schedule, bytes]);
      }
  });

  test('keep the old count, and are absent where both are equal', () => {
    const [chunked] = devices('interleaved_1f1b(chunks = 2)', 2 * p);
    expect([chunked.in_flight, chunked.in_flight_microbatches]).toEqual([11, 5.5]);
    for (const schedule of ['1f1b', 'dualpipe'])
      for (const device of devices(schedule)) expect(device).not.toHaveProperty('in_flight_microbatches');
  });
});

test.each([
  ['interleaved_1f1b(chunks = 2)', 2 * p, (2 * p + p - 1) / 2],
  ['seq1f1b(segments = 4)', p, (p + 4 - 1) / 4],
  ['dualpipe', p, p + 1],
  ['1f1b', p, p],
])('an expectation counts the microbatches that a report shows: %s', (schedule, stages, held) => {
  const found = analyse(
    pipelineOf(schedule, stages, `} expect train { in_flight == ${held}  in_flight(device = 0) > 99`),
  );
  const first = found.pipelines[0].run?.report.devices[0];
  expect(found.findings.flatMap(({ code, message }) => (code === 'expect/failed' ? [message] : []))).toEqual([
    `Expected in_flight(device = 0) > 99, but it is ${first === undefined ? '' : inFlightText(microbatchesInFlight(first))}.`,
  ]);
});

test('words name microbatches first, then what is counted', () => {
  expect(inFlightWords({ in_flight: 1 }, 'microbatch')).toBe('1 microbatch in flight');
  expect(inFlightWords({ in_flight: 11, in_flight_microbatches: 5.5 }, 'microbatch')).toBe(
    '5.5 microbatches in flight (11 chunks)',
  );
  expect(inFlightWords({ in_flight: 7, in_flight_microbatches: 7 / 3 }, 'segment')).toBe(
    '2.33 microbatches in flight (7 segments)',
  );
});

test('a spare copy keeps nothing: it is no part of a microbatch', () => {
  for (const { report } of analyseExample('schedules/bamboo.pipe').pipelines.flatMap(({ run }) => run ?? []))
    for (const device of report.devices) expect(device).not.toHaveProperty('in_flight_microbatches');
});
