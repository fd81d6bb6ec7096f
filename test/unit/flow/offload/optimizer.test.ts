import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { B, W } from '../../../../engine/values/program.ts';
import { endAt, startAt } from '../../../../engine/values/timeline.ts';
import { analyse, fixesOf, runOf as runText } from '../../../support/analyse.ts';
import { checkFindings } from '../../../support/expected.ts';
import { fileOf, parametersIn, policies, runOf, type Shape } from './fixture.ts';

/**
 * Bytes of one parameter under `megatron_bf16`: the gradient that leaves, the weight that comes back, and what an update moves through the
 * memory of the host. It reads the gradient (4) and the state (12), writes the state (12) and the weight (2).
 */
const [gradient, weight, update] = [4, 2, 4 + 12 + 12 + 2];
const [link, host] = [25e9, 100e9];

interface Bucket {
  readonly ready: number;
  readonly parameters: number;
}

/**
 * When the last weights are back, by events: each moment something ends, every idle machine takes the job that has waited longest. A second
 * implementation, which knows no recurrence.
 */
function simulated(buckets: readonly Bucket[], { from = 0, half = false, rate = host } = {}): number {
  type Step = 'out' | 'step' | 'back';
  const seconds: Readonly<Record<Step, number>> = { out: gradient / link, step: update / rate, back: weight / link };
  const machine: Readonly<Record<Step, number>> = { out: 0, step: 1, back: half ? 0 : 2 };
  let waiting = [...buckets]
    .sort((a, b) => a.ready - b.ready)
    .map(({ ready, parameters }) => ({ step: 'out' as Step, at: ready, parameters }));
  const free = [-Infinity, from, -Infinity];
  let end = 0;
  while (waiting.length > 0) {
    // The job that can begin first; of those the one that has waited longest.
    const start = ({ at, step }: (typeof waiting)[number]) => Math.max(at, free[machine[step]]);
    const job = waiting.reduce((first, each) =>
      start(each) < start(first) || (start(each) === start(first) && each.at < first.at) ? each : first,
    );
    const done = start(job) + job.parameters * seconds[job.step];
    free[machine[job.step]] = done;
    end = Math.max(end, done);
    waiting = waiting.filter((each) => each !== job);
    const next = job.step === 'out' ? 'step' : job.step === 'step' ? 'back' : undefined;
    if (next !== undefined) waiting.push({ step: next, at: done, parameters: job.parameters });
  }
  return end;
}

describe('equal layers on one device', () => {
  test('what is exposed is the last layer’s way, and what each other layer takes longer than its backward', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 4 }),
        (mebibytes, layers, microbatches) => {
          const { run } = runOf({ devices: 1, layers, microbatches, weights: [mebibytes] });
          const parameters = parametersIn(mebibytes);
          const steps = [(parameters * gradient) / link, (parameters * update) / host, (parameters * weight) / link];
          const slowest = Math.max(...steps);
          const exposed = steps.reduce((sum, each) => sum + each, 0) + (layers - 1) * Math.max(0, slowest - 20e-3);
          expect(run.report.iteration).toBeCloseTo(microbatches * layers * 30e-3 + exposed, 9);
          expect(run.report.devices[0].host?.exposed).toBeCloseTo(exposed, 9);
          expect(run.report.bubble.causes.sync * run.report.iteration).toBeCloseTo(exposed, 9);
          expect(run.report.bubble.bound).toBeCloseTo(run.report.bubble.makespan, 9);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('the host keeps gradients and state, the device has no state', () => {
    const { plan, run } = runOf({ devices: 1, layers: 4, weights: [100] });
    const parameters = parametersIn(400);
    expect(plan.stages[0]).toMatchObject({ weights: 2 * parameters, gradients: 4 * parameters, optimizer: 0 });
    expect(run.report.devices[0].host).toMatchObject({
      peak: 16 * parameters,
      bytes: 4 * parameters,
      back: 2 * parameters,
      optimizer: { kept: 16 * parameters, sent: 4 * parameters, returned: 2 * parameters },
    });
    expect(run.report.devices[0].host?.busy).toBeCloseTo((4 * parameters) / link, 12);
    expect(run.report.devices[0].host?.optimizer?.update).toBeCloseTo((30 * parameters) / host, 12);
  });

  test('the host copies 16-bit gradients too, and the device copies those of its share', () => {
    const shared = { devices: 1, layers: 1, weights: [100], optimizer: 'megatron_fp16(offload = 40%)' };
    const { plan, run } = runOf(shared);
    const parameters = parametersIn(100);
    expect(run.report.devices[0].host?.optimizer?.kept).toBeCloseTo(0.4 * (2 + 12 + 4) * parameters, 3);
    expect(plan.stages[0].gradientCopies).toBeCloseTo(0.6 * 4 * parameters, 3);
    expect(run.report.devices[0].host?.optimizer?.update).toBeCloseTo((0.4 * (2 + 32 + 2) * parameters) / host, 9);
  });

  test('a share of the state takes that share of bytes and times', () => {
    const { plan, run } = runOf({ devices: 1, layers: 1, weights: [100], optimizer: 'megatron_bf16(offload = 40%)' });
    const parameters = 0.4 * parametersIn(100);
    expect(plan.stages[0].optimizer).toBeCloseTo(0.6 * 12 * parametersIn(100), 3);
    expect(run.report.devices[0].host?.peak).toBeCloseTo(16 * parameters, 3);
    expect(run.report.devices[0].host?.exposed).toBeCloseTo(
      parameters * ((gradient + weight) / link + update / host),
      12,
    );
  });

  test('a device that updates the rest meanwhile waits for the later of the two', () => {
    const exposed = (step: string) =>
      runOf({ devices: 1, layers: 1, weights: [100], optimizer: `megatron_bf16(offload = 50%, step = ${step})` }).run
        .report;
    const alone = exposed('0ms');
    expect(exposed('5ms').iteration).toBeCloseTo(alone.iteration, 12);
    expect(exposed('1s').iteration).toBeCloseTo(8 * 30e-3 + 1, 12);
    expect(exposed('1s').devices[0].host?.exposed).toBe(0);
  });

  test('each copy takes the latency of the link', () => {
    const latency = (written: string) => runOf({ devices: 1, layers: 1, link: written }).run.report.iteration;
    expect(latency('25GB/s + 3ms') - latency('25GB/s')).toBeCloseTo(6e-3, 12);
  });

  test('no offload is as before', () => {
    const offload = (share: string) => runOf({ optimizer: `megatron_bf16(${share})` }).run.report;
    expect(offload('offload = 0%')).toEqual(offload(''));
    expect(offload('').devices[0].host).toBeUndefined();
  });
});

const shapes = fc.constantFrom(...policies).chain(([schedule, stages]) =>
  fc.record({
    schedule: fc.constant(schedule),
    stages: fc.constant(stages),
    weights: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 16 }),
    clip: fc.boolean(),
    half: fc.boolean(),
  }),
);

test('under every policy each device’s buckets leave as they are made, are updated, and come back', () => {
  fc.assert(
    fc.property(shapes, ({ clip, half, weights, ...rest }) => {
      const shape: Shape = {
        ...rest,
        weights,
        link: half ? 'half(25GB/s)' : '25GB/s',
        optimizer: `megatron_bf16(offload = 100%, clip = ${clip})`,
      };
      const { plan, run } = runOf(shape);
      const { timeline, program } = run;
      // Copies of a stage exchange gradients first.
      const exchanged = program.copies !== undefined && program.copies.segment.every((segment) => segment < 0);
      const norm = Math.max(...timeline.exchanged);
      plan.devices.forEach((_, device) => {
        const buckets = plan.stages.flatMap((stage, index): readonly Bucket[] => {
          if (plan.placement[index] !== device || (program.copies?.segment[index] ?? 0) > 0) return [];
          const [end, length] = lastGradient(index);
          // What is ready at once goes in the order in which it is made.
          const made = stage.layers.map((layer, before) => ({
            ready: exchanged ? timeline.exchanged[device] : end - (before / stage.layers.length) * length,
            parameters: parametersIn(weights[Number(layer.slice(1)) % weights.length]),
          }));
          return made.reverse();
        });
        // Four devices share the host.
        const expected = simulated(buckets, { from: clip ? norm : 0, half, rate: host / 4 });
        expect(timeline.hosted?.[device]).toBeCloseTo(expected, 9);
        expect(run.report.iteration).toBeGreaterThanOrEqual(expected - 1e-12);
      });
      expect(run.report.bubble.bound).toBeLessThanOrEqual(run.report.bubble.makespan + 1e-12);
      const causes = Object.values(run.report.bubble.causes).reduce((sum, cause) => sum + cause, 0);
      expect(causes).toBeCloseTo(run.report.bubble.makespan, 9);

      /** End and length of the last gradient of a stage's layers on its device, found over all operations. */
      function lastGradient(stage: number): readonly [number, number] {
        const cutOf = (index: number) => program.copies?.stage[index] ?? index;
        let found: readonly [number, number] = [-1, 0];
        program.order.forEach((word, at) => {
          const row = word >> program.shift;
          const [kind, other] = [Math.trunc(row / program.stages), row % program.stages];
          if ((kind !== B && kind !== W) || cutOf(other) !== cutOf(stage)) return;
          if (plan.placement[other] !== plan.placement[stage]) return;
          const end = endAt(timeline, at);
          if (end > found[0]) found = [end, end - startAt(timeline, at)];
        });
        return found;
      }
    }),
    { numRuns: 25 },
  );
});

describe('data ranks', () => {
  const mebibytes = 100;
  const parameters = parametersIn(mebibytes);
  const shape: Shape = { devices: 1, data: 2, layers: 2, weights: [mebibytes] };
  /** Two ranks share the host. */
  const [out, step, back] = [
    (parameters * gradient) / link,
    (parameters * update) / (host / 2),
    (parameters * weight) / link,
  ];

  test('send gradients to the host once they have exchanged them', () => {
    const { run } = runOf(shape);
    // A ring of two sends as many bytes as there are.
    const exchange = (2 * parameters * gradient) / 25e9;
    expect(run.timeline.exchanged[0]).toBeCloseTo(8 * 60e-3 + exchange, 9);
    expect(run.report.iteration).toBeCloseTo(8 * 60e-3 + exchange + out + 2 * step + back, 9);
  });

  test('bucket by bucket where the exchange overlaps', () => {
    const { run } = runOf({ ...shape, sync: 'overlap' });
    const exchange = (parameters * gradient) / 25e9;
    const first = 8 * 60e-3 - 20e-3 + exchange;
    const second = Math.max(first, 8 * 60e-3) + exchange;
    const updated = Math.max(first + out + step, second + out) + step;
    expect(run.report.iteration).toBeCloseTo(updated + back, 9);
  });

  test('of split state each rank offloads its part', () => {
    const { plan, run } = runOf({ ...shape, optimizer: 'megatron_bf16(shard = distributed, offload = 100%)' });
    expect(plan.stages[0].optimizer).toBe(0);
    expect(run.report.devices[0].host?.optimizer).toMatchObject({ kept: 16 * parameters, sent: 4 * parameters });
    const exchange = (parameters * (gradient + weight)) / 25e9;
    expect(run.report.iteration).toBeCloseTo(8 * 60e-3 + exchange + (out + 2 * step + back) / 2, 9);
  });
});

describe('what a file must say', () => {
  test('a link to the host', () => {
    const text = fileOf({ optimizer: 'megatron_bf16(⟦type/mismatch:offload⟧ = 100%)' }).replace('host = 25GB/s }', '}');
    checkFindings(text, ['a link to the host in device "gpu"']);
    const [fix] = fixesOf(analyse(text.replace(/⟦type\/mismatch:(\w+)⟧/, '$1')), 'type/mismatch');
    expect(fix.title).toContain('Add host = 25GB/s + 5us to device "gpu"');
  });

  test('the bandwidth of its memory', () => {
    const text = fileOf({ host: '', optimizer: 'megatron_bf16(⟦key/missing:offload⟧ = 100%)' });
    checkFindings(text, ['This cluster "box" needs "host_bandwidth", for example `host_bandwidth = 200GB/s`.']);
  });

  test('the bandwidth of the memory of a node', () => {
    const text = fileOf({ host: '', optimizer: 'megatron_bf16(⟦key/missing:offload⟧ = 100%)' });
    const nodes = text.replace('gpu[4] = gpu  link = 25GB/s', 'node[2] { gpu[2] = gpu  link = 25GB/s }  link = 25GB/s');
    checkFindings(nodes, ['This node of cluster "box" needs "host_bandwidth"']);
  });

  test('a share', () => {
    checkFindings(fileOf({ optimizer: 'megatron_bf16(offload = ⟦value/range:150%⟧)' }), ['"offload"']);
    checkFindings(fileOf({ optimizer: 'megatron_bf16(offload = ⟦type/dimension:1GiB⟧)' }), ['share']);
  });

  test('no rule that orders gradients, no asynchronous schedule', () => {
    const optimizer = 'megatron_bf16(⟦value/range:offload⟧ = 100%)';
    checkFindings(fileOf({ data: 2, sync: 'bytescheduler', optimizer }), ['`sync = overlap`']);
    checkFindings(fileOf({ schedule: 'pipedream', optimizer }).replace('sync = end', ''), ['asynchronous']);
  });
});

test('devices of a node share its host, those of another node another one', () => {
  const iteration = (cluster: string) =>
    runText(fileOf({ weights: [64], microbatches: 4 }).replace(/gpu\[4\] = gpu .*\}/, `${cluster} link = 25GB/s }`)).run
      .report.iteration;
  const one = iteration('gpu[4] = gpu  host_bandwidth = 100GB/s');
  // Half of the devices share twice the bandwidth.
  expect(iteration('node[2] { gpu[2] = gpu  host_bandwidth = 50GB/s  link = 25GB/s }')).toBeCloseTo(one, 12);
  expect(iteration('node[2] { gpu[2] = gpu  link = 25GB/s }  host_bandwidth = 100GB/s')).toBeCloseTo(one, 12);
  expect(iteration('node[2] { gpu[2] = gpu  host_bandwidth = 100GB/s  link = 25GB/s }')).toBeLessThan(one);
});

describe('the memory of a host', () => {
  const GiB = 2 ** 30;
  const report = (memory: string, share = '100%') =>
    runText(
      fileOf({
        weights: [1024],
        host: `host_bandwidth = 100GB/s  host_memory = ${memory}`,
        optimizer: `megatron_bf16(offload = ${share})`,
      }),
    );

  test('holds what its devices keep there', () => {
    // 16 layers of 1 GiB in bf16, of which it keeps 16 bytes for each 2.
    expect(report('128GiB').run.report.hosts).toEqual([{ name: 'box', peak: 128 * GiB, capacity: 128 * GiB }]);
    expect(report('128GiB', '50%').run.report.hosts?.[0].peak).toBe(64 * GiB);
  });

  test('is not overfilled', () => {
    const codes = (memory: string) => report(memory).analysis.findings.filter(({ code }) => code === 'memory/host');
    expect(codes('128GiB')).toEqual([]);
    expect(codes('127GiB').map(({ message }) => message)).toEqual([
      'The host of box needs 128 GiB, 1 GiB over its 127 GiB: 32 GiB for gpu[0], 32 GiB for gpu[1] and 32 GiB for gpu[2], and 1 more device. Offload less, use more nodes, or split the state over data ranks.',
    ]);
  });

  test('is counted by node, for all ranks that are there', () => {
    const text = fileOf({ weights: [1024], data: 2, devices: 2 }).replace(
      /gpu\[4\] = gpu .*\}/,
      'node[2] { gpu[2] = gpu  host_memory = 1TiB  host_bandwidth = 100GB/s  link = 25GB/s }  link = 25GB/s }',
    );
    // Two data ranks of a stage are in a node, and each keeps all of it.
    expect(runText(text).run.report.hosts).toEqual([
      { name: 'node[0]', peak: 128 * GiB, capacity: 1024 * GiB },
      { name: 'node[1]', peak: 128 * GiB, capacity: 1024 * GiB },
    ]);
  });
});

test('copies of a stage that split the state gather updated weights after the host', () => {
  const { plan, run } = runOf({
    schedule: 'chimera',
    data: 2,
    sync: 'overlap',
    optimizer: 'megatron_bf16(shard = distributed, offload = 100%)',
    link: '100TB/s',
    host: 'host_bandwidth = 100TB/s',
  });
  // Each device has two stages of four layers of 64 MiB, and half of their weights come from the other data rank.
  const gather = (8 * 64 * 2 ** 20) / 2 / 25e9;
  expect(plan.step[0].host?.gather).toBeCloseTo(gather, 12);
  // A host that takes no time leaves the exchange, which ends with the gather.
  expect(run.timeline.hosted?.[0]).toBeCloseTo(run.timeline.exchanged[0], 3);
});
