/** The answer of a search as a file for other programs: the same from the terminal and from the editor. */
import type { PlanAnswer } from '../../engine/sweep/answer.ts';
import { jsonText } from '../text/jsonText.ts';
import { csvLine } from '../text/csvField.ts';

/** The whole answer; fields are added, never renamed. */
export const planJson = (answer: PlanAnswer): string => jsonText(answer);

/** One line for each row that was simulated (RFC 4180), in base units. */
export function planCsv({ search, points }: PlanAnswer): string {
  const keys = search.map(({ key }) => key);
  const figures = ['iteration', 'peak', 'throughput', 'mfu', 'bubble'] as const;
  const head = [
    'row',
    ...keys,
    'ranks',
    'data_ranks',
    'microbatches',
    ...figures,
    'meets',
    'front',
    'missed',
    'tight',
    'left',
    'spread_time',
    'spread_memory',
    'fit',
    'runs',
    'within',
    'batch',
    'scaled',
    'fingerprint',
  ];
  const lines = points.map((point) => [
    String(point.row),
    ...keys.map((key) => point.settings[key] ?? ''),
    ...[point.pipeline, point.data, point.microbatches].map(String),
    ...figures.map((figure) => String(point[figure] ?? '')),
    ...[point.meets, point.front].map(String),
    point.missed ?? '',
    String(point.tight ?? ''),
    String(point.left ?? ''),
    ...[point.spread?.time, point.spread?.memory, point.spread?.fit, point.spread?.runs].map((each) =>
      String(each ?? ''),
    ),
    String(point.within ?? ''),
    String(point.batch ?? ''),
    String(point.scaled ?? ''),
    point.fingerprint,
  ]);
  return [head, ...lines].map(csvLine).join('');
}
