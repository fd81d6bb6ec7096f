import type { PlanAnswer } from '../../engine/sweep/answer.ts';
import { printable } from '../../server/printable.ts';
import { quoted } from './csv.ts';
import { jsonText } from './json.ts';

/** The whole answer; fields are added, never renamed. */
export const planJson = (answer: PlanAnswer): string => jsonText(answer);

/** One line for each row that was simulated (RFC 4180), in base units. */
export function planCsv({ search, points }: PlanAnswer): string {
  const keys = search.map(({ key }) => key);
  const figures = ['iteration', 'peak', 'throughput', 'mfu', 'bubble'] as const;
  const head = ['row', ...keys, 'ranks', 'data_ranks', 'microbatches', ...figures, 'meets', 'front', 'missed'];
  const lines = points.map((point) => [
    String(point.row),
    ...keys.map((key) => point.settings[key] ?? ''),
    ...[point.pipeline, point.data, point.microbatches].map(String),
    ...figures.map((figure) => String(point[figure] ?? '')),
    ...[point.meets, point.front].map(String),
    point.missed ?? '',
  ]);
  return [head, ...lines].map((line) => `${line.map((cell) => quoted(printable(cell))).join(',')}\r\n`).join('');
}

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

function isAnswer(value: unknown): value is PlanAnswer {
  if (!isRecord(value) || value['version'] !== 1) return false;
  const numbers = ['devices', 'batch', 'rows', 'simulated', 'over', 'dropped', 'unsearched'];
  const lists = ['search', 'limits', 'refused', 'points'];
  if (!numbers.every((key) => isNumber(value[key])) || !lists.every((key) => Array.isArray(value[key]))) return false;
  if (typeof value['file'] !== 'string' || typeof value['pipeline'] !== 'string') return false;
  if (value['minimise'] !== 'iteration' && value['minimise'] !== 'peak_memory') return false;
  const { shard, search, points, refused } = value;
  if (shard !== undefined && !(isRecord(shard) && isNumber(shard['index']) && isNumber(shard['of']))) return false;
  return (
    (search as unknown[]).every(
      (axis) => isRecord(axis) && typeof axis['key'] === 'string' && Array.isArray(axis['values']),
    ) &&
    (refused as unknown[]).every(
      (each) => isRecord(each) && typeof each['reason'] === 'string' && isNumber(each['rows']),
    ) &&
    (points as unknown[]).every(isPoint)
  );
}

const isPoint = (point: unknown): boolean =>
  isRecord(point) &&
  isRecord(point['settings']) &&
  ['row', 'pipeline', 'data', 'microbatches', 'iteration', 'peak', 'throughput', 'bubble'].every((key) =>
    isNumber(point[key]),
  ) &&
  typeof point['meets'] === 'boolean';
