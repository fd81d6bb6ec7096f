import { bucketOf, firstPieceAfter, type Lane, type Lanes, type PieceRow, tensorsOf } from './lanes.ts';
import type { Picture } from './picture.ts';

/** Pieces that keys lead to, and those whose arrows are always drawn. Pure. */
interface LanePlace {
  readonly device: number;
  readonly piece: PieceRow;
}

/** What the lane of a device carries at a time, or next; undefined if it carries nothing from then on. */
export function nextPiece(lanes: Lanes | undefined, device: number, time: number): LanePlace | undefined {
  const lane = lanes?.ofDevice[device] ?? -1;
  const leg = lanes?.all[lane]?.legs[0];
  if (leg === undefined) return undefined;
  const row = firstPieceAfter(leg, time);
  return row < leg.end.length ? { device, piece: { lane, leg: 0, row, shift: 0 } } : undefined;
}

/** The next (1) or previous (−1) pieces on the lane; the same at an end. */
export function neighbour<P extends LanePlace>({ lanes }: Picture, place: P, by: 1 | -1): P {
  const { piece } = place;
  const last = (lanes?.all[piece.lane]?.legs[piece.leg]?.end.length ?? 1) - 1;
  return { ...place, piece: { ...piece, row: Math.max(0, Math.min(last, piece.row + by)) } };
}

/** With more layers on a lane, arrows of all of them would hide each other. */
const mostLayers = 4;
const known = new WeakMap<Lane, readonly PieceRow[]>();

/**
 * The first piece of each bucket of a lane; with more than four layers, of the bucket alone whose gradients come latest for the forward
 * that needs them. Kept with the lane.
 */
export function leadingPieces(lanes: Lanes, index: number): readonly PieceRow[] {
  const lane = lanes.all[index];
  const found = known.get(lane) ?? leading(lanes, index);
  known.set(lane, found);
  return found;
}

function leading(lanes: Lanes, index: number): readonly PieceRow[] {
  const lane = lanes.all[index];
  const [leg] = lane.legs;
  const firsts = new Map<number, PieceRow>();
  leg.bucket.forEach((bucket, row) => {
    if (!firsts.has(bucket)) firsts.set(bucket, { lane: index, leg: 0, row, shift: 0 });
  });
  const pieces = [...firsts.values()];
  if (lane.tensors.length <= mostLayers || pieces.length === 0) return pieces;
  const lateness = (piece: PieceRow): number =>
    tensorsOf(lane, bucketOf(lanes, piece)).reduce(
      (most, tensor) => Math.max(most, latenessOf(lane, tensor)),
      -Infinity,
    );
  return [pieces.reduce((latest, piece) => (lateness(piece) > lateness(latest) ? piece : latest))];
}

/** Seconds by which gradients arrive after they are needed; with a barrier nothing says when that is. */
const latenessOf = ({ arrival, needed }: Lane, tensor: number): number =>
  Number.isFinite(needed[tensor]) ? arrival[tensor] - needed[tensor] : arrival[tensor];
