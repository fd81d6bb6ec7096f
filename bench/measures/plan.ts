import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultOptions, type EngineHost } from '../../engine/basics/host.ts';
import { sweepBase } from '../../engine/sweep/base.ts';
import { readAxes } from '../../engine/sweep/readAxes.ts';
import { outcomeOf } from '../../engine/sweep/rowsSearch.ts';
import { sweepSteps, type WaveAnswer } from '../../engine/sweep/sweep.ts';
import type { Row, Table } from '../rows.ts';

const uri = new URL('../../examples/llama3-70b.pipe', import.meta.url).href;
const host: EngineHost = {
  read: (wanted) => ({ text: readFileSync(fileURLToPath(wanted), 'utf8') }),
  resolve: (wanted, from) => new URL(wanted, from).href,
};
const products: readonly (readonly [name: string, over: string])[] = [
  [
    'ranks, schedules, recomputation',
    'tensor = [1, 2, 4, 8], pipeline = [1, 2, 4, 8, 16], schedule = [1f1b, interleaved_1f1b, zb_h1], recompute = [none, selective, full]',
  ],
  [
    'and microbatches, context ranks',
    'tensor = [1, 2, 4, 8], pipeline = [1, 2, 4, 8, 16], schedule = [1f1b, interleaved_1f1b, zb_h1], recompute = [none, selective, full], micro_batch = [1, 2, 4], context = [1, 2, 4]',
  ],
];

/** A thousand rows may take 10 s of two cores: rows that one core must look at each second. */
const least = 50;

/** The search over settings of `examples/llama3-70b.pipe`, in one thread: `pipewright plan` gives rows to all cores. */
export function planTable(): Table {
  return {
    title: 'Search over settings, examples/llama3-70b.pipe',
    head: ['product', 'rows', 'looked at', 'on the front', 'CPU', 'looked at each s'],
    rows: products.map(([name, over]) => row(name, over)),
  };
}

function row(name: string, over: string): Row {
  const text = readFileSync(fileURLToPath(uri), 'utf8');
  const [, pipeline = ''] = /^pipeline (\w+)/m.exec(text) ?? [];
  const begun = process.cpuUsage();
  const base = sweepBase({ uri, text, host, options: defaultOptions }, pipeline, []);
  const axes = readAxes(over);
  if ('problem' in base || 'problem' in axes) throw new Error(`the sweep of ${name} is wrong`);
  const steps = sweepSteps(base, axes);
  let looked = 0;
  let front = 0;
  let step = steps.next();
  while (!step.done) {
    const wave = step.value;
    looked += wave.rows.length;
    front = wave.front.length;
    const answer: WaveAnswer = { outcomes: wave.rows.map((at) => outcomeOf(base, axes, at, wave.front)) };
    step = steps.next(answer);
  }
  const { user, system } = process.cpuUsage(begun);
  const seconds = (user + system) / 1e6;
  const rate = looked / seconds;
  const cells = [step.value.rows, looked, front].map((count) => count.toLocaleString('en-US'));
  return {
    cells: [name, ...cells, `${seconds.toFixed(1)} s`, rate.toFixed(0)],
    goal: { text: `≥ ${least}`, met: rate >= least },
  };
}
