/** Copies of gradients: they are there from the start of the update on, and nowhere else. */
import { describe, expect, it, test } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { memoryPeak, memoryTrack } from '../../../engine/simulate/memory.ts';
import { memoryStack, pieceKinds } from '../../../engine/simulate/memoryStack.ts';
import { movesOf } from '../../../engine/simulate/guests.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Timeline } from '../../../engine/values/timeline.ts';
import { analyse, analyseExample } from '../../support/analyse.ts';
import { exampleText } from '../../support/example.ts';
import * as fc from '../../support/property.ts';
import { runnable } from '../support/cases.ts';

const run = (plan: PipelinePlan, program: Parameters<typeof timingOf>[1]): Timeline => {
  const timeline = simulate(program, timingOf(plan, program));
  if (timeline === undefined) throw new Error('deadlock');
  return timeline;
};

const copiesOf = (plan: PipelinePlan, gradientCopies: number): PipelinePlan => ({
  ...plan,
  stages: plan.stages.map((stage) => ({ ...stage, weights: 3, activation: 5, workspace: 1, gradientCopies })),
  // An update that takes time, so that it can be seen.
  step: plan.devices.map((_, device) => ({ ...plan.step[device], sync: 2, optimizer: 1 })),
});

const levelAt = ({ at, bytes }: { readonly at: Float64Array; readonly bytes: Float64Array }, time: number): number =>
  bytes[at.findLastIndex((start) => start <= time)];

/**
 * Compares a device with the same one without copies: what it holds over time, its peak, and the pieces of its stack. Returns
 * whether other devices' activations come or go during the update.
 */
function checkCopies(plan: PipelinePlan, timeline: Timeline, device: number): boolean {
  const without = { ...plan, stages: plan.stages.map((stage) => ({ ...stage, gradientCopies: 0 })) };
  const copies = plan.stages.reduce(
    (sum, { gradientCopies = 0 }, stage) => sum + (plan.placement[stage] === device ? gradientCopies : 0),
    0,
  );
  const update = timeline.exchanged[device];
  const [plain, track] = [memoryTrack(without, timeline, device), memoryTrack(plan, timeline, device)];
  const times = [...plain.at, ...track.at, update, timeline.makespan].sort((a, b) => a - b);
  for (const [index, from] of times.entries()) {
    const to = times[index + 1] ?? from;
    if (to - from <= timeline.makespan * 1e-11) continue;
    const moment = (from + to) / 2;
    expect(levelAt(track, moment)).toBe(levelAt(plain, moment) + (moment > update ? copies : 0));
  }
  const later = plain.bytes.filter((_, step) => plain.at[step] > update);
  const duringUpdate = Math.max(levelAt(plain, update), ...later) + copies;
  const before = memoryPeak(without, timeline, device);
  const peak = memoryPeak(plan, timeline, device);
  expect(peak.bytes).toBe(Math.max(before.bytes, duringUpdate));
  // Operations without duration are not in the track.
  expect(Math.max(...track.bytes)).toBe(Math.max(...plain.bytes, duringUpdate));
  if (peak.bytes === before.bytes) expect(peak).toEqual(before);
  else expect(peak).toMatchObject({ when: 'update', workspace: 0, gradientCopies: copies });
  const stack = memoryStack(plan, timeline, device);
  const pieces = [...stack.kind.keys()].filter((piece) => pieceKinds[stack.kind[piece]] === 'gradient_copies');
  expect(pieces.map((piece) => [stack.from[piece], stack.to[piece], stack.bytes[piece]])).toEqual(
    update < timeline.makespan ? [[update, timeline.makespan, copies]] : [],
  );
  return later.length > 0;
}

it('adds the copies of all stages of a device to what it holds without them, from the start of its update on', () => {
  fc.assert(
    fc.property(runnable, fc.integer({ min: 1, max: 40 }), ({ plan: bare, program }, each) => {
      const plan = copiesOf(bare, each);
      const timeline = run(plan, program);
      for (let device = 0; device < program.devices; device += 1) checkCopies(plan, timeline, device);
    }),
    { numRuns: 100 },
  );
});

it('adds them where a device keeps activations of another one beyond the start of its update', () => {
  const [{ plan: bare, run: found }] = analyseExample('systems/bpipe.pipe').pipelines;
  if (found === undefined) throw new Error('The example runs.');
  const { timeline } = found;
  // Half of the operations of a device are before its update, so that activations come and go after it.
  const half = timeline.last.map((end) => end / 2);
  const early = { ...timeline, last: half, exchanged: half };
  const beyond = [1e9, 1e12].map((gradientCopies) => {
    const plan = { ...bare, stages: bare.stages.map((stage) => ({ ...stage, gradientCopies })) };
    for (const device of plan.devices.keys()) checkCopies(plan, timeline, device);
    return plan.devices.filter(
      (_, device) => movesOf(timeline, device) !== undefined && checkCopies(plan, early, device),
    ).length;
  });
  expect(beyond).toEqual([6, 6]);
});

interface Case {
  readonly optimizer?: string;
  readonly schedule?: string;
  readonly more?: string;
  readonly tokens?: number;
  readonly stages?: string;
  readonly layers?: string;
  readonly memory?: string;
}

const text = ({
  optimizer = 'megatron_fp16',
  schedule = 'gpipe',
  more = '',
  tokens = 1,
  stages = 'split(1, 1)',
  layers = 'layer l[2] = linear(inputs = 1000, outputs = 1000, bias = false)',
  memory = '1TiB',
}: Case): string => `model net {
  precision = fp16  sequence = ${tokens}  micro_batch = 1
  ${layers}
}
device gpu { memory = ${memory}  compute = 1TFLOPS }
cluster box { gpu[2] = gpu  link = 1000TB/s }
pipeline train {
  model = net  devices = box  microbatches = 4  stages = ${stages}  schedule = ${schedule}  optimizer = ${optimizer}  ${more}
}
`;

function reportOf(written: Case) {
  const { pipelines, findings } = analyse(text(written));
  const run = pipelines[0]?.run;
  if (run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return { ...run.report, plan: pipelines[0].plan, findings };
}

describe('1,000,000 parameters on each of two devices', () => {
  const parameters = 1e6;

  test('few activations: the update is the peak, with 20 bytes per parameter', () => {
    for (const device of reportOf({}).devices) {
      expect(device.peak - device.memory.buffers).toBe(20 * parameters);
      expect(device.memory).toMatchObject({ optimizer: 12 * parameters, gradient_copies: 4 * parameters });
      expect(device).toMatchObject({ peak_operation: 'update', memory: { activations: 0, workspace: 0 } });
      expect(device.memory_items.find(({ kind }) => kind === 'gradient_copies')?.bytes).toBe(4 * parameters);
    }
  });

  test('many activations: 16 bytes per parameter and the activations, 4 microbatches of 2 bytes for each token and width', () => {
    for (const device of reportOf({ tokens: 100_000 }).devices) {
      const activations = 4 * 100_000 * 1000 * 2;
      expect(device.memory).toMatchObject({ activations, optimizer: 12 * parameters });
      expect(device.memory.gradient_copies).toBeUndefined();
      const { workspace, buffers } = device.memory;
      expect(device.peak).toBe(16 * parameters + activations + workspace + buffers);
    }
  });

  test('weights that are updated while activations are held: 20 bytes per parameter and the activations', () => {
    const async = reportOf({ schedule: 'pipedream', tokens: 100_000 });
    for (const device of async.devices) {
      expect(device.memory.optimizer).toBe(16 * parameters);
      expect(device.memory.activations).toBeGreaterThan(0);
    }
    for (const [sync, optimizer] of [
      ['p3', 16],
      ['overlap', 12],
    ] as const) {
      const { plan } = reportOf({
        more: `data = 2  sync = ${sync}`,
        stages: 'split(2)',
        schedule: 'gpipe',
      });
      expect([sync, plan.stages[0].optimizer]).toEqual([sync, optimizer * 2 * parameters]);
    }
  });

  test('is out of memory during the update: the finding names the copies', () => {
    const { findings } = reportOf({ memory: '18MB' });
    const [finding] = findings.filter(({ code }) => code === 'memory/out-of-memory');
    expect(finding.message).toContain('copies of gradients for the update');
    expect(reportOf({ memory: '21MB' }).findings.filter(({ code }) => code === 'memory/out-of-memory')).toEqual([]);
  });
});

test('a cut by memory has the least peak of all cuts, copies counted', () => {
  const stacks = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 4, maxLength: 7 });
  let ended = 0;
  fc.assert(
    fc.property(stacks, fc.constantFrom(1, 100, 300, 600), (sizes, tokens) => {
      const widths = sizes.map((size) => 100 * size);
      const layers = widths
        .slice(1)
        .map((width, index) => `layer l${index} = linear(inputs = ${widths[index]}, outputs = ${width}, bias = false)`)
        .join('\n  ');
      const most = (stages: string) =>
        reportOf({ layers, tokens, stages, schedule: '1f1b' }).devices.reduce((one, other) =>
          other.peak > one.peak ? other : one,
        );
      const all = widths.slice(2).map((_, index) => most(`split(${index + 1}, ${widths.length - 2 - index})`).peak);
      const found = most('balance(2, by = memory)');
      expect(found.peak).toBe(Math.min(...all));
      if (found.peak_operation === 'update') ended += 1;
    }),
    { numRuns: 25, examples: [[[2, 10, 8, 2, 2], 100]] },
  );
  expect(ended).toBeGreaterThan(3);
});

test('a stage in segments copies its gradients once, and a spare copy none', () => {
  const { plan } = reportOf({ schedule: 'seq1f1b(segments = 4)', tokens: 64 });
  expect(plan.stages.map(({ gradientCopies }) => gradientCopies ?? 0)).toEqual([4e6, 0, 0, 0, 4e6, 0, 0, 0]);
  const example = exampleText('schedules/bamboo.pipe');
  const bamboo = analyse(example.replaceAll(/optimizer *= none/g, 'optimizer = megatron_fp16'));
  const stages = bamboo.pipelines[0].plan.stages;
  expect(stages.filter(({ copy }) => copy?.spare === true).length).toBeGreaterThan(0);
  for (const { copy, gradientCopies, gradients } of stages)
    expect(gradientCopies).toBe(copy?.spare === true ? undefined : 2 * gradients);
});
