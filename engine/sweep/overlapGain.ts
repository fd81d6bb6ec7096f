/** What the best rows gain by kernels that send while they compute, which no row of a search has: simulated, in a sentence. */
import { count, iterationTime, share } from '../basics/quantities.ts';
import { apply } from '../fixes/proposal.ts';
import { overlapTensorEdit, overlapTensorText } from '../fixes/overlapTensor.ts';
import { pipelineBody } from '../fixes/source.ts';
import { parse } from '../../grammar/index.ts';
import type { Axis } from '../definitions/search.ts';
import { settingsOf } from './axes.ts';
import { asWritten } from './answer.ts';
import { sweepBase, type SweepBase } from './base.ts';
import { paceOf } from './front.ts';
import { placeRow } from './placeRow.ts';
import { rowText } from './rowText.ts';

/** Less is not worth a sentence. */
const leastGain = 0.005;

/** Rows of the front that are looked at: another one may be the best with such kernels. */
const mostRows = 4;

type Row = { readonly row: number; readonly iteration: number; readonly batch?: number };

/** `rows`: the best one, then others of the front, the fastest first. Undefined if the best gains nothing, or if the engine does not run it. */
export function overlapGain(
  base: SweepBase,
  axes: readonly Axis[],
  [best, ...others]: readonly Row[],
  limits: readonly string[],
): string | undefined {
  const of = (row: Row) => gainOf(base, axes, row, limits);
  const found = best === undefined ? undefined : of(best);
  if (found === undefined) return undefined;
  const more = others.slice(0, mostRows - 1).flatMap((row) => of(row) ?? []);
  const first = more.reduce((least, each) => (paceOf(each) < paceOf(least) ? each : least), found);
  const better =
    first === found
      ? ''
      : ` Row ${first.row} is the faster one then: ${iterationTime(first.iteration)}${samplesText(first)} with ${first.hidden}.`;
  return `With \`overlap(tensor) = ${found.hidden}\`, for kernels that send while they compute, row ${found.row} takes ${iterationTime(found.iteration)}${samplesText(found)}, ${share(found.gain)} less.${better}`;
}

/** Of a row that has other samples than most. */
const samplesText = ({ batch }: Row): string =>
  batch === undefined ? '' : ` for ${count(batch, 'sample', 'samples')}`;

interface Gain extends Row {
  /** Seconds by which it compares, if its iteration has other samples than most. */
  readonly scaled?: number;
  /** Of the exchanges of tensor ranks: `60%`. */
  readonly hidden: string;
  readonly gain: number;
}

function gainOf(
  base: SweepBase,
  axes: readonly Axis[],
  { row, iteration, batch }: Row,
  limits: readonly string[],
): Gain | undefined {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  const written = 'refused' in placed ? placed : rowText(base, placed);
  if ('refused' in placed || 'refused' in written || placed.tensor === 1) return undefined;
  const body = pipelineBody(parse(written.text), base.pipeline);
  const edit = body === undefined ? undefined : overlapTensorEdit(written.text, body, placed.tensor);
  if (edit === undefined) return undefined;
  const other = sweepBase({ ...base.file, text: apply(written.text, [edit]) }, base.pipeline, limits);
  const figures = 'problem' in other ? undefined : asWritten(other);
  const gain = figures?.meets === true ? 1 - figures.iteration / iteration : 0;
  if (figures === undefined || gain < leastGain) return undefined;
  const own = batch === undefined ? {} : { batch, scaled: (figures.iteration * base.batch) / batch };
  return {
    row,
    iteration: figures.iteration,
    ...own,
    gain,
    hidden: overlapTensorText(placed.tensor),
  };
}
