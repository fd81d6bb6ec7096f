/** WeiPipe (PPoPP 2025): times, traffic and memory of the interleaved schedule, as docs/schedules/weipipe.md derives them. */
import { describe, expect, it } from 'vitest';
import { runOf } from '../../../support/analyse.ts';
import { exampleText } from '../../../support/example.ts';
import { resolveText } from '../../../support/resolve.ts';

const [schedule = ''] = /^schedule weipipe \{[^]*?^\}/m.exec(exampleText('schedules/weipipe.pipe')) ?? [];

/** F = 10 ms, B = 20 ms; a message with the weights of a stage takes one millisecond for each megabyte. */
const fileOf = (devices: number, microbatches: number, megabytes: number, text = schedule): string => `${text}
device d { memory = 999GiB }
cluster box { gpu[${devices}] = d  link = 1GB/s + 0us }
model toy { layer block[${devices}] { forward = 10ms  backward = 20ms  weights = ${megabytes}MB  activation = 1GB } }
pipeline train { model = toy  devices = box  stages = balance(${devices})  microbatches = ${microbatches}  schedule = weipipe }`;

describe.each([
  [2, 4, 5],
  [2, 6, 9],
  [3, 6, 3],
  [4, 8, 9],
  [4, 12, 5],
  [5, 10, 3],
])('%i devices, %i microbatches, messages of %i ms', (devices, microbatches, x) => {
  const { run } = runOf(fileOf(devices, microbatches, x));
  const { report } = run;
  const bytes = x * 1e6;

  it('ends after m (F + B) + (p − 1) B + 3 p x', () => {
    expect(report.iteration * 1e3).toBeCloseTo(30 * microbatches + 20 * (devices - 1) + 3 * devices * x, 6);
  });
  it('sends (p m − 1)(2 W + D), and m (2 W + D) over a link of the ring', () => {
    const sent = report.links.reduce((sum, link) => sum + link.bytes, 0);
    expect(sent / bytes).toBeCloseTo(3 * (devices * microbatches - 1), 9);
    const next = report.links.find(({ from, to }) => from === 'gpu[0]' && to === 'gpu[1]');
    expect((next?.bytes ?? 0) / bytes).toBeCloseTo(3 * microbatches, 9);
  });
  it('keeps weights and gradients at home, and activations of p + 1 stages', () => {
    for (const { memory, memory_items, in_flight, peak } of report.devices) {
      expect([memory.weights, memory.gradients]).toEqual([bytes, bytes]);
      expect(in_flight).toBe(devices + 1);
      expect(memory_items.reduce((sum, item) => sum + item.bytes, 0)).toBe(peak);
    }
    expect(report.devices.every(({ sync }) => sync.bytes === 0)).toBe(true);
  });
});

describe('the home of a stage', () => {
  const messages = (text: string): readonly string[] =>
    resolveText(fileOf(2, 4, 1, text)).findings.flatMap(({ severity, code, message }) =>
      severity === 'error' ? [`${code}: ${message}`] : [],
    );
  const rows =
    'row(d) = each(j in d..<microbatches step 2, each(s in 0..1, F[j, stage = s]), each(s in 0..1, B[j, stage = 1 - s]))';

  it('holds the weights of its copies: without it each copy does, and gradients are exchanged', () => {
    const text = (home: string) => `schedule weipipe { on(s, j) = mod(j, devices)  ${home}  ${rows} }`;
    const [each] = runOf(fileOf(2, 4, 6, text(''))).run.report.devices;
    expect([each.memory.weights, each.memory.gradients, each.sync.bytes > 0]).toEqual([12e6, 12e6, true]);
    const [first, second] = runOf(fileOf(2, 4, 6, text('home(s) = 1'))).run.report.devices;
    expect([first.memory.weights, first.memory.gradients, first.sync.bytes]).toEqual([0, 0, 0]);
    expect([second.memory.weights, second.memory.gradients, second.sync.bytes]).toEqual([12e6, 12e6, 0]);
  });
  it.each([
    ['home(s) = 2', 'value/range: The home of stage 0 is 2; it must be a whole number from 0 to 1.'],
    ['home(s) = s / 2', 'value/range: The home of stage 1 is 0.5; it must be a whole number from 0 to 1.'],
    ['home(s) = 1GiB', 'type/dimension: Expected a plain number, found bytes; write for example `8`.'],
    ['home(s, j) = s', 'type/mismatch: Expected a stage, as `home(s) = …`, found 2.'],
  ])('%s is refused', (home, message) => {
    expect(messages(`schedule weipipe { on(s, j) = mod(j, devices)  ${home}  ${rows} }`)).toEqual([message]);
  });
  it('runs the stage', () => {
    const text = `schedule weipipe { on(s, j) = s  home(s) = 0  row(d) = F[0..3], B[0..3] }`;
    expect(messages(text)).toEqual([
      'value/range: The home of stage 1 is device 0; it must be a device that runs it: 1.',
    ]);
  });
});
