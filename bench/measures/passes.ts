import { factorsOf, linearDraws } from '../../engine/simulate/draws.ts';
import { figureOfRun } from '../../engine/simulate/figureOfRun.ts';
import { runInOrder } from '../../engine/simulate/inOrder.ts';
import { simulate } from '../../engine/simulate/simulate.ts';
import { timingOf } from '../../engine/simulate/timing.ts';
import { measure, type Measured } from '../measure.ts';
import { rate, type Row, type Table } from '../rows.ts';
import { planOf } from '../workloads/analysis.ts';
import { pipelineFile } from '../workloads/files.ts';
import { ours, plain } from './simulate.ts';

const devices = 16;

/** Links that transfers of both directions, or of all devices of a node, queue for. */
const links: Readonly<Record<string, string>> = {
  'half-duplex links': 'gpu[16] = d  link = half(100GB/s + 5us)',
  'a shared link': 'node[2] { gpu[8] = d  link = shared(100GB/s + 5us) }  link = 25GB/s + 10us',
};

/** Passes over an order that is there already: for the first time, again, in order of events, and with random times. */
export function passesTable(): Table {
  const rows: Row[] = [];
  /** `least`: times as fast as the reference. `fast`: million operations a second. */
  const add = (
    name: string,
    operations: number,
    { own, best }: Measured,
    reference: number,
    { least, fast }: { readonly least: number; readonly fast?: number },
  ): void => {
    const ratio = reference / best;
    const isFast = fast === undefined || operations >= 1e3 * fast * own;
    rows.push({
      cells: [
        name,
        operations.toLocaleString('en-US'),
        rate((1e3 * operations) / own),
        rate((1e3 * operations) / best),
        `${ratio.toFixed(0)}×`,
      ],
      took: own,
      goal: {
        text: `≥ ${least}×${fast === undefined ? '' : `, ≥ ${fast} M/s`}`,
        met: ratio >= least && isFast,
      },
    });
  };
  for (const operations of [1e4, 1e5, 1e6]) {
    const plan = planOf(
      pipelineFile({ devices, microbatches: Math.round(operations / (3 * devices)), schedule: 'zb_h1' }),
    );
    const { program } = ours(plan);
    const timing = timingOf(plan, program);
    const count = program.order.length;
    const reference = measure(() => plain(plan)).best;
    // A copy of a program is a program of which nothing is known.
    add(
      'first pass',
      count,
      measure(() => runInOrder({ ...program }, timing)),
      reference,
      { least: 30, fast: 100 },
    );
    add(
      'pass again',
      count,
      measure(() => runInOrder(program, timing)),
      reference,
      { least: 75, fast: 300 },
    );
    add(
      'pass again, for a figure',
      count,
      measure(() => figureOfRun(program, timing, ({ makespan }) => makespan)),
      reference,
      { least: 75, fast: 300 },
    );
  }
  const microbatches = 313;
  const reference = measure(() => plain(planOf(pipelineFile({ devices, microbatches, schedule: '1f1b' })))).best;
  const events: Record<string, string> = {
    'slots of two': pipelineFile({ devices, microbatches: 156, schedule: 'dualpipe' }),
  };
  for (const [name, link] of Object.entries(links))
    events[name] = pipelineFile({ devices, microbatches, schedule: '1f1b' }).replace(/(?<=cluster c \{).*(?=\})/, link);
  for (const [name, text] of Object.entries(events)) {
    const plan = planOf(text);
    const { program } = ours(plan);
    const timing = timingOf(plan, program);
    const count = program.order.length;
    const scale = count / (2 * devices * microbatches);
    add(
      `events: ${name}`,
      count,
      measure(() => simulate(program, timing)),
      scale * reference,
      { least: 10, fast: 20 },
    );
  }
  const drawn = planOf(
    pipelineFile({ devices, microbatches: 128, schedule: '1f1b' }).replace('schedule', 'jitter = 5%\n  schedule'),
  );
  const timeline = ours(drawn);
  const factors = factorsOf(drawn, timeline);
  const draws = measure(() => linearDraws(timeline, factors));
  const count = 1_000 * timeline.program.order.length;
  add('1,000 draws', count, draws, 1_000 * measure(() => plain(drawn)).best, { least: 20 });
  const head = ['pass', 'operations', 'operations/s', 'all threads', 'reference'];
  return { title: `Passes, p = ${devices}`, head, rows };
}
