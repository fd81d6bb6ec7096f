/** What goes over lanes of a rule of exchange: a row for each lane and direction, a letter for the front layer of each bucket. */
import type { ExchangeTimeline, LaneTimeline, Sent } from '../../engine/values/exchangeTimeline.ts';
import type { Scale } from './scale.ts';

/** Lanes that are drawn. */
const mostLanes = 8;
/** Layers that the legend names. */
const mostNamed = 6;
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const callMark = '-';
const idleMark = '·';

interface LaneRow {
  /** The device whose row comes before it. */
  readonly device: number;
  readonly label: string;
  readonly text: string;
}

export interface LaneRows {
  readonly rows: readonly LaneRow[];
  readonly legend: readonly string[];
  /** What the rows are; empty without any. */
  readonly meaning: string;
}

/** Each character shows what is sent at its middle: also what an iteration before sends, where there is no barrier. */
export function laneRows(exchange: ExchangeTimeline, barrier: boolean, scale: Scale): LaneRows {
  const named = new Map<string, string>();
  const idle = idleMark.repeat(scale.cells);
  const rows = exchange.lanes.slice(0, mostLanes).flatMap((lane) => {
    const [device = 0] = lane.plan.devices;
    const row = (label: string, sent: Sent): LaneRow => ({
      device,
      label,
      text: rowText(lane, sent, barrier ? Infinity : exchange.period, scale, named),
    });
    const ofLane = lane.back === undefined ? [row('lane', lane.sent)] : [row('out', lane.sent), row('back', lane.back)];
    // Of an exchange that is shorter than a character, a row of idle marks for each device says nothing.
    return ofLane.every(({ text }) => text === idle) ? [] : ofLane;
  });
  const entries = [...named].sort(([a], [b]) => letters.indexOf(a) - letters.indexOf(b));
  const layers = entries.slice(0, mostNamed).map(([letter, layer]) => `${letter} ${layer}`);
  if (entries.length > mostNamed) layers.push('…');
  const hasCalls = rows.some(({ text }) => text.includes(callMark));
  const labels = rows.some(({ label }) => label === 'lane') ? ['lane'] : [];
  if (rows.some(({ label }) => label === 'out')) labels.push('out', 'back');
  const directions = labels.includes('out') ? ' in each direction' : '';
  const meaning =
    rows.length === 0
      ? ''
      : `${labels.join(', ')}: exchange of gradients${directions}; a letter is the first layer of what is sent`;
  return { rows, meaning, legend: rows.length === 0 ? [] : [...layers, ...(hasCalls ? [`${callMark} call`] : [])] };
}

function rowText(
  { plan, buckets }: LaneTimeline,
  sent: Sent,
  period: number,
  { cells, cell }: Scale,
  named: Map<string, string>,
): string {
  const starts = sent.start.subarray(0, sent.length);
  const markAt = (moment: number): string | undefined => {
    const row = lastAtMost(starts, moment);
    if (row < 0 || moment >= sent.end[row]) return undefined;
    const length = (sent.end[row] - sent.start[row]) / sent.count[row];
    if ((moment - sent.start[row]) % length < sent.overhead[row]) return callMark;
    const front = buckets.front[sent.bucket[row]];
    const letter = letters.charAt(front % letters.length);
    if (!named.has(letter)) named.set(letter, plan.tensors[front].layer);
    return letter;
  };
  return Array.from({ length: cells }, (_, index) => {
    const middle = (index + 0.5) * cell;
    return markAt(middle) ?? markAt(middle + period) ?? idleMark;
  }).join('');
}

/** The last row that has started; −1 before the first. */
function lastAtMost(starts: Float64Array, moment: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
