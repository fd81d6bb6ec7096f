import type { FoundPoint, PlanAnswer } from '../../engine/sweep/answer.ts';
import { rowCount } from '../../engine/sweep/axes.ts';
import type { RefusedRows } from '../../engine/sweep/tally.ts';
import type { RowsHead } from '../plan/rowsHead.ts';

/** An answer that was written as JSON; undefined for anything else. */
export function readPlanJson(text: string): PlanAnswer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isAnswer(value) ? value : undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Values by key. */
const isSettings = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((each) => typeof each === 'string');

const hasNumbers = (value: unknown, keys: readonly string[]): boolean =>
  isRecord(value) && keys.every((key) => isNumber(value[key]));

function isAnswer(value: unknown): value is PlanAnswer {
  if (!isRecord(value) || value['version'] !== 1) return false;
  const { shard, source, points, refused, changes } = value;
  if (!hasNumbers(value, ['rows', 'simulated', 'over', 'dropped', 'unsearched'])) return false;
  if (value['unsearched_least'] !== undefined && !isNumber(value['unsearched_least'])) return false;
  if (value['full'] !== undefined && !isNumber(value['full'])) return false;
  if (['least_full', 'least_stored'].some((key) => value[key] !== undefined && !isFull(value[key]))) return false;
  if (!['least_over', 'would_fit_cut'].every((key) => isOptional(value, key))) return false;
  if (['would_fit', 'further'].some((key) => value[key] !== undefined && typeof value[key] !== 'string')) return false;
  if (value['tighter'] !== undefined && !hasNumbers(value['tighter'], ['row', 'faster', 'left'])) return false;
  if (source !== undefined && !isSource(source)) return false;
  if (shard !== undefined && !isShard(shard)) return false;
  if (changes !== undefined && !isListOf(changes, isChange)) return false;
  return isRequest(value) && isListOf(points, isPoint) && isReasons(refused);
}

/** What was searched, of an answer and of a file of rows. */
function isRequest(value: Readonly<Record<string, unknown>>): boolean {
  const { file, pipeline, minimise, limits, search, written, left_out: leftOut, margin, batch_asked: wish } = value;
  if ([margin, wish].some((each) => each !== undefined && !isNumber(each))) return false;
  if (leftOut !== undefined && !isListOf(leftOut, isLeftOut)) return false;
  if (typeof file !== 'string' || typeof pipeline !== 'string' || !isTexts(limits)) return false;
  if (minimise !== 'iteration' && minimise !== 'peak_memory') return false;
  if (written !== undefined && !isRun(written)) return false;
  return hasNumbers(value, ['devices', 'batch']) && isListOf(search, isAxis);
}

/** More rows are refused before any is looked at. */
const mostRows = 1_000_000;

/** The first line of a file of rows. */
export function isRowsHead(value: unknown): value is RowsHead {
  if (!isRecord(value) || value['rows_file'] !== 1 || !isRequest(value) || !isSource(value['source'])) return false;
  const { search, shard } = value as Partial<RowsHead>;
  if (!isShard(shard) || shard === undefined || search === undefined) return false;
  const { index, of } = shard;
  const isPart = [index, of].every(Number.isInteger) && index >= 1 && index <= of;
  const rows = rowCount(search);
  return isPart && rows > 0 && rows <= mostRows;
}

const isSource = (value: unknown): boolean =>
  isRecord(value) &&
  ['program', 'text'].every((key) => typeof value[key] === 'string') &&
  isSettings(value['files']) &&
  isRecord(value['params']) &&
  Object.values(value['params']).every(isNumber);

const isListOf = (value: unknown, holds: (each: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(holds);

const isFlag = (value: unknown, key: string): boolean => isRecord(value) && typeof value[key] === 'boolean';

/** Parts are counted; a list of missing ones is made. */
const mostParts = 1_000_000;

const isShard = (value: unknown): boolean =>
  hasNumbers(value, ['index', 'of']) && isRecord(value) && Number(value['of']) <= mostParts;

const isChange = (value: unknown): boolean =>
  isRecord(value) && ['key', 'from', 'to'].every((key) => typeof value[key] === 'string');

const isLeftOut = (value: unknown): boolean =>
  isRecord(value) && typeof value['what'] === 'string' && typeof value['why'] === 'string';

const isAxis = (value: unknown): boolean =>
  isRecord(value) && typeof value['key'] === 'string' && isTexts(value['values']);

export const isReasons = (value: unknown): value is readonly RefusedRows[] => isListOf(value, isRefused);

const isRefused = (value: unknown): boolean =>
  hasNumbers(value, ['rows']) && isRecord(value) && typeof value['reason'] === 'string' && isSettings(value['example']);

const isFull = (value: unknown): boolean =>
  hasNumbers(value, ['row', 'peak']) && isRecord(value) && isOptional(value, 'over');

const isOptional = (value: Readonly<Record<string, unknown>>, key: string): boolean =>
  value[key] === undefined || isNumber(value[key]);

const figures = ['row', 'pipeline', 'data', 'microbatches', 'throughput', 'bubble'];

const isSpread = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isNumber);

/** Figures of a row, and of the file as it is written. */
const isRun = (value: unknown): boolean =>
  hasNumbers(value, ['iteration', 'peak']) &&
  isFlag(value, 'meets') &&
  isRecord(value) &&
  ['batch', 'scaled', 'tight', 'left', 'mfu', 'over'].every((key) => isOptional(value, key)) &&
  (value['spread'] === undefined || isSpread(value['spread'])) &&
  (value['missed'] === undefined || typeof value['missed'] === 'string');

export const isPoint = (value: unknown): value is FoundPoint =>
  hasNumbers(value, figures) &&
  isRun(value) &&
  isRecord(value) &&
  isSettings(value['settings']) &&
  (value['runs_on'] === undefined || isTexts(value['runs_on']));
