/** Pictures of lanes for the pages of communication: devices and lanes of pipelines, from one time scale. */
import type { Run } from '../../../engine/schedule/evaluation.ts';
import type { LaneTimeline, Sent } from '../../../engine/values/exchangeTimeline.ts';
import { kindOf, letters } from '../../../engine/values/program.ts';
import { endAt, startAt, stepAt } from '../../../engine/values/timeline.ts';
import { analyseExample } from '../../support/analyse.ts';

const cells = 100;
const idle = '·';

interface Row {
  readonly name: string;
  readonly blocks: readonly { readonly from: number; readonly to: number; readonly text: string }[];
}

/** Buckets are letters, in the order in which they get ready; of more than 26, all are `~`. */
const letterOf = (lane: LaneTimeline, bucket: number): string =>
  lane.buckets.ready.length > 26 ? '~' : String.fromCharCode(97 + bucket);

const pieces = (name: string, lane: LaneTimeline, sent: Sent): Row => ({
  name,
  blocks: Array.from({ length: sent.length }, (_, at) => ({
    from: sent.start[at],
    to: sent.end[at],
    text: letterOf(lane, sent.bucket[at]),
  })),
});

/** The first device and its lane, over one iteration. */
function rowsOf({ program, timeline }: Run): readonly Row[] {
  const device: Row = {
    name: 'compute',
    blocks: Array.from({ length: program.offsets[1] }, (_, position) => ({
      from: startAt(timeline, position),
      to: endAt(timeline, position),
      text: letters[kindOf(program, program.order[position])],
    })),
  };
  const lane = timeline.exchange?.lanes[0];
  if (lane === undefined)
    return [device, { name: 'lane', blocks: [{ from: stepAt(timeline, 0), to: timeline.exchanged[0], text: '~' }] }];
  const { sent, back } = lane;
  if (back === undefined || back.length === 0) return [device, pieces('lane', lane, sent)];
  return [device, pieces('out', lane, sent), pieces('back', lane, back)];
}

/** What is in the middle of each cell. An iteration begins each `period`, and its lane may go on in the next. */
function cellsOf({ blocks }: Row, period: number, cell: number): string {
  return Array.from({ length: cells }, (_, index) => {
    const middle = (index + 0.5) * cell;
    const within = middle % period;
    const found = blocks.find(
      ({ from, to }) => (within >= from && within < to) || (within + period >= from && within + period < to),
    );
    return found?.text ?? idle;
  })
    .join('')
    .replace(/([FB])\1*/g, (run, letter: string) => letter + '─'.repeat(run.length - 1));
}

/** `examples/systems/NAME.pipe FIRST SECOND …`: pipelines of an example, two iterations of the longest. */
export function laneDrawing(of: string): string {
  const [path, ...names] = of.split(' ');
  const { pipelines } = analyseExample(path.replace('examples/', ''));
  const runs = names.map((name) => {
    const run = pipelines.find(({ plan }) => plan.name === name)?.run;
    if (run === undefined) throw new Error(`${path} has no pipeline ${name}`);
    return { name, run, period: run.report.iteration };
  });
  const alone = runs.every(({ run }) => run.timeline.exchange === undefined);
  const cell = ((alone ? 1 : 2) * Math.max(...runs.map(({ period }) => period))) / cells;
  const rows = runs.flatMap(({ name, run, period }) =>
    rowsOf(run).map((row) => ({ label: `${name} ${row.name}`, text: cellsOf(row, alone ? Infinity : period, cell) })),
  );
  const width = Math.max(...rows.map(({ label }) => label.length));
  return rows.map(({ label, text }) => `  ${label.padEnd(width)}  ${text}\n`).join('');
}
