/** Recordings → a `.pipe` file whose layers have the measured times, and whose rows are the order that ran. */
import { count, iterationTime, time } from '../../basics/quantities.ts';
import { flightsIn, slowLinkWords } from '../../runs/flights.ts';
import { measure, type Measured } from '../../runs/measure.ts';
import { B, F, I, W } from '../../values/program.ts';
import type { Recording, RecordedRow } from '../../values/recording.ts';
import { laidOut, plain } from '../toPipe.ts';
import { type Slot, writtenRuns } from '../torchCsv/runs.ts';
import { placementText } from '../torchCsv/toPipe.ts';
import { layerTimes } from './layerTimes.ts';

export interface MeasuredPipe {
  readonly pipe: string;
  readonly remarks: readonly string[];
}

/** One pipeline for each recording. `skip` steps at the beginning are left out. */
export function pipeOfRecordings(
  recordings: readonly Recording[],
  skip: number,
): MeasuredPipe | { readonly problem: string } {
  const parts: string[] = [];
  const remarks: string[] = [];
  for (const [index, recording] of recordings.entries()) {
    const suffix = recordings.length === 1 ? '' : `_${index}`;
    const measured = measure(recording, skip);
    const layers = layerTimes(recording, measured);
    if ('problem' in layers) return layers;
    parts.push(partOf(recording, measured, layers.layers, suffix));
    remarks.push(...layers.remarks.map((remark) => (suffix === '' ? remark : `Pipeline ${index}: ${remark}`)));
    remarks.push(...linkRemarks(recording, measured), ...orderRemarks(measured));
  }
  if (!recordings.some(({ device }) => device))
    remarks.push('The operations ran on CPUs: the trace has no work of a GPU.');
  return { pipe: laidOut(parts.join('\n')), remarks };
}

function partOf(recording: Recording, measured: Measured, layers: readonly string[], suffix: string): string {
  const { ranks, stages, microbatches, placement } = recording;
  const { steps, iteration, host } = measured;
  const flight = flightsIn(measured, unplanned).others;
  const rows = orderOf(measured).map(
    (row, rank) => `  row(${rank}) = ${writtenRuns(slotsOf(row), stages !== ranks.length).join(', ')}`,
  );
  const what = [
    `${count(ranks.length, 'rank', 'ranks')} (${ranks.join(', ')})`,
    count(stages, 'stage', 'stages'),
    count(microbatches, 'microbatch', 'microbatches'),
    `mean of ${count(steps.length, 'step', 'steps')}`,
  ];
  const latency = flight.count > 0 ? ` + ${plain(Number((flight.median * 1e6).toFixed(3)))}us` : '';
  return `/// What ran: ${what.join(', ')}.
/// Iteration: ${iterationTime(iteration)} measured. Hosts spend ${time(host)} between two operations, which is in no layer.
model measured${suffix} {
${layers.map((layer) => `  ${layer}`).join('\n')}
}

/// The trace does not say what the devices are: put yours here.
device accelerator${suffix} { memory = 80GiB }

/// ${flight.count > 0 ? `Latency: the median of ${count(flight.count, 'message', 'messages')} that a rank waited for.` : 'No message says how long one takes.'} Sizes of messages are in no trace.
cluster ranks${suffix} {
  gpu[${ranks.length}] = accelerator${suffix}
  link = 100GB/s${latency}
}

schedule order_that_ran${suffix} {
  placement = ${placementText(placement, ranks.length)}
${rows.join('\n')}
}

pipeline run${suffix} {
  model = measured${suffix}
  devices = ranks${suffix}
  microbatches = ${microbatches}
  stages = split(${Array.from({ length: stages }, () => 1).join(', ')})
  schedule = order_that_ran${suffix}
}
`;
}

/** A recording has no plan, so its links are compared as they are. */
const unplanned = (): number => 0;

function linkRemarks({ ranks }: Recording, measured: Measured): readonly string[] {
  const { slow, others } = flightsIn(measured, unplanned);
  const words = slow.map((link) => slowLinkWords(link, others, (rank) => `rank ${ranks[rank]}`));
  return words.length === 0 ? [] : [`Slow link: ${words.join('; ')}. The link of the file has the time of the others.`];
}

/** The order of the last step. */
const orderOf = ({ steps }: Measured): readonly RecordedRow[] => steps[steps.length - 1].rows;

function orderRemarks(measured: Measured): readonly string[] {
  const text = (rows: readonly RecordedRow[]): string =>
    rows.map(({ kind, stage, microbatch }) => `${kind.join()} ${stage.join()} ${microbatch.join()}`).join('\n');
  const last = text(orderOf(measured));
  const others = measured.steps.filter(({ rows }) => text(rows) !== last);
  return others.length === 0
    ? []
    : [`The rows are the order of the last step; ${count(others.length, 'step', 'steps')} ran in another order.`];
}

const types = { [F]: 'F', [B]: 'B', [I]: 'I', [W]: 'W' } as const;

function slotsOf({ kind, stage, microbatch, fused }: RecordedRow): readonly Slot[] {
  const slots: Slot[] = [];
  const action = (at: number): Slot[0] => ({
    kind: 'compute',
    type: types[kind[at] as keyof typeof types],
    stage: stage[at],
    microbatch: microbatch[at],
  });
  for (let at = 0; at < kind.length; at += 1) {
    if (fused[at] === 1 && at + 1 < kind.length) {
      slots.push([action(at), action(at + 1)]);
      at += 1;
    } else slots.push([action(at)]);
  }
  return slots;
}
