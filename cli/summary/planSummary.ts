/** `plan --summary`. */
import { spreadWords } from '../../engine/analyze/accuracyWords.ts';
import { bytes, count, iterationTime, share } from '../../engine/basics/quantities.ts';
import type { PlanAnswer, PlanPoint } from '../../engine/sweep/answer.ts';
import { paceOf } from '../../engine/sweep/front.ts';
import { rowName } from '../../engine/sweep/rowName.ts';
import { batchWords } from '../../engine/sweep/ownBatch.ts';
import type { RowFigures } from '../../engine/sweep/evaluateRow.ts';
import { planJson } from '../../server/searches/planData.ts';
import { cutText } from '../output/planText.ts';
import type { Fields, Summary } from './summary.ts';

/** `staying`: what no row changes. `text`: the file with the values of the best row. */
export function planSummary(answer: PlanAnswer, staying: string, text: string | undefined): Summary {
  const { pipeline, devices, batch, rows, simulated, unsearched, written, refused } = answer;
  const front = answer.points.filter((point) => point.front).toSorted((a, b) => rank(answer, a) - rank(answer, b));
  const best = front.find(({ row }) => row === answer.best);
  return {
    head: [
      `${pipeline}: ${count(rows, 'row', 'rows')} on ${count(devices, 'device', 'devices')}, ${count(batch, 'sample', 'samples')} an iteration`,
      answer.certificate,
      ...[answer.would_fit, cutText(answer), answer.further].flatMap((words) => words ?? []),
      ...(written === undefined ? [] : [`As written: ${figureWords(written)}.`]),
      ...(staying === '' ? [] : [`Not searched: ${staying}.`]),
    ],
    fields: {
      devices,
      samples: batch,
      rows,
      simulated,
      unsearched,
      ...(best === undefined ? {} : { best: best.row }),
      certificate: answer.certificate,
      ...(answer.would_fit === undefined ? {} : { would_fit: answer.would_fit }),
      ...(answer.least_over === undefined ? {} : { least_over_bytes: answer.least_over }),
      ...(answer.would_fit_cut === undefined ? {} : { would_fit_cut: answer.would_fit_cut }),
      ...(answer.further === undefined ? {} : { further: answer.further }),
      ...(written === undefined ? {} : { as_written: figureFields(written) }),
    },
    lists: [
      {
        name: 'front',
        singular: 'row of the front',
        plural: 'rows of the front',
        items: front.map((point) => ({
          line: `row ${rowName(answer.search, point.row)}${point === best ? ' (best)' : ''}: ${figureWords(point)}${point.batch === undefined ? '' : `, ${batchWords(point.batch, batch)}`}; ${settingsWords(point)}`,
          data: {
            row: point.row,
            ...figureFields(point),
            ...(point.batch === undefined ? {} : { samples: point.batch, compared_seconds: paceOf(point) }),
            pipeline: point.pipeline,
            data: point.data,
            microbatches: point.microbatches,
            ...(point.within === true ? { within_spread_of_fastest: true } : {}),
            settings: point.settings,
            fingerprint: point.fingerprint,
          },
        })),
      },
      {
        name: 'changes',
        singular: 'change',
        plural: 'changes',
        // The text of a made file says it.
        items: (text === undefined ? (answer.changes ?? []) : []).map(({ key, from, to }) => ({
          line: `change ${key}: ${from} → ${to}`,
          data: { key, from, to },
        })),
      },
      {
        name: 'refused',
        singular: 'reason',
        plural: 'reasons',
        // With a plan at hand nobody asks why others are none.
        items: (best === undefined ? refused : []).map(({ reason, rows: number }) => ({
          line: `${count(number, 'row', 'rows')}: ${reason}`,
          data: { reason, rows: number },
        })),
      },
    ],
    ...(text === undefined ? {} : { text }),
    whole: () => planJson(answer),
  };
}

/** The best first, then by time. */
const rank = ({ best }: PlanAnswer, point: PlanPoint): number => (point.row === best ? -1 : paceOf(point));

type Figures = RowFigures | PlanPoint;

function figureWords({ iteration, peak, mfu, bubble, missed, left, spread, runs_on: runsOn }: Figures): string {
  return [
    `${iterationTime(iteration)}${spread?.time === undefined ? '' : ` ${spreadWords({ share: spread.time })}`}`,
    `peak ${bytes(peak)}${left === undefined ? '' : ` (${bytes(left)} left)`}`,
    ...(mfu === undefined ? [] : [`MFU ${share(mfu)}`]),
    `bubble ${share(bubble)}`,
    ...(missed === undefined ? [] : [`misses ${missed}`]),
    ...(runsOn === undefined ? [] : [runsOn.length === 0 ? 'no common engine' : runsOn.join(' · ')]),
  ].join(', ');
}

const settingsWords = ({ pipeline, data, microbatches, settings }: PlanPoint): string =>
  [
    ['pipeline', pipeline],
    ['data', data],
    ['microbatches', microbatches],
    ...Object.entries(settings).filter(([key]) => !['pipeline', 'data', 'microbatches'].includes(key)),
  ]
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');

const figureFields = ({ iteration, peak, throughput, mfu, bubble, meets, missed, left, spread }: Figures): Fields => ({
  iteration_seconds: iteration,
  peak_bytes: peak,
  samples_per_second: throughput,
  ...(mfu === undefined ? {} : { mfu_share: mfu }),
  bubble_share: bubble,
  meets_limits: meets,
  ...(missed === undefined ? {} : { missed }),
  ...(left === undefined ? {} : { left_bytes: left }),
  ...(spread?.time === undefined ? {} : { time_spread_share: spread.time }),
});
