/** Copies of gradients: they are there from the start of the update on, and nowhere else. */
import { describe, expect, it, test } from 'vitest';
import type { PipelinePlan } from '../../../engine/plan.ts';
import { memoryPeak, memoryTrack } from '../../../engine/simulate/memory.ts';
import { memoryStack, pieceKinds } from '../../../engine/simulate/memoryStack.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import type { Timeline } from '../../../engine/timeline.ts';
import { analyse } from '../../support/analyse.ts';
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

it('adds the copies of all stages of a device to what it holds without them, from the start of its update on', () => {
  fc.assert(
    fc.property(runnable, fc.integer({ min: 1, max: 40 }), ({ plan: bare, program }, each) => {
      const [without, plan] = [copiesOf(bare, 0), copiesOf(bare, each)];
      const timeline = run(plan, program);
      for (let device = 0; device < program.devices; device += 1) {
        const copies = each * plan.placement.filter((other) => other === device).length;
        const update = timeline.exchanged[device];
        const [plain, track] = [memoryTrack(without, timeline, device), memoryTrack(plan, timeline, device)];
        const times = [...plain.at, ...track.at, update, timeline.makespan].sort((a, b) => a - b);
        for (const [index, from] of times.entries()) {
          const to = times[index + 1] ?? from;
          if (to - from <= timeline.makespan * 1e-11) continue;
          const moment = (from + to) / 2;
          expect(levelAt(track, moment)).toBe(levelAt(plain, moment) + (moment > update ? copies : 0));
        }
        const before = memoryPeak(without, timeline, device);
        const peak = memoryPeak(plan, timeline, device);
        expect(peak.bytes).toBe(Math.max(before.bytes, plain.base + copies));
        // Operations without duration are not in the track.
        expect(Math.max(...track.bytes)).toBe(Math.max(...plain.bytes, plain.base + copies));
        if (peak.bytes === before.bytes) expect(peak).toEqual(before);
        else expect(peak).toMatchObject({ when: 'update', activations: 0, workspace: 0, gradientCopies: copies });
        const stack = memoryStack(plan, timeline, device);
        const pieces = [...stack.kind.keys()].filter((piece) => pieceKinds[stack.kind[piece]] === 'gradient_copies');
        expect(pieces.map((piece) => [stack.from[piece], stack.to[piece], stack.bytes[piece]])).toEqual(
          update < timeline.makespan ? [[update, timeline.makespan, copies]] : [],
        );
      }
    }),
    { numRuns: 100 },
  );
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
  // The first layers keep much and have few parameters.
  const widths = [400, 500, 700, 900, 1000, 1200];
  const layers = widths
    .slice(1)
    .map((width, index) => `layer l${index} = linear(inputs = ${widths[index]}, outputs = ${width}, bias = false)`)
    .join('\n  ');
  for (const tokens of [1, 60, 300, 1000, 4000]) {
    const peak = (stages: string) =>
      Math.max(...reportOf({ layers, tokens, stages, schedule: '1f1b' }).devices.map((device) => device.peak));
    const all = widths.slice(2).map((_, index) => peak(`split(${index + 1}, ${widths.length - 2 - index})`));
    expect([tokens, peak('balance(2, by = memory)')]).toEqual([tokens, Math.min(...all)]);
  }
});
