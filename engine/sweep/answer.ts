/** The answer of a sweep as plain data, for terminals, scripts and the preview: fields are added, never renamed. */
import type { Axis } from '../definitions/search.ts';
import { rowCount, type Settings, settingsOf } from './axes.ts';
import type { SweepBase } from './base.ts';
import { evaluateRow, type RowFigures, type RowSpread } from './evaluateRow.ts';
import { type Change, changesOf } from './changes.ts';
import { bestOf, type Tighter, tighterThan } from './best.ts';
import { certificateOf, nearestOf } from './certificate.ts';
import { frontOf, isWithin } from './front.ts';
import { type PlacedRow, placeRow } from './placeRow.ts';
import { fingerprintOf } from './rowName.ts';
import type { LeftOut } from './space/choice.ts';
import { takesChunks } from './scheduleText.ts';
import { partRows, type Shard, type SweepResult } from './sweep.ts';
import { type FullRow, mergedReasons, type RefusedRows, type Tally } from './tally.ts';
import type { Objective } from '../definitions/search.ts';

/** A row that was simulated. Seconds, bytes, shares of 1. */
export interface PlanPoint {
  /** Number of the row in the product; `--write` takes it. */
  readonly row: number;
  /** What is searched, without keys that change nothing in this row. */
  readonly settings: Settings;
  readonly pipeline: number;
  readonly data: number;
  readonly microbatches: number;
  readonly iteration: number;
  /** Seconds in which it would train as many samples as other rows; only with `batch`. Rows compare by it. */
  readonly scaled?: number;
  readonly peak: number;
  /** Samples of its iteration; only if its ranks do not divide the samples that other rows have. */
  readonly batch?: number;
  readonly throughput: number;
  readonly mfu?: number;
  readonly bubble: number;
  /** Share of the memory of its fullest device that is left; only if it is less than the margin of `memory/headroom`. */
  readonly tight?: number;
  /** With `tight`: bytes of that device. */
  readonly left?: number;
  /** Every device is within its memory, and all limits hold. */
  readonly meets: boolean;
  readonly missed?: string;
  /** If that limit is of memory: bytes that are too much. */
  readonly over?: number;
  /** How far published runs of its kind are off; absent where layers are measured. */
  readonly spread?: RowSpread;
  /** Titles of the common engines that run it; absent where the file names its engine. */
  readonly runs_on?: readonly string[];
  /** No other row that meets the limits is better in time and in memory. */
  readonly front: boolean;
  /** Only if true: it is slower than the fastest row of the front by no more than the spread of published runs of its kind. */
  readonly within?: true;
  /** Which settings it has, in six digits: `--write` takes it behind the number. */
  readonly fingerprint: string;
}

/** What figures follow from, in addition to what is asked: parts of one sweep are made from equal contents, wherever the files are. */
export interface AnswerSource {
  /** Of the program. */
  readonly program: string;
  /** Hash of the file, without comments, layout, and what does not matter to the pipeline. */
  readonly text: string;
  /**
   * Hashes of other files that it reads, by their path from the file; empty for a file that could not be read. Of `.pipe` files without
   * comments and layout.
   */
  readonly files: Readonly<Record<string, string>>;
  /** The engine of pipelines that name none; absent for any. */
  readonly engine?: string;
  /** Values of params instead of their defaults; in base units. */
  readonly params: Readonly<Record<string, number>>;
}

export interface PlanAnswer {
  readonly version: 1;
  readonly file: string;
  readonly source?: AnswerSource;
  readonly pipeline: string;
  readonly devices: number;
  /** Samples of an iteration, in every row that does not say another number. */
  readonly batch: number;
  /** What was asked for, in samples; may be no whole number. Absent: rows have no other number than `batch`. */
  readonly batch_asked?: number;
  readonly search: readonly Axis[];
  /** Only if the file has no search and the call names no key: what was left out of the values that were chosen. */
  readonly left_out?: readonly LeftOut[];
  readonly minimise: Objective;
  readonly limits: readonly string[];
  /** Only of one part. */
  readonly shard?: Shard;
  /** Of a part: rows of other parts were known while it ran, so rows may be dropped that are better than all of this part. */
  readonly shares?: true;
  /** Of several parts: numbers of the parts of which nothing is known, and of the parts that have undecided rows. */
  readonly missing?: {
    readonly absent: readonly number[];
    readonly unfinished: readonly number[];
    readonly of: number;
  };
  readonly rows: number;
  readonly simulated: number;
  /** Rows whose weights, gradients, optimizer state and buffers alone do not fit. */
  readonly over: number;
  /** Rows whose orders need more memory than a device has, which were not timed. Absent for none. */
  readonly full?: number;
  /** Of these, the row that needs least memory; bytes. */
  readonly least_full?: FullRow;
  /** Of rows without room for weights, gradients and optimizer state, the one in which these are least; at least as many bytes. */
  readonly least_stored?: FullRow;
  /** Only if no row fits: bytes by which the row that needs least memory is over its limit. */
  readonly least_over?: number;
  /** The least change with which a row fits, where none does: it was simulated. */
  readonly would_fit?: string;
  /** Rows that were tried until the search for such a change was ended; absent if it came to its end. */
  readonly would_fit_cut?: number;
  /** What the best row gains by something that is not searched: it was simulated. */
  readonly further?: string;
  /** Rows that a bound shows to be worse in time and memory than another row. */
  readonly dropped: number;
  readonly unsearched: number;
  /** Seconds that no row is under which was not searched. */
  readonly unsearched_least?: number;
  readonly refused: readonly RefusedRows[];
  /** The pipeline as the file has it; absent if it does not run. */
  readonly written?: RowFigures;
  /** The margin of `memory/headroom`: a row with a smaller share left is not the best, if another row fits. */
  readonly margin?: number;
  /** Number of the best row: of the rows that keep the margin, unless none fits. */
  readonly best?: number;
  /** The fastest row, if it is faster than the best one and does not keep the margin. */
  readonly tighter?: Tighter;
  /** What the best row changes in the file. */
  readonly changes?: readonly Change[];
  /** How sure that is. */
  readonly certificate: string;
  readonly points: readonly PlanPoint[];
}

/** What an answer says of its search, without results. */
export type PlanRequest = Pick<
  PlanAnswer,
  | 'file'
  | 'source'
  | 'pipeline'
  | 'devices'
  | 'batch'
  | 'batch_asked'
  | 'search'
  | 'left_out'
  | 'minimise'
  | 'limits'
  | 'margin'
  | 'shard'
  | 'written'
>;

export interface Asked {
  readonly file: string;
  readonly source?: AnswerSource;
  readonly axes: readonly Axis[];
  /** Only if the axes are a space that was chosen. */
  readonly leftOut?: readonly LeftOut[];
  readonly minimise: Objective;
  readonly limits: readonly string[];
  readonly shard?: Shard;
  readonly shares?: boolean;
}

/** A row that was simulated, before all are known. */
export type FoundPoint = Omit<PlanPoint, 'front' | 'fingerprint'>;

export function foundPoint(base: SweepBase, axes: readonly Axis[], row: number, figures: RowFigures): FoundPoint[] {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  if ('refused' in placed) return [];
  const { ranks, data, microbatches } = placed;
  return [{ row, settings: usedSettings(placed), pipeline: ranks, data, microbatches, ...figures }];
}

export function planAnswer(base: SweepBase, asked: Asked, result: SweepResult): PlanAnswer {
  const points = result.points.flatMap((point) => {
    const { row, settings: _, ...figures } = point;
    return foundPoint(base, asked.axes, row, figures);
  });
  return answerOf(base, asked, { ...result, points, written: asWritten(base) });
}

/** The same from points that are known, in order of their rows. `written`: the pipeline as the file has it. */
export function answerOf(
  base: SweepBase,
  { file, source, axes, leftOut, limits, minimise, shard, shares = false }: Asked,
  result: Omit<SweepResult, 'points'> & {
    readonly points: readonly FoundPoint[];
    readonly written: RowFigures | undefined;
  },
): PlanAnswer {
  const { points, written } = result;
  const answer = withFront({
    version: 1,
    file,
    ...(source === undefined ? {} : { source }),
    pipeline: base.pipeline,
    devices: base.devices,
    batch: base.batch,
    ...(base.asked === undefined ? {} : { batch_asked: base.asked }),
    search: axes,
    ...(leftOut === undefined ? {} : { left_out: leftOut }),
    minimise,
    limits,
    margin: base.margin,
    ...(shard === undefined ? {} : { shard }),
    ...(shares ? { shares } : {}),
    rows: result.rows,
    simulated: result.simulated,
    over: result.over,
    ...(result.full === 0 ? {} : { full: result.full }),
    ...(result.leastFull === undefined ? {} : { least_full: result.leastFull }),
    ...(result.leastStored === undefined ? {} : { least_stored: result.leastStored }),
    dropped: result.dropped,
    unsearched: result.unsearched,
    ...(result.unsearchedLeast === undefined ? {} : { unsearched_least: result.unsearchedLeast }),
    refused: result.refused,
    ...(written === undefined ? {} : { written }),
    points,
  });
  return answer.best === undefined ? answer : { ...answer, changes: changesOf(base, axes, answer.best) };
}

/** The answer of a part from its rows, all of them or those that are decided so far. `unplaced`: absent if they are not counted yet. */
export function partAnswer(
  asked: PlanRequest,
  { tally, unplaced }: { readonly tally: Tally<FoundPoint>; readonly unplaced?: readonly RefusedRows[] },
): PlanAnswer {
  const {
    file,
    source,
    pipeline,
    devices,
    batch,
    batch_asked: wish,
    search,
    left_out,
    minimise,
    limits,
    margin,
    shard = { index: 1, of: 1 },
    written,
  } = asked;
  const rows = partRows(rowCount(search), shard);
  const refused = mergedReasons(search, [tally.refused(), unplaced ?? []]);
  const decided = refused.reduce(
    (sum, reason) => sum + reason.rows,
    tally.ran + tally.over + tally.full + tally.dropped,
  );
  const unsearched = Math.max(0, rows - decided);
  return withFront({
    version: 1,
    ...{ file, ...(source === undefined ? {} : { source }), pipeline, devices, batch, search },
    ...(wish === undefined ? {} : { batch_asked: wish }),
    ...(left_out === undefined ? {} : { left_out }),
    ...{ minimise, limits, ...(margin === undefined ? {} : { margin }), shard },
    ...(shard.of === 1 ? {} : { shares: true }),
    rows,
    simulated: tally.ran,
    over: tally.over,
    ...(tally.full === 0 ? {} : { full: tally.full }),
    ...(tally.leastFull === undefined ? {} : { least_full: tally.leastFull }),
    ...(tally.leastStored === undefined ? {} : { least_stored: tally.leastStored }),
    dropped: tally.dropped,
    unsearched,
    // Rows that were never looked at may be as fast as they like.
    ...(unsearched === 0 ? {} : { unsearched_least: 0 }),
    refused,
    ...(written === undefined ? {} : { written }),
    points: tally.points(),
  });
}

/** The pipeline as the file has it. */
export function asWritten(base: SweepBase): RowFigures | undefined {
  const row = placeRow(base, [], {});
  const outcome = 'refused' in row ? undefined : evaluateRow(base, row, []);
  return outcome?.kind === 'ran' ? outcome.figures : undefined;
}

/** `chunks` means nothing to a policy without that parameter. */
const usedSettings = ({ settings, schedule }: PlacedRow): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key !== 'chunks' || takesChunks(schedule)));

type Unranked = Omit<PlanAnswer, 'best' | 'tighter' | 'least_over' | 'certificate' | 'changes' | 'points'> & {
  readonly points: readonly FoundPoint[];
};

/** The front, the best row and its certificate, from the rows. */
export function withFront(answer: Unranked): PlanAnswer {
  const front = frontOf(answer.points.filter(({ meets }) => meets));
  const kept = new Set(front.map(({ row }) => row));
  const best = bestOf(front, answer.minimise);
  const leastOver = best === undefined ? nearestOf(answer)?.over : undefined;
  const tighter = best === undefined ? undefined : tighterThan(best, front, answer.minimise);
  const points = answer.points.map((point) => {
    const isFront = kept.has(point.row);
    // A part may have said so of a row that is slower than the fastest of all.
    const { within: _, ...figures } = point;
    return {
      ...figures,
      front: isFront,
      // Parts have it at this place already: an answer of parts reads as the answer of one run.
      fingerprint: fingerprintOf(settingsOf(answer.search, point.row)),
      ...(isFront && isWithin(point, front[0]) ? { within: true as const } : {}),
    };
  });
  return {
    ...answer,
    ...(best === undefined ? {} : { best: best.row }),
    ...(tighter === undefined ? {} : { tighter }),
    ...(leastOver === undefined ? {} : { least_over: leastOver }),
    certificate: certificateOf(answer, best, tighter),
    points,
  };
}
