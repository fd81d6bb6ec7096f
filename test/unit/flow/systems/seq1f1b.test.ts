import { describe, expect, test } from 'vitest';
import type { PipelineReport } from '../../../../engine/values/report.ts';
import { operationName } from '../../../../engine/values/program.ts';
import { analyseExample } from '../../../support/analyse.ts';

const run = (pipeline: string, microbatches = 8) => {
  const found = analyseExample('systems/seq1f1b.pipe', { microbatches }).pipelines.find(
    (evaluation) => evaluation.plan.name === pipeline,
  );
  if (found?.run === undefined) throw new Error(`${pipeline} does not run`);
  return { plan: found.plan, ...found.run };
};
const reportOf = (pipeline: string, microbatches?: number): PipelineReport => run(pipeline, microbatches).report;

// Two layers of 8 ms and 16 ms a stage, 64 MiB at 200 GB/s and 5 µs for a whole sequence.
const [p, k, F, B] = [4, 4, 0.016, 0.032];
const transfer = (share: number): number => (share * 64 * 2 ** 20) / 200e9 + 5e-6;
const GiB = 2 ** 30;

describe('seq1f1b.pipe', () => {
  test.each([1, 4, 8, 16, 64])('whole sequences, %i microbatches: 1F1B', (m) => {
    const expected = (m + p - 1) * (F + B) + ((2 * (p - 1) * m) / p + 2 * (p - 2)) * transfer(1);
    if (m >= p) expect(reportOf('whole', m).iteration).toBeCloseTo(expected, 12);
    expect(reportOf('whole', m).devices.map((device) => device.in_flight)).toEqual(
      [4, 3, 2, 1].map((value) => Math.min(m, value)),
    );
  });

  test.each([1, 4, 8, 16, 64])('quarters, %i microbatches: a quarter of the idle time, but for transfers', (m) => {
    const { iteration, devices } = reportOf('quarters', m);
    const free = m * (F + B) + ((p - 1) * (F + B)) / k;
    // At least those of the fill and the drain; at most those that 1F1B of m · k microbatches waits for.
    const c = transfer(1 / k);
    expect(iteration).toBeGreaterThanOrEqual(free + 2 * (p - 1) * c - 1e-12);
    expect(iteration).toBeLessThanOrEqual(free + ((2 * (p - 1) * m * k) / p + 2 * (p - 1)) * c + 1e-12);
    expect(devices.map((device) => device.in_flight)).toEqual([7, 6, 5, 4].map((value) => Math.min(m * k, value)));
  });

  test('peaks: weights and gradients once, segments in flight, and a whole message for each neighbour', () => {
    const neighbours = [1, 2, 2, 1];
    const peaks = (inFlight: readonly number[]) =>
      inFlight.map((value, device) => (1 + value * 2 + neighbours[device] / 16) * GiB);
    expect(reportOf('whole').devices.map((device) => device.peak)).toEqual(peaks([4, 3, 2, 1]));
    expect(reportOf('quarters').devices.map((device) => device.peak)).toEqual(peaks([7 / 4, 6 / 4, 5 / 4, 4 / 4]));
  });

  test('the cut for equal work has about the time of equal segments; segments of equal length lose more', () => {
    const x = 0.32;
    const taken = (ends: readonly number[]) =>
      ends.map((b, index) => {
        const a = index === 0 ? 0 : ends[index - 1];
        return Math.round(100 * ((1 - x) * (b - a) + x * (b * b - a * a)));
      });
    expect(taken([0.25, 0.5, 0.75, 1])).toEqual([19, 23, 27, 31]);
    expect(taken([0.32, 0.58, 0.8, 1])).toEqual([25, 25, 25, 25]);
    const [even, lengths, work] = ['quarters', 'equal_lengths', 'equal_work'].map((name) => reportOf(name).iteration);
    expect(Math.abs(work / even - 1)).toBeLessThan(1e-3);
    expect(lengths).toBeGreaterThan(work);
  });

  test('the work and the parameters of a stage are those of its segments together', () => {
    const { plan, report, program } = run('equal_work');
    expect(report.devices.map((device) => device.busy)).toEqual(
      reportOf('whole').devices.map((device) => expect.closeTo(device.busy, 12)),
    );
    for (let stage = 0; stage < p; stage += 1) {
      const segments = plan.stages.filter((stagePlan) => stagePlan.copy?.stage === stage);
      expect(segments.map((segment) => segment.copy?.segment)).toEqual([0, 1, 2, 3]);
      expect(segments.reduce((sum, segment) => sum + segment.weights, 0)).toBe(GiB / 2);
      expect(segments.reduce((sum, segment) => sum + segment.activation, 0)).toBeCloseTo(2 * GiB, 3);
    }
    expect(operationName(program, program.order[1])).toBe('0F0.1');
  });
});
