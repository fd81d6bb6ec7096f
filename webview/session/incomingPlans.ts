import type { FoundPoint } from '../../engine/sweep/answer.ts';
import type { ToPage } from '../protocol/messages.ts';
import type { PlanEnd, PlanHead, Range } from '../protocol/requests.ts';
import { type Fields, isFields, isFigure, readOverrides } from '../protocol/state.ts';

/** Messages of searches for plans, checked before use. */

type PlanMessage = Extract<
  ToPage,
  { readonly type: 'plans' | 'planFound' | 'planEnd' | 'planEdited' | 'planNote' | 'planKept' }
>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => isFigure(value) && Number.isInteger(value) && value >= 0;
const isSwitch = (value: unknown): value is boolean => typeof value === 'boolean';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isAll = (value: unknown, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(holds);
const isMaybe = (value: unknown, holds: (item: unknown) => boolean): boolean => value === undefined || holds(value);

const isSettings = (value: unknown): boolean => isFields(value) && Object.values(value).every(isText);
const isAxis = (value: unknown): boolean => isFields(value) && isText(value.key) && isTexts(value.values);
const isObjective = (value: unknown): boolean => value === 'iteration' || value === 'peak_memory';

/** Seconds and bytes are over 0: they are places of a drawing. */
const isPoint = (value: unknown): value is FoundPoint =>
  isFields(value) &&
  [value.row, value.pipeline, value.data, value.microbatches].every(isCount) &&
  [value.iteration, value.peak, value.throughput, value.bubble].every((figure) => isFigure(figure) && figure >= 0) &&
  isSettings(value.settings) &&
  isSwitch(value.meets) &&
  isMaybe(value.mfu, isFigure) &&
  isMaybe(value.tight, isFigure) &&
  isMaybe(value.left, isFigure) &&
  isMaybe(value.spread, (spread) => isFields(spread) && Object.values(spread).every(isFigure)) &&
  isMaybe(value.within, isSwitch) &&
  isMaybe(value.missed, isText);

const isHead = (value: unknown): value is PlanHead =>
  isFields(value) &&
  isText(value.pipeline) &&
  isCount(value.version) &&
  isAll(value.axes, isAxis) &&
  isSwitch(value.isDefault) &&
  isObjective(value.minimise) &&
  isTexts(value.limits) &&
  isFigure(value.devices) &&
  isFigure(value.batch) &&
  isMaybe(value.overrides, (overrides) => readOverrides(overrides) !== undefined) &&
  isMaybe(value.capacity, isFigure) &&
  isMaybe(value.peakLimit, (limit) => isFields(limit) && isFigure(limit.bytes) && isText(limit.text));

const isRefused = (value: unknown): boolean =>
  isFields(value) && isText(value.reason) && isCount(value.rows) && isSettings(value.example);
const isChange = (value: unknown): boolean =>
  isFields(value) && isText(value.key) && isText(value.from) && isText(value.to);
const isWritten = (value: unknown): boolean =>
  isFields(value) && isFigure(value.iteration) && isFigure(value.peak) && isSwitch(value.meets);

const isEnd = (value: unknown): value is PlanEnd =>
  isFields(value) &&
  [value.rows, value.simulated, value.over, value.dropped, value.unsearched].every(isCount) &&
  isText(value.certificate) &&
  isObjective(value.minimise) &&
  isAll(value.refused, isRefused) &&
  isMaybe(value.best, isCount) &&
  isMaybe(value.full, isCount) &&
  isMaybe(value.margin, isFigure) &&
  isMaybe(value.tighter, isTighter) &&
  isMaybe(value.left_out, (leftOut) => isAll(leftOut, isLeftOut)) &&
  isMaybe(value.written, isWritten) &&
  isMaybe(value.changes, (changes) => isAll(changes, isChange));

const isTighter = (value: unknown): boolean =>
  isFields(value) && isCount(value.row) && isFigure(value.faster) && isFigure(value.left);

const isLeftOut = (value: unknown): boolean => isFields(value) && isText(value.what) && isText(value.why);

const isPosition = (value: unknown): boolean => isFields(value) && isCount(value.line) && isCount(value.character);
const isRange = (value: unknown): value is Range => isFields(value) && isPosition(value.start) && isPosition(value.end);

export function readPlanMessage(data: Fields): PlanMessage | undefined {
  const { type, request } = data;
  if (type === 'plans') return { type, ...(isText(data.pipeline) ? { pipeline: data.pipeline } : {}) };
  if (!isCount(request)) return undefined;
  switch (type) {
    case 'planFound': {
      const found = foundOf(data);
      return found === undefined ? undefined : { type, request, ...found };
    }
    case 'planEnd': {
      const end = endOf(data);
      return end === undefined ? undefined : { type, request, ...end };
    }
    case 'planEdited': {
      const edited = editedOf(data);
      return edited === undefined ? undefined : { type, request, ...edited };
    }
    case 'planKept': {
      const { uri, pipeline, open, tried, note } = data;
      const found = isFields(data.found) ? foundOf(data.found) : undefined;
      const end = isFields(data.end) ? endOf(data.end) : undefined;
      const edited = isFields(data.edited) ? editedOf(data.edited) : undefined;
      if (!isText(uri) || !isSwitch(open) || !isText(note) || found === undefined || edited === undefined)
        return undefined;
      return {
        type,
        uri,
        request,
        open,
        found,
        edited,
        note,
        ...(isText(pipeline) ? { pipeline } : {}),
        ...(isCount(tried) ? { tried } : {}),
        ...(end === undefined ? {} : { end }),
      };
    }
    case 'planNote': {
      const { text } = data;
      return isText(text) ? { type, request, text } : undefined;
    }
    default:
      return undefined;
  }
}

type Kept = Extract<PlanMessage, { readonly type: 'planKept' }>;

function foundOf({ head, points, looked, total }: Fields): Kept['found'] | undefined {
  if (!Array.isArray(points) || !points.every(isPoint) || !isCount(looked) || !isCount(total)) return undefined;
  if (head !== undefined && !isHead(head)) return undefined;
  return { points, looked, total, ...(head === undefined ? {} : { head }) };
}

function endOf({ figures, problem, range }: Fields): Kept['end'] | undefined {
  if (!isEnd(figures) && !isText(problem)) return undefined;
  return {
    ...(isEnd(figures) ? { figures } : {}),
    ...(isText(problem) ? { problem } : {}),
    ...(isRange(range) ? { range } : {}),
  };
}

const editedOf = ({ matters, row }: Fields): Kept['edited'] | undefined =>
  isSwitch(matters) ? { matters, ...(isCount(row) ? { row } : {}) } : undefined;
