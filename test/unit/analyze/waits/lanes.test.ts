/** Waits for gradients on lanes, back to the backward that made them. Worked out by hand, and for random files. */
import { describe, expect, test } from 'vitest';
import type { Wait } from '../../../../engine/analyze/waits/chainTypes.ts';
import { criticalPath } from '../../../../engine/analyze/criticalPath.ts';
import { explainWait, type WaitExplanation } from '../../../../engine/analyze/waits/explainWait.ts';
import { waitChain } from '../../../../engine/analyze/waits/waitChain.ts';
import { operationName, stageOf } from '../../../../engine/values/program.ts';
import { type Timeline, endAt, startAt } from '../../../../engine/values/timeline.ts';
import * as fc from '../../../support/property.ts';
import { type FileRun, runsOf } from '../../exchange/files/fixture.ts';
import { toyExchange } from '../../support/toyExchange.ts';
import { waitsOf } from './waits.ts';

const toy = (keys: string): string => toyExchange(keys, 'p');

function runOf(text: string): FileRun {
  const [run] = runsOf(text).values();
  return run;
}

/** From the last end of a device to its first start in the next iteration. */
function betweenIterations({ exchange, last, program, ...timeline }: Timeline, device: number): Wait {
  const first = startAt({ program, ...timeline }, program.offsets[device]);
  return { device, from: last[device], to: first + (exchange?.period ?? NaN), before: -1 };
}

const sentencesOf = ({ sentences }: WaitExplanation): string =>
  sentences.map(({ before, strong, after }) => `${before}${strong}${after}`).join(' ');

function explained(keys: string): { readonly text: string; readonly steps: readonly string[] } {
  const { plan, timeline } = runOf(toy(keys));
  const why = explainWait(plan, timeline, betweenIterations(timeline, 0));
  const parts = why.steps.reduce((sum, { work, transfer }) => sum + work + transfer, 0);
  expect(parts).toBeCloseTo(why.seconds, 9);
  return { text: sentencesOf(why), steps: why.steps.map(({ words, figure }) => `${words}: ${figure}`) };
}

const onLane = 'on the lane of gpu[0]';
const busyWith = 'the lane of gpu[0] is busy with the';

describe('a forward that waits for gradients', () => {
  test('names the layer, the pieces that the lane sent first, and the backward that made these', () => {
    expect(explained('sync = overlap(barrier = false)')).toEqual({
      text:
        '0F0 of the next iteration waits for the gradients of front. ' +
        'From the moment at which 0B0 has made the gradients of back, this takes 6 ms: 6 ms of it on the lane of gpu[0].',
      steps: [
        `exchange of front ${onLane}, 9.54 MiB: 1 ms`,
        `${busyWith} exchange of mid, 9.54 MiB: 1 ms`,
        `${busyWith} exchange of back, 38.1 MiB: 4 ms`,
        'gradients of back get ready in 0B0: 0 ms',
      ],
    });
  });
  test('within the forward: its layers before run meanwhile', () => {
    // In pieces of 1 ms: back, then mid at 2 ms, then front at 3 ms, then the rest of back.
    expect(explained('sync = overlap(order = forward, partition = 10MB, barrier = false)')).toEqual({
      text:
        '0F0 of the next iteration waits for the gradients of back. Its layers before back run meanwhile. ' +
        'From the moment at which 0B0 has made the gradients of front, this takes 4 ms: 4 ms of it on the lane of gpu[0].',
      steps: [
        `exchange of back ${onLane}, 28.6 MiB in 3 pieces: 3 ms`,
        `${busyWith} exchange of front, 9.54 MiB: 1 ms`,
        'gradients of front get ready in 0B0: 0 ms',
      ],
    });
  });
  test('that the lane had no credit to send', () => {
    const { steps } = explained(
      'sync = overlap(order = forward, partition = 10MB, credit = 10MB, ack = 0.5ms, barrier = false)',
    );
    // Each piece of 1 ms is followed by half a millisecond: back, mid, front, and three more of back.
    expect(steps).toHaveLength(12);
    expect(steps.slice(2, 7)).toEqual([
      `exchange of back ${onLane}, 9.54 MiB: 1 ms`,
      'no credit is left until a piece of back gives its credit back: 500 µs',
      `exchange of back ${onLane}, 9.54 MiB: 1 ms`,
      'no credit is left until a piece of front gives its credit back: 500 µs',
      `${busyWith} exchange of front, 9.54 MiB: 1 ms`,
    ]);
  });
  test('that its bucket was incomplete until the gradients of another layer were ready', () => {
    expect(explained('sync = overlap(bucket = 60MB, barrier = false)').steps).toEqual([
      `exchange of back and 2 other layers ${onLane}, 57.2 MiB: 6 ms`,
      'gradients of front get ready in 0B0: 0 ms',
    ]);
  });
  test('that it was sent with the next cycle', () => {
    expect(explained('sync = horovod(cycle = 4ms, barrier = false)').steps).toEqual([
      `exchange of back and 2 other layers ${onLane}, 57.2 MiB: 6 ms`,
      'gradients of back and 2 other layers are sent with the next cycle: 1 ms',
      'gradients of front get ready in 0B0: 0 ms',
    ]);
  });
  test('that it was pushed before it was pulled', () => {
    expect(explained('sync = overlap(barrier = false)  collective = ps(servers = 2)').steps).toEqual([
      `pull of front ${onLane}, 9.54 MiB: 1 ms`,
      `${busyWith} pull of mid, 9.54 MiB: 1 ms`,
      `${busyWith} pull of back, 38.1 MiB: 4 ms`,
      `${busyWith} push of back, 38.1 MiB: 4 ms`,
      'gradients of back get ready in 0B0: 0 ms',
    ]);
  });
  test('that all gradients were scattered before they were gathered', () => {
    expect(explained('sync = dear').steps).toEqual([
      `all-gather of back ${onLane}, 38.1 MiB: 2 ms`,
      `${busyWith} all-gather of mid, 9.54 MiB: 500 µs`,
      `${busyWith} all-gather of front, 9.54 MiB: 500 µs`,
      `${busyWith} reduce-scatter of front, 9.54 MiB: 500 µs`,
      `${busyWith} reduce-scatter of mid, 9.54 MiB: 500 µs`,
      `reduce-scatter of back ${onLane}, 38.1 MiB: 2 ms`,
      'gradients of back get ready in 0B0: 0 ms',
    ]);
  });
  test('that the layer had to step', () => {
    const { steps } = explained('sync = overlap(barrier = false)  optimizer = adam_mixed(step = 2ms)');
    expect(steps.slice(0, 2)).toEqual([
      'optimizer step of gpu[0]: 2 ms',
      `exchange of front ${onLane}, 9.54 MiB: 1 ms`,
    ]);
  });
  test('that all layers had to step if their gradients were there', () => {
    expect(
      explained('sync = overlap(barrier = false)  optimizer = adam_mixed(step = 20ms)  collective = ring(call = 0s)')
        .text,
    ).toContain('waits for the gradients of front.');
    const tiny = toy('sync = overlap(barrier = false)  optimizer = adam_mixed(step = 2ms)').replaceAll('0MB', 'KB');
    const { plan, timeline } = runOf(tiny.replace('weights = 1KB', 'weights = 0B'));
    const why = explainWait(plan, timeline, betweenIterations(timeline, 0));
    expect(why.steps.at(-1)?.words).toContain('0B0');
  });
});

/** Two stages of two layers, of 20 and 100 MB. */
const two = (keys: string): string => `model two {
  layer a0 { forward = 1ms  backward = 2ms  weights = 20MB }
  layer b0 { forward = 1ms  backward = 2ms  weights = 100MB  output = 5MB }
  layer a1 { forward = 1ms  backward = 2ms  weights = 20MB }
  layer b1 { forward = 1ms  backward = 2ms  weights = 100MB }
}
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 10GB/s }
pipeline p {
  model = two  devices = quad  microbatches = 4  stages = balance(2)  schedule = 1f1b  data = 2
  ${keys}
}`;

describe('a later stage', () => {
  test('waits for activations of a stage that waited for gradients of the iteration before', () => {
    const { plan, timeline } = runOf(two('sync = overlap(barrier = false)'));
    const why = explainWait(plan, timeline, betweenIterations(timeline, 1));
    expect(sentencesOf(why)).toBe(
      '1F0 of the next iteration waits for the activations of 0F0 on gpu[0]. ' +
        'From the end of 1B3, this takes 17 ms: 12 ms of it on the lane of gpu[0].',
    );
    expect(why.steps.map(({ words, figure }) => `${words}: ${figure}`)).toEqual([
      'activations from gpu[0], 0F0: 2 ms + 500 µs',
      'exchange of a0 on the lane of gpu[0], 19.1 MiB: 2 ms',
      'the lane of gpu[0] is busy with the exchange of b0, 95.4 MiB: 10 ms',
      'gradients of b0 get ready in 0B3: 2 ms',
      'gradient from gpu[2], 1B3: 500 µs',
    ]);
  });
  test('with a barrier: the end of the iteration waits for the lane', () => {
    const { plan, timeline } = runOf(two('sync = ddp'));
    const [wait] = waitsOf(timeline).filter(({ device, before }) => device === 1 && before < 0);
    expect(explainWait(plan, timeline, wait).steps.map(({ words, figure }) => `${words}: ${figure}`)).toEqual([
      'exchange of a0 on the lane of gpu[0], 19.1 MiB: 2 ms',
      'the lane of gpu[0] is busy with the exchange of b0, 95.4 MiB: 10 ms',
      'gradients of b0 get ready in 0B3: 2 ms',
      'gradient from gpu[2], 1B3: 500 µs',
    ]);
  });
});

test('with a barrier, the critical path begins with the backward whose gradients keep the lane busy', () => {
  // Two stages on one device: gradients of the second are ready long before the first stage's last backward.
  const { timeline } = runOf(`model two {
  layer a { forward = 1ms  backward = 1ms  weights = 1MB }
  layer b { forward = 1ms  backward = 1ms  weights = 1MB }
  layer c { forward = 1ms  backward = 1ms  weights = 1MB }
  layer d { forward = 1ms  backward = 1ms  weights = 900MB }
}
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 10GB/s }
pipeline p {
  model = two  devices = quad  microbatches = 4  stages = balance(4)  schedule = interleaved_1f1b(2)  data = 2
  sync = ddp
}`);
  const { program } = timeline;
  const names = Array.from(criticalPath(timeline), (at) => operationName(program, program.order[at]));
  // d is the last stage; its last backward is followed by others of the device.
  expect(names.at(-1)).toBe('3B3');
});

const anOpenFile = fc.record({
  layers: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 4 }), fc.nat(30)), { minLength: 8, maxLength: 8 }),
  schedule: fc.constantFrom('1f1b', 'gpipe', 'zb_h1', 'interleaved_1f1b(2)', 'chimera'),
  sync: fc.constantFrom(
    'overlap(barrier = false)',
    'overlap(order = forward, barrier = false)',
    'overlap(order = forward, partition = 3MB, barrier = false)',
    'overlap(order = forward, partition = 5MB, credit = 8MB, ack = 2s, barrier = false)',
    'overlap(bucket = 20MB, partition = 4MB, early_start = true, barrier = false)',
    'overlap(order = forward, partition = at_preemption, barrier = false)',
    'dear',
    'ddp(bucket = 20MB)',
    'overlap(order = forward, partition = 3MB)',
  ),
  collective: fc.constantFrom('ring', 'ring(call = 1s)', 'ps(servers = 1)', 'ps(colocated = true)'),
  step: fc.constantFrom(0, 0, 5),
  output: fc.nat(2),
});

/** Two of its iterations take equally long, though the lanes have not caught up: a third one starts a forward earlier. */
const takingTurns = {
  layers: [
    [0, 3, 12],
    [3, 1, 3],
    [0, 2, 1],
    [2, 2, 7],
    [0, 3, 28],
    [0, 1, 4],
    [3, 4, 18],
    [2, 2, 16],
  ] satisfies [number, number, number][],
  schedule: 'interleaved_1f1b(2)',
  sync: 'overlap(order = forward, partition = 5MB, credit = 8MB, ack = 2s, barrier = false)',
  collective: 'ring',
  step: 5,
  output: 0,
};

test('every chain is without a gap, and comes back to its device or to the start', () => {
  let onLanes = 0;
  fc.assert(
    fc.property(anOpenFile, ({ layers, schedule, sync, collective, step, output }) => {
      fc.pre(!(sync.includes('at_preemption') && collective.includes('colocated')));
      fc.pre(!(sync === 'dear' && collective.startsWith('ps')));
      const stages = schedule.startsWith('interleaved') ? 4 : 2;
      const { timeline } = runOf(`model m {
${layers.map(([forward, backward, bytes], at) => `  layer l${at} { forward = ${forward + 1}s  backward = ${backward}s  weights = ${bytes}MB  output = ${output}MB }`).join('\n')}
}
device gpu { memory = 16GiB }
cluster quad { gpu[4] = gpu  link = 1MB/s }
pipeline p {
  model = m  devices = quad  microbatches = 4  stages = balance(${stages})  schedule = ${schedule}  data = 2
  sync = ${sync}  collective = ${collective}  optimizer = adam_mixed(step = ${step}s)
}`);
      const { exchange, program, timing } = timeline;
      if (exchange === undefined || !exchange.steady) return;
      const open = timing.exchange?.rule.barrier === false;
      const period = exchange.period;
      const waits = open
        ? [
            ...waitsOf(timeline).filter(({ device, before }) => before > program.offsets[device]),
            ...[0, 1].map((device) => betweenIterations(timeline, device)),
          ]
        : waitsOf(timeline);
      for (const wait of waits.filter(({ from, to }) => to - from > 1e-6)) {
        const { causes, stop, tensor } = waitChain(timeline, wait);
        expect(stop).not.toBe('unknown');
        let until = tensor === undefined ? wait.to : Math.max(wait.to, tensor.arrival);
        for (const cause of causes) {
          expect(cause.to).toBeCloseTo(until, 5);
          expect(cause.from).toBeLessThanOrEqual(cause.to + 1e-6);
          until = cause.from;
          if (cause.kind === 'piece') onLanes += 1;
          if (cause.kind !== 'operation') continue;
          // It runs then, in this iteration or in another one.
          const later = Math.round((cause.to - endAt(timeline, cause.position)) / period) * (open ? period : 0);
          expect(cause.from - later).toBeGreaterThanOrEqual(startAt(timeline, cause.position) - 1e-6);
          expect(cause.to - later).toBeLessThanOrEqual(endAt(timeline, cause.position) + 1e-6);
        }
        const last = causes.at(-1);
        const positions = causes.flatMap((cause) => (cause.kind === 'operation' ? [cause.position] : []));
        expect(new Set(positions).size).toBe(positions.length - (stop === 'repeats' ? 1 : 0));
        if (stop === 'repeats') continue;
        if (stop === 'start') expect(until).toBeCloseTo(0, 5);
        else if (last?.kind === 'operation')
          expect(program.placement[stageOf(program, program.order[last.position])]).toBe(wait.device);
        else expect(last?.kind).toBe('operation');
      }
    }),
    { numRuns: 60, examples: [[takingTurns]] },
  );
  expect(onLanes).toBeGreaterThan(10);
});
