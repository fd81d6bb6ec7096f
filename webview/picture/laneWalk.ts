import { firstPieceAfter, type Lanes, type PieceRow } from './lanes.ts';
import type { Picture } from './picture.ts';

/** Pieces that keys lead to. Pure. */
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
