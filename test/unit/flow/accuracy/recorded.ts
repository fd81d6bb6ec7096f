/** Plans that are calibrated on one recorded run, against that run and against a run of another schedule. */
import { calibrate } from '../../../../engine/measured/calibrate.ts';
import { calibratedText } from '../../../../engine/measured/planText.ts';
import { measure } from '../../../../engine/runs/measure.ts';
import { plannedLength } from '../../../../engine/simulate/plannedLength.ts';
import { share, iterationTime } from '../../../../engine/basics/quantities.ts';
import { runOf } from '../../../support/analyse.ts';
import { recordingOf } from '../../runs/traces.ts';

interface Recorded {
  readonly run: string;
  readonly schedule: string;
  readonly ranks: number;
  readonly stages: number;
}

const sleeping = (run: string, schedule: string, stages: number): Recorded => ({
  ...{ run: `sleep_${run}_p4`, schedule, ranks: 4, stages },
});
const one = sleeping('1f1b', '1f1b', 4);
const split = sleeping('izb', 'interleaved_zb(chunks = 2)', 8);
const v = sleeping('zbv', 'zb_v', 8);
const busy: Recorded = { run: 'mlp_1f1b_p2', schedule: '1f1b', ranks: 2, stages: 2 };

/** What is calibrated on, what is predicted, and the most that it may be off. */
export const predictions: readonly (readonly [from: Recorded, to: Recorded, most: number])[] = [
  [one, one, 0.01],
  [split, split, 0.01],
  [v, v, 0.01],
  [split, v, 0.03],
  [v, split, 0.03],
  [busy, busy, 0.05],
];

const fileOf = ({ schedule, ranks, stages }: Recorded): string => `model m {
  layer l[${stages}] { forward = 8ms  backward_input = 8ms  backward_weight = 8ms  output = 512KiB }
}
device d { memory = 16GiB }
cluster c { gpu[${ranks}] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = balance(${stages})  schedule = ${schedule} }
`;

const iterationOf = ({ run }: Recorded): number => measure(recordingOf(run), 1).iteration;

/** Seconds of the operations of a run, from the times of another. */
function predicted(from: Recorded, to: Recorded): number {
  const { plan, run } = runOf(fileOf(from));
  const found = calibrate(plan, run.program, recordingOf(from.run), { skip: 1, slowLayers: true });
  const made = 'problem' in found ? found : calibratedText(fileOf(from), plan, found);
  if ('problem' in made) throw new Error(made.problem);
  const other = runOf(made.text.replace(`schedule = ${from.schedule}`, `schedule = ${to.schedule}`));
  return plannedLength(other.plan, other.run.program);
}

export const errorOf = (from: Recorded, to: Recorded): number => predicted(from, to) / iterationOf(to) - 1;

const nameOf = ({ schedule, ranks, run }: Recorded): string =>
  `\`${schedule}\`, ${ranks} ranks, ${run.startsWith('sleep') ? 'stages that sleep' : 'matrix products'}`;

export const recordedTable = (): string =>
  [
    '| calibrated on | predicted | measured | simulated |',
    '| --- | --- | --- | --- |',
    ...predictions.map(([from, to]) => {
      const measured = iterationOf(to);
      const simulated = `${iterationTime(predicted(from, to))} (${share(errorOf(from, to), true)})`;
      const cells = [iterationTime(measured), simulated];
      return `| ${nameOf(from)} | ${from === to ? 'itself' : `\`${to.schedule}\``} | ${cells.join(' | ')} |`;
    }),
    '',
  ].join('\n');
