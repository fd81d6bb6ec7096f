import { simulated } from '../../engine/flow/evaluate.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import { figuresOf as reportFigures } from '../../engine/fixes/effect.ts';
import { runnersOf, runnerWords } from '../../engine/engines/runners.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { giveOrder } from '../../engine/policies/searched/given.ts';
import { deviceBehind } from '../../engine/flow/sensitivity.ts';
import { memoryTrack } from '../../engine/simulate/memory.ts';
import { iterationSeconds } from '../../engine/values/timeline.ts';
import type { Columns } from '../picture/columns.ts';
import { pairColumns, type PairedColumns } from '../picture/drift.ts';
import type { Lanes } from '../picture/lanes.ts';
import { firstOverLimit } from '../picture/memoryLevel.ts';
import { colouringOf, fits } from './colouring.ts';
import { draw } from './draw.ts';
import type { FrameView } from './frame.ts';
import { bandShare, drawLanes } from './laneStrip.ts';
import { lanesOf } from './makeLanes.ts';
import { columnsOf } from './makeColumns.ts';
import type { BehindDevice, RaceFigures, StripRequest, ToWorker } from './messages.ts';
import type { Palette } from './palette.ts';
import { buildPyramid, type Pyramid } from './pyramid.ts';
import { recordedRun } from './recordedRun.ts';

/** A difference of larger timelines is not traced to a device: it takes three more simulations. */
const mostTraced = 300_000;

/** Operations of two timelines that are paired one by one: the page gets all of them. */
const mostPaired = 600_000;

interface Kept {
  readonly columns: Columns;
  readonly lanes?: Lanes;
  /** Seconds of the iteration. */
  readonly end: number;
  /** Shares of time, for a timeline of many blocks. */
  pyramid?: Pyramid;
}

/** Up to this many blocks, a strip is drawn from the blocks themselves. */
const manyBlocks = 100_000;

/** Blocks of all timelines that are kept to be drawn, some 16 bytes each. What comes later is compared by its figures only. */
const mostBlocks = 6_000_000;

/** Timelines side by side: simulates each once, and draws those that it keeps. */
export function comparison() {
  const kept = new Map<number, Kept>();
  const entered = new Map<number, { readonly plan: PipelinePlan; readonly figures: RaceFigures }>();
  let blocks = 0;
  const run = recordedRun();

  return {
    enter({ id, plan, kept: wanted, order }: Extract<ToWorker, { type: 'enter' }>): RaceFigures | { reason: string } {
      if (order !== undefined) giveOrder(plan, order);
      const found = simulated(plan);
      if ('faults' in found) {
        const errors = found.faults.filter(({ severity }) => severity === 'error').map(({ message }) => message);
        return { reason: errors.join(' ') || 'This pipeline cannot be simulated.' };
      }
      const { run } = found;
      const columns = columnsOf(plan, run.timeline);
      if (wanted && blocks + columns.word.length <= mostBlocks) {
        blocks += columns.word.length;
        const lanes = lanesOf(run.timeline);
        kept.set(id, { columns, ...(lanes === undefined ? {} : { lanes }), end: iterationSeconds(run.timeline) });
      }
      const figures = figuresOf(plan, run, columns.word.length);
      entered.set(id, { plan, figures });
      return figures;
    },
    record: run.record,
    /** The operations of a plan and of the run of it. */
    enterRun({ upper, lower, plan, order, replica }: Extract<ToWorker, { type: 'enterRun' }>) {
      if (order !== undefined) giveOrder(plan, order);
      const found = run.beside(plan, replica);
      for (const [id, columns] of [
        [upper, found.upper],
        [lower, found.lower],
      ] as const) {
        if (columns === undefined || blocks + columns.word.length > mostBlocks) continue;
        blocks += columns.word.length;
        kept.set(id, { columns, end: columns.makespan });
      }
      return found;
    },
    /** The device behind the difference of two timelines; undefined if no single one is. */
    behind(id: number, baseline: number): BehindDevice | undefined {
      const [now, before] = [entered.get(id), entered.get(baseline)];
      if (now === undefined || before === undefined || now.figures.blocks > mostTraced) return undefined;
      const index = deviceBehind(now.plan, before.plan, now.figures.iteration - before.figures.iteration);
      return index === undefined ? undefined : { index, name: now.plan.devices[index].name };
    },
    /** Timelines that nobody compares any more make room. */
    leave(ids: readonly number[]): void {
      for (const id of ids) {
        blocks -= kept.get(id)?.columns.word.length ?? 0;
        kept.delete(id);
        entered.delete(id);
      }
    },
    /** The same operations of two timelines; undefined if they are too many, or not kept. */
    pair({ upper, lower, rows }: Extract<ToWorker, { type: 'pair' }>): PairedColumns | undefined {
      const [above, below] = [kept.get(upper)?.columns, kept.get(lower)?.columns];
      if (above === undefined || below === undefined) return undefined;
      if (above.word.length + below.word.length > mostPaired) return undefined;
      return pairColumns({ upper: above, lower: below }, rows);
    },
    draw(request: StripRequest, palette: Palette) {
      const { id, width, height, t0, t1, devices } = request;
      const entry = kept.get(id);
      if (entry === undefined || width < 1 || height < 1) return undefined;
      const { columns, lanes, end } = entry;
      if (columns.word.length > manyBlocks && (entry.pyramid === undefined || !fits(entry.pyramid.colouring, palette)))
        entry.pyramid = buildPyramid(columns, colouringOf(columns, palette));
      const rowHeight = height / Math.max(1, devices?.length ?? columns.rows);
      const band = lanes === undefined ? 1 : bandShare;
      const view = {
        t0,
        t1,
        top: 0,
        rowHeight,
        bandTop: 0,
        bandHeight: Math.max(1, (rowHeight >= 4 ? rowHeight - 1 : rowHeight) * band),
        radius: 0,
        notch: 0,
      };
      const pixels =
        devices === undefined
          ? draw(view, width, height, columns, entry.pyramid, palette)
          : rowsOf(devices, { ...view, bandHeight: rowHeight }, width, columns, entry.pyramid, palette);
      if (lanes !== undefined && devices === undefined)
        drawLanes(pixels, width, lanes, { t0, t1, end, rowHeight }, palette);
      return { ...request, buffer: pixels.buffer as ArrayBuffer };
    },
  };
}

/** Some devices, one under the other: their rows are filled. `rowHeight` is whole. */
function rowsOf(
  devices: readonly number[],
  view: FrameView,
  width: number,
  columns: Columns,
  pyramid: Pyramid | undefined,
  palette: Palette,
): Uint32Array {
  const { rowHeight } = view;
  const pixels = new Uint32Array(width * rowHeight * devices.length);
  for (const [index, device] of devices.entries()) {
    const row = draw({ ...view, top: device * rowHeight }, width, rowHeight, columns, pyramid, palette);
    pixels.set(row, index * rowHeight * width);
  }
  return pixels;
}

const runsOnWords = (runners: readonly string[]): string =>
  `${runners.length === 0 ? '' : 'runs on '}${runnerWords(runners)}`;

function figuresOf(plan: PipelinePlan, { report, timeline, draws }: Run, blocks: number): RaceFigures {
  const over = plan.devices.flatMap((_, index) => {
    const { peak, capacity } = report.devices[index];
    return peak > capacity ? (firstOverLimit(memoryTrack(plan, timeline, index)) ?? []) : [];
  });
  const { iteration, bubble, device, peak, capacity, fits } = reportFigures(report);
  const runners = plan.engines?.chosen === undefined ? runnersOf(plan) : undefined;
  return {
    iteration,
    throughput: report.throughput,
    makespan: iterationSeconds(timeline),
    bubble,
    causes: report.bubble.causes,
    fullest: device,
    peak,
    capacity,
    fits,
    ...(over.length > 0 ? { overAt: Math.min(...over) } : {}),
    ...(plan.unitTimes === true ? { unitTimes: true } : {}),
    rows: report.devices.length,
    blocks,
    ...(runners === undefined ? {} : { runsOn: runsOnWords(runners) }),
    ...(draws === undefined ? {} : { draws }),
  };
}
