import { F, kindOf, microbatchOf, stageOf } from '../../engine/values/program.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { bytes, count, list, moment, time } from '../../engine/basics/quantities.ts';
import type { Gap } from './blocks.ts';

import { bucketName, bucketOf, firstPieceAfter, type Lane, type Leg, type PieceRow, tensorsOf } from './lanes.ts';
import type { Picture } from './picture.ts';

/** Texts about pieces on lanes: tooltip, card and screen reader say the same. */

type PieceLine = readonly [label: string, value: string];

/** Names of a list that is cut off. */
const mostNames = 3;
const noise = 1e-9;

/** `Gradients of front`; on the second leg of servers and of halves, what comes back. */
export function pieceTitle(picture: Picture, piece: PieceRow): string {
  const { lanes } = picture;
  if (lanes === undefined) return '';
  const lane = lanes.all[piece.lane];
  const { name, count: pieces } = legRow(lane.legs[piece.leg], piece.row);
  const what = `${pieces > 1 ? `${pieces} pieces` : 'Piece'} of ${bucketName(lane, bucketOf(lanes, piece))}`;
  return lane.legs.length > 1 ? `${what}, ${name}` : what;
}

const legRow = (leg: Leg, row: number) => ({ name: leg.name, count: leg.count[row] });

/** Layer, bucket, bytes, and the moments of the exchange. */
export function pieceLines(
  plan: PipelinePlan,
  picture: Picture,
  device: number,
  piece: PieceRow,
): readonly PieceLine[] {
  const { lanes } = picture;
  if (lanes === undefined) return [];
  const lane = lanes.all[piece.lane];
  const leg = lane.legs[piece.leg];
  const bucket = bucketOf(lanes, piece);
  const tensors = tensorsOf(lane, bucket);
  const later = piece.shift * lanes.period;
  const at = (seconds: number) => moment(seconds + later);
  const first = tensors[0];
  const arrived = tensors.reduce((latest, tensor) => Math.max(latest, lane.arrival[tensor]), -Infinity);
  const needed = tensors.reduce((soonest, tensor) => Math.min(soonest, lane.needed[tensor]), Infinity);
  const least = tensors.reduce(
    (slack, tensor) => Math.min(slack, lane.needed[tensor] - lane.arrival[tensor]),
    Infinity,
  );
  const { row } = piece;
  const pieces = leg.count[row];
  const slower = leg.shared?.[row] ?? 0;
  const waited = whyItWaited(lane, piece.leg, row);
  return [
    ['Device', plan.devices[device].name],
    [tensors.length > 1 ? 'Layers' : 'Layer', names(tensors.map((tensor) => lane.tensors[tensor].layer))],
    [
      'Bucket',
      `${bytes(lane.buckets.bytes[bucket])}, ${count(tensors.length, 'tensor', 'tensors')}, ${lane.buckets.call[bucket]}`,
    ],
    ['Piece', pieces > 1 ? `${pieces} × ${bytes(leg.bytes[row])}` : bytes(leg.bytes[row])],
    ['Ready', at(lane.buckets.ready[bucket])],
    ['Sent', `${at(leg.start[row])} – ${at(leg.end[row])}`],
    ...(leg.overhead[row] > 0 ? [['Calls', time(leg.overhead[row] * pieces)] as const] : []),
    ...(slower > 0 ? [['Shared links', `${time(slower)} longer, as other stages send through them`] as const] : []),
    ...(waited === '' ? [] : [['Waited', waited] as const]),
    ['Arrived', at(arrived)],
    ...(Number.isFinite(needed)
      ? [
          ['Needed', `${at(needed)}, by ${lane.tensors[first].layer}`] as const,
          ['Slack', least < -noise * lanes.period ? `none: ${time(-least)} late` : time(Math.max(0, least))] as const,
        ]
      : []),
    ...(piece.shift === 0 ? [] : [['Iteration', piece.shift < 0 ? 'the one before' : 'the next one'] as const]),
  ];
}

const names = (all: readonly string[]): string =>
  all.length > mostNames
    ? `${all.slice(0, mostNames - 1).join(', ')} and ${all.length - mostNames + 1} more`
    : list(all);

/** What the lane did between a bucket's readiness and this row: `2.4 ms for back, mid`. Empty if it did not wait. */
export function whyItWaited(lane: Lane, legIndex: number, row: number): string {
  const leg = lane.legs[legIndex];
  const bucket = leg.bucket[row];
  const from = lane.buckets.ready[bucket];
  const waited = leg.start[row] - from;
  if (!(waited > Math.abs(leg.start[row]) * noise)) return '';
  if (legIndex > 0) return `${time(waited)}, since the gradients were ready`;
  const others: number[] = [];
  let busy = 0;
  for (let other = firstPieceAfter(leg, from); other < row; other += 1) {
    busy += leg.end[other] - Math.max(from, leg.start[other]);
    if (leg.bucket[other] !== bucket && !others.includes(leg.bucket[other]) && others.length <= mostNames)
      others.push(leg.bucket[other]);
  }
  const idle = waited - busy;
  const behind = others.map((other) => bucketName(lane, other));
  const parts = [
    ...(behind.length > 0
      ? [`for ${names(behind)}`]
      : busy > waited * noise
        ? ['for earlier pieces of its bucket']
        : []),
    ...(idle > waited * 1e-6 ? [`${time(idle)} for credit`] : []),
  ];
  return `${time(waited)}${parts.length === 0 ? '' : ` ${parts.join(', ')}`}`;
}

/** The moment in the last backward of a tensor's stage at which its gradients are ready. */
export const lastBackwardAt = (picture: Picture, lane: Lane, tensor: number): number | undefined =>
  Number.isFinite(lane.ready[tensor]) && picture.columns.word.length > 0 ? lane.ready[tensor] : undefined;

/** When the next iteration's first forward comes to the layer; undefined with a barrier, where that is not in the picture. */
export function nextForwardAt({ columns, lanes }: Picture, lane: Lane, tensor: number): number | undefined {
  if (lanes?.repeats !== true) return undefined;
  const { stage, before } = lane.tensors[tensor];
  const block = firstForwardOf(columns, stage);
  return block < 0
    ? undefined
    : columns.start[block] + before * (columns.end[block] - columns.start[block]) + lanes.period;
}

const firsts = new WeakMap<Picture['columns'], Int32Array>();

/** The first forward of a stage, −1 for none: of its microbatch 0, if the stage runs that. O(blocks), once a timeline. */
export function firstForwardOf(columns: Picture['columns'], stage: number): number {
  const found = firsts.get(columns) ?? firstForwards(columns);
  firsts.set(columns, found);
  return found[stage];
}

function firstForwards({ word, shift, stages, start }: Picture['columns']): Int32Array {
  const codes = { shift, stages };
  const found = new Int32Array(stages).fill(-1);
  for (let block = 0; block < word.length; block += 1) {
    if (word[block] < 0 || kindOf(codes, word[block]) !== F) continue;
    const stage = stageOf(codes, word[block]);
    const before = found[stage];
    if (before >= 0 && microbatchOf(codes, word[before]) === 0) continue;
    if (before < 0 || start[block] < start[before] || microbatchOf(codes, word[block]) === 0) found[stage] = block;
  }
  return found;
}

/** Of idle time before an iteration's first forward: the layer whose gradients it waits for, and when they arrive. */
export function waitedFor(picture: Picture, gap: Gap): string {
  const { lanes, columns } = picture;
  const lane = lanes?.all[lanes.ofDevice[gap.device]];
  if (lanes?.repeats !== true || lane === undefined) return '';
  const later = gap.before < 0 ? 0 : -lanes.period;
  for (const [tensor, { layer, stage, before }] of lane.tensors.entries()) {
    const block = firstForwardOf(columns, stage);
    if (block < 0) continue;
    const ahead = before * (columns.end[block] - columns.start[block]);
    if (Math.abs(lane.arrival[tensor] + later - ahead - gap.to) <= noise * lanes.period)
      return `the gradients of ${layer}, which arrive at ${moment(lane.arrival[tensor] + later)}`;
  }
  return '';
}
