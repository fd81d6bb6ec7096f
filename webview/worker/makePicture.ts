import type { Run, Evaluation } from '../../engine/schedule/evaluation.ts';
import { pathBefore } from '../../engine/analyze/waits/pathBefore.ts';
import type { PipelineReport, ReportWithoutCauses } from '../../engine/values/report.ts';
import { fillStretches } from '../../engine/fill/stretches.ts';
import { hostTrack } from '../../engine/simulate/hostMemory.ts';
import { type MemoryTrack, memoryTracks } from '../../engine/simulate/memory.ts';
import { repeatTrack } from '../../engine/simulate/repeatTrack.ts';
import type { Columns } from '../picture/columns.ts';
import type { Lanes } from '../picture/lanes.ts';
import { makersOf } from '../picture/makers.ts';
import type { Picture } from '../picture/picture.ts';
import { lanesOf } from './makeLanes.ts';
import { keepRowCounts } from './rowCounts.ts';
import { slackOf } from './slack.ts';
import { columnsOf, blockShift } from './makeColumns.ts';

/** Above this many blocks slack is left out: it needs a sort. */
const slackLimit = 200_000;

/** What the page shows of a run. */
export function pictureOf({ plan }: Pick<Evaluation, 'plan'>, run: Run, generation: number): Picture {
  const { timeline, program } = run;
  const lanes = lanesOf(timeline);
  const columns = {
    ...columnsOf(plan, timeline),
    ...percentileWith(run.report, timeline.makespan),
    ...horizonWith(lanes, timeline.makespan),
  };
  keepRowCounts(columns, timeline);
  const shift = blockShift(columns, program.offsets);
  const deviceOf = (position: number) => program.placement[(program.order[position] >> program.shift) % program.stages];
  const { period } = columns;
  const shown = (track: MemoryTrack): MemoryTrack => (period === undefined ? track : repeatTrack(track, period));
  const hosts = plan.devices.map((_, device) => {
    const host = hostTrack(plan, timeline, device);
    return host === undefined ? undefined : shown(host);
  });
  const goesOn = pathBefore(timeline, run.criticalPath);
  let items: Int32Array | undefined;
  if (program.items !== undefined) {
    items = new Int32Array(columns.word.length).fill(-1);
    for (let at = 0; at < program.order.length; at += 1) items[at + shift[deviceOf(at)]] = program.items[at];
  }
  return {
    generation,
    columns,
    timing: timeline.timing,
    arrival: timeline.arrival,
    placement: program.placement,
    critical: run.criticalPath.map((position) => position + shift[deviceOf(position)]),
    ...(goesOn === undefined ? {} : { pathBefore: goesOn }),
    // A blocking send ties a device to its peer, and lanes tie it to the next iteration: floats of operations alone would be too large.
    slack:
      columns.word.length <= slackLimit &&
      timeline.blocking === undefined &&
      (lanes === undefined || timeline.timing.exchange?.rule.barrier === true)
        ? slackOf(columns, timeline.timing, makersOf(columns, timeline.timing), timeline.arrival)
        : undefined,
    items,
    memory: memoryTracks(plan, timeline).map(shown),
    ...(hosts.some((host) => host !== undefined) ? { hosts } : {}),
    fill:
      plan.fill === undefined
        ? undefined
        : plan.devices.flatMap((_, device) => fillStretches(plan, timeline, device) ?? []),
    ...(lanes === undefined ? {} : { lanes }),
    report: withoutCauses(run.report),
  };
}

/** The causes are found when they are read, so they are not read. */
function withoutCauses(report: PipelineReport): ReportWithoutCauses {
  const { causes: _, ...figures } = Object.getOwnPropertyDescriptors(report.bubble);
  return { ...report, bubble: Object.defineProperties({}, figures) as ReportWithoutCauses['bubble'] };
}

/** Longest picture for the sake of a percentile, in iterations. */
const longestForPercentile = 1.25;

/** With random times, the picture goes on to the time that 95 % of the draws do not exceed. */
const percentileWith = ({ jitter }: Run['report'], makespan: number): Pick<Columns, 'horizon'> => {
  const shown = (jitter?.p95 ?? 0) * 1.01;
  return jitter?.counts !== undefined && shown > makespan && shown <= longestForPercentile * makespan
    ? { horizon: shown }
    : {};
};

/** Without a barrier two iterations are shown: the exchange of the first one runs into the second. */
export function horizonWith(lanes: Lanes | undefined, makespan: number): Pick<Columns, 'period' | 'horizon'> {
  if (lanes === undefined) return {};
  const { period, repeats, all } = lanes;
  const sent = all.flatMap(({ legs }) => legs).reduce((latest, { end }) => Math.max(latest, end.at(-1) ?? 0), makespan);
  return repeats ? { period, horizon: Math.max(sent, makespan + period) } : sent > makespan ? { horizon: sent } : {};
}
