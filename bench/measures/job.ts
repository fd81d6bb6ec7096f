import type { Worker } from '../../engine/job/worker.ts';
import { workerOf } from '../../engine/job/workers.ts';
import { evaluateJob } from '../../engine/job/evaluateJob.ts';
import { freeEnds } from '../../engine/job/freeRun.ts';
import { runJob } from '../../engine/job/wsp.ts';
import { simulate } from '../../engine/simulate/simulate.ts';
import { measure } from '../measure.ts';
import { ms, rate, type Row, type Table } from '../rows.ts';
import { analysisOf } from '../workloads/analysis.ts';
import { jobFile } from '../workloads/job.ts';

const waves = 32;

/** Without what it remembers of running by itself. */
function anew({ program, timing, entries, bytes }: Worker): Worker {
  const free = freeEnds(program, timing);
  return { program, timing, entries, bytes, ...(free === undefined ? {} : { free }) };
}

/** Workers of a job together, against the same programs one by one. */
export function jobTable(): Table {
  const rows = (
    [
      ['equal workers', [1, 1, 1, 1], 3],
      ['unequal workers', [1, 1.3, 1.7, 2], 20],
    ] as const
  ).map(([name, speeds, most]): Row => {
    const [job] = analysisOf(jobFile({ devices: 16, waves, speeds })).jobs;
    const wave = job?.report?.wave;
    const sync = job?.plan.sync;
    if (job === undefined || wave === undefined || sync?.kind !== 'wsp') throw new Error('The job does not run.');
    const workers = job.workers.flatMap((plan): readonly Worker[] => {
      const worker = workerOf(plan, (waves + 2) * wave);
      return worker === undefined ? [] : [worker];
    });
    const operations = workers.reduce((sum, { program }) => sum + program.order.length, 0);
    const together = measure(() => runJob({ ...job.plan, sync }, workers.map(anew), wave, waves));
    const alone = measure(() => workers.map(({ program, timing }) => simulate(program, timing)));
    const whole = measure(() => evaluateJob(job.plan, job.workers, job.options));
    const ratio = together.best / alone.best;
    return {
      cells: [
        name,
        operations.toLocaleString('en-US'),
        rate((1e3 * operations) / together.best),
        rate((1e3 * operations) / alone.best),
        `${ratio.toFixed(1)}×`,
        ms(whole.best),
      ],
      goal: { text: `≤ ${most}×`, met: ratio <= most },
    };
  });
  return {
    title: `Job of 4 workers of 16 stages, ${waves} waves, against the workers alone`,
    head: ['job', 'operations', 'together', 'alone', 'time of the job', 'with its report'],
    rows,
  };
}
