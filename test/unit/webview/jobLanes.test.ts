import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { JobReport } from '../../../engine/values/jobReport.ts';
import { clampSight, firstSight, panSight, zoomSight } from '../../../webview/view/scene/jobScene.ts';
import type { JobLanes } from '../../../webview/picture/jobLanes.ts';
import { jobLanesOf } from '../../../webview/worker/makeJobLanes.ts';
import { example } from '../../browser/example.ts';

const { analysis } = example('systems/hetpipe');
const plans = new Map(analysis.pipelines.map(({ plan }) => [plan.name, plan]));

function made(name: string): { readonly lanes: JobLanes; readonly report: JobReport } {
  const job = analysis.jobs.find(({ plan }) => plan.name === name);
  const workers = job?.plan.workers.flatMap((worker) => plans.get(worker) ?? []) ?? [];
  const lanes = job === undefined ? undefined : jobLanesOf({ plan: job.plan, workers }, defaultOptions);
  if (lanes === undefined || job?.report === undefined) throw new Error(`no job ${name}`);
  return { lanes, report: job.report };
}

describe('lanes of a job', () => {
  it.each(['node', 'equal', 'hybrid'])('show the run that the report is of, %s', (name) => {
    const { lanes, report } = made(name);
    expect(lanes.until).toBe(report.makespan);
    expect(lanes.clock).toHaveLength(report.waves);
    expect(lanes.workers.map((worker) => worker.name)).toEqual(report.workers.map((worker) => worker.name));
    // The report looks at the second half of the clocks.
    const from = lanes.clock[Math.floor(report.waves / 2) - 1];
    lanes.workers.forEach(({ waits, columns }, index) => {
      let waiting = 0;
      for (let at = 0; at < waits.length; at += 2) waiting += Math.max(0, waits[at + 1] - Math.max(from, waits[at]));
      expect(waiting).toBeCloseTo(report.workers[index].waiting, 9);
      expect(columns.rows).toBe(plans.get(report.workers[index].name)?.devices.length);
    });
  });

  it.each(['node', 'hybrid'])('have rows in which a device does one thing at a time, %s', (name) => {
    for (const { columns } of made(name).lanes.workers) {
      expect(columns.word.length).toBeGreaterThan(100);
      for (let row = 0; row < columns.rows; row += 1)
        for (let block = columns.offsets[row]; block < columns.offsets[row + 1]; block += 1) {
          expect(columns.end[block]).toBeLessThanOrEqual(columns.makespan);
          expect(columns.end[block]).toBeGreaterThanOrEqual(columns.start[block]);
          if (block > columns.offsets[row])
            expect(columns.start[block]).toBeGreaterThanOrEqual(columns.end[block - 1] - 1e-9);
        }
    }
  });
});

describe('the stretch of a job in sight', () => {
  const lanes = { clock: Float64Array.from({ length: 20 }, (_, wave) => wave + 1), until: 20 };
  it('starts with the first waves of a long run and all of a short one', () => {
    expect(firstSight({ name: '', workers: [], ...lanes })).toEqual({ t0: 0, t1: 6 });
    expect(firstSight({ name: '', workers: [], clock: lanes.clock.slice(0, 8), until: 8 })).toEqual({ t0: 0, t1: 8 });
  });
  it('stays inside the run and keeps the moment that it zooms at', () => {
    expect(clampSight({ t0: -3, t1: 2 }, lanes)).toEqual({ t0: 0, t1: 5 });
    expect(clampSight({ t0: 18, t1: 22 }, lanes)).toEqual({ t0: 16, t1: 20 });
    expect(clampSight({ t0: -50, t1: 50 }, lanes)).toEqual({ t0: 0, t1: 20 });
    expect(zoomSight({ t0: 2, t1: 6 }, 3, 2)).toEqual({ t0: 2.5, t1: 4.5 });
    expect(panSight({ t0: 2, t1: 6 }, 0.25)).toEqual({ t0: 3, t1: 7 });
  });
});
