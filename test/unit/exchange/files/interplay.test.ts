/** Rules of exchange with operations of a schedule, tied embeddings, and two stages on a device. Worked out by hand. */
import { expect, test } from 'vitest';
import { B, kindOf, stageOf } from '../../../../engine/values/program.ts';
import { startAt } from '../../../../engine/values/timeline.ts';
import { type FileRun, runsOf } from './fixture.ts';

const runOf = (text: string): FileRun => {
  const [run] = runsOf(text).values();
  return run;
};

const layers = [10, 10, 40].map(
  (megabytes, at) => `layer l${at} { forward = 1ms  backward = 1ms  weights = ${megabytes}MB }`,
);

test.each([
  ['overlap', 10],
  ['overlap(order = forward, partition = 10MB, barrier = false)', 8],
])('%s: an operation of 3 ms before the backward makes an iteration of %d ms 3 ms longer', (sync, milliseconds) => {
  const text = (rows: string) => `schedule rows_of {
  operation loss { time = 3ms  after(j) = F[j]  before(j) = B[j] }
  row(d) = ${rows}
}
model toy { ${layers.join('  ')} }
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline p {
  model = toy  devices = pair  microbatches = 1  stages = balance(1)  schedule = rows_of  data = 2
  sync = ${sync}
}`;
  expect(runOf(text('F[0], loss[0], B[0]')).iteration * 1e3).toBeCloseTo(milliseconds + 3, 9);
  // After the backward, it runs while gradients are sent.
  const after = text('F[0], B[0], loss[0]').replace('after(j) = F[j]  before(j) = B[j]', 'after(j) = B[j]');
  expect(runOf(after).iteration * 1e3).toBeCloseTo(sync === 'overlap' ? milliseconds : 9, 9);
});

test('copies of an embedding are exchanged after the lanes', () => {
  const [vocab, hidden] = [50000, 1024];
  const { timeline } = runOf(`model m {
  sequence = 1024  micro_batch = 1
  layer embed = embedding(vocab = ${vocab}, hidden = ${hidden})
  layer block[4] = transformer(hidden = ${hidden}, heads = 16)
  layer head = lm_head(vocab = ${vocab}, hidden = ${hidden}, tied = true)
}
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[8] = gpu  link = 100GB/s }
pipeline p {
  model = m  devices = box  microbatches = 8  stages = split(3, 3)  schedule = 1f1b  data = 2
  sync = ddp
}`);
  const { exchange, last, exchanged, makespan } = timeline;
  const copies = (2 * vocab * hidden) / 100e9;
  const ready = last.map((at, device) => Math.max(at, ...(exchange?.lanes[device].arrival ?? [])));
  expect(ready.every((at, device) => at > last[device])).toBe(true);
  ready.forEach((at, device) => expect(exchanged[device] - at).toBeCloseTo(copies, 9));
  expect(makespan).toBeCloseTo(Math.max(...ready) + copies, 9);
});

test('tio pulls what the first stage of a device needs before what its second stage needs', () => {
  const { timeline } = runOf(`model m {
${Array.from({ length: 8 }, (_, at) => `  layer l${at} { forward = 1ms  backward = 1ms  weights = ${at + 1}MB }`).join('\n')}
}
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = quad  microbatches = 2  stages = balance(4)  schedule = interleaved_1f1b(2)  data = 2
  sync = tictac(tio)
}`);
  for (const { plan, back, buckets } of timeline.exchange?.lanes ?? []) {
    const pulled = Array.from(back?.bucket.subarray(0, back.length) ?? [], (bucket) => buckets.front[bucket]);
    expect(pulled).toHaveLength(plan.tensors.length);
    // The first two layers of a chain are pulled first, then one after the other.
    expect(pulled).toEqual([...pulled].sort((a, b) => a - b));
  }
});

test('halves apart through servers: all is pushed before anything is pulled, the front layer first', () => {
  const { iteration, timeline } = runOf(`model toy { ${layers.join('  ')} }
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline p {
  model = toy  devices = pair  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 2
  sync = overlap(halves = apart, barrier = false)  collective = ps(servers = 2)
}`);
  // Pushes from 4 to 10 ms; pulls until 11, 12 and 16 ms. The last layer runs from 16 to 17 ms, 3 ms after the first would have begun.
  const [lane] = timeline.exchange?.lanes ?? [];
  expect(Array.from(lane.arrival, (at) => at * 1e3)).toEqual([11, 12, 16].map((at) => expect.closeTo(at, 9) as number));
  expect(iteration * 1e3).toBeCloseTo(17 - 3, 9);
});

test('cycles begin with the first last backward of the stages of a device', () => {
  const { timeline, plan } = runOf(`model m {
${Array.from({ length: 4 }, (_, at) => `  layer l${at} { forward = 1ms  backward = 2ms  weights = 10MB }`).join('\n')}
}
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = quad  microbatches = 2  stages = balance(4)  schedule = interleaved_1f1b(2)  data = 2
  sync = horovod
}`);
  const { program, exchange } = timeline;
  for (const [device, lane] of (exchange?.lanes ?? []).entries()) {
    const lasts = new Map<number, number>();
    for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1)
      if (kindOf(program, program.order[at]) === B)
        lasts.set(stageOf(program, program.order[at]), startAt(timeline, at));
    expect(lasts.size).toBe(2);
    expect(lane.plan.stages.map((stage) => plan.placement[stage])).toEqual([device, device]);
    expect(lane.origin).toBe(Math.min(...lasts.values()));
  }
});

test.each([
  ['dualpipe_v(overlap = 50%)', 8],
  ['dualpipe_v(overlap = 100%)', 8],
  ['dualpipe(overlap = 100%)', 4],
])(
  '%s: operations that share a slot do not follow each other, so the bound is not over the period',
  (schedule, stages) => {
    for (const megabytes of [1, 10, 100]) {
      const { timeline } = runOf(`model m {
  layer a[8] { forward = 1ms  backward_input = 1ms  backward_weight = 1ms  weights = ${megabytes}MB }
}
device gpu { memory = 160GiB }
cluster c { gpu[8] = gpu  link = 10GB/s }
pipeline p {
  model = m  devices = c  microbatches = 8  stages = balance(${stages})  schedule = ${schedule}  data = 2
  sync = overlap(barrier = false)
}`);
      const { period, bound } = timeline.exchange ?? { period: NaN, bound: NaN };
      expect(timeline.program.fused).toBeDefined();
      expect(bound).toBeLessThanOrEqual(period + 1e-9);
      expect(bound).toBeGreaterThan(0.9 * period);
    }
  },
);

test.each([
  ['ps(servers = 2)', true],
  ['ps(colocated = true)', false],
])('%s: whether pushes, on a lane apart, are why the servers have not been sent everything', (collective, isApart) => {
  const { timeline } = runOf(`model toy { ${layers.join('  ')} }
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline p {
  model = toy  devices = pair  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 2
  sync = overlap(halves = apart, barrier = false)  collective = ${collective}
}`);
  const [{ server, own, blocked }] = timeline.exchange?.exposed ?? [];
  expect(own + blocked).toBeGreaterThan(0);
  // With halves apart, pulls take the lane of the pushes, too.
  expect(server > 0).toBe(false);
  const together = runOf(`model toy { ${layers.join('  ')} }
device gpu { memory = 16GiB }
cluster pair { gpu[2] = gpu  link = 10GB/s }
pipeline p {
  model = toy  devices = pair  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 2
  sync = tictac(tao)  collective = ${collective}
}`).timeline;
  expect((together.exchange?.exposed[0].server ?? 0) > 0).toBe(isApart);
});
