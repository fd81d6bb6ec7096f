import type { PlanPoint } from '../../engine/sweep/answer.ts';
import { bytes, count, iterationTime } from '../../engine/basics/quantities.ts';
import type { Colours } from '../colours.ts';

const height = 14;
const widest = 78;

/** The least and the greatest; there may be a million points. */
const extremes = (points: readonly PlanPoint[], of: (point: PlanPoint) => number): readonly [number, number] =>
  points.reduce<[number, number]>(
    ([least, greatest], point) => [Math.min(least, of(point)), Math.max(greatest, of(point))],
    [Infinity, -Infinity],
  );

/** Time over memory in character cells: rows as dots, the front as circles. Rows far slower than the front are left out. */
export function frontChart(
  points: readonly PlanPoint[],
  front: readonly PlanPoint[],
  columns: number,
  colours: Colours,
): string {
  const margin = 11;
  const width = Math.max(20, Math.min(widest, columns - margin - 2));
  const [fastest, slowest] = extremes(front, ({ iteration }) => iteration);
  // The front takes two thirds of the height at least.
  const top = Math.max(slowest, fastest * 1.05) + (Math.max(slowest, fastest * 1.05) - fastest) / 2;
  // Parts of other programs may hold a time of 0.
  const range = top > fastest ? top - fastest : 1;
  const shown = points.filter(({ iteration, meets }) => meets && iteration <= top);
  const [low, most] = extremes(shown, ({ peak }) => peak);
  const high = Math.max(most, low * 1.05, low + 1);
  const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => ' '));
  // Figures of a part that another program wrote may be of any size, so that a share of them is no number.
  const place = (share: number, cellCount: number): number =>
    Math.round(Math.min(1, Math.max(0, share || 0)) * (cellCount - 1));
  const mark = ({ peak, iteration }: PlanPoint, sign: string): void => {
    cells[place((top - iteration) / range, height)][place((peak - low) / (high - low), width)] = sign;
  };
  for (const point of shown) mark(point, colours.dim('·'));
  for (const point of front) mark(point, colours.green('●'));
  const label = (row: number): string =>
    row === 0
      ? iterationTime(top)
      : row === height - 1
        ? iterationTime(fastest)
        : row === height >> 1
          ? iterationTime((top + fastest) / 2)
          : '';
  const lines = cells.map((line, row) => `${label(row).padStart(margin - 2)} │${line.join('').trimEnd()}\n`);
  const left = bytes(low);
  const right = bytes(high);
  const gap = ' '.repeat(Math.max(1, width - left.length - right.length));
  const left_out = points.length - shown.length;
  return [
    `${colours.dim('iteration over peak memory of the fullest device')}${left_out === 0 ? '' : colours.dim(`; ${count(left_out, 'row lies', 'rows lie')} outside`)}\n`,
    ...lines,
    `${' '.repeat(margin - 1)}└${'─'.repeat(width)}\n`,
    `${' '.repeat(margin)}${left}${gap}${right}\n`,
  ].join('');
}
