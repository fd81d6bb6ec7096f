/** Pixels of the timeline area. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const margin = 10;

/**
 * The upper left corner of a loupe. It lies in the corner of the rows farthest from the pointer. Another corner is taken, also over
 * the chart of memory, if there it covers less of `kept`: the tooltip, and the row that it enlarges. Pure.
 */
export function loupePlace(
  { width, height }: Pick<Box, 'width' | 'height'>,
  rows: Box,
  bottom: number,
  pointer: { readonly x: number; readonly y: number },
  kept: readonly Box[],
): readonly [left: number, top: number] {
  const [near, far] = [rows.left + margin, rows.left + rows.width - width - margin];
  const across = pointer.x < rows.left + rows.width / 2 ? [far, near] : [near, far];
  const [high, low] = [rows.top + margin, rows.top + rows.height - height - margin];
  const down = pointer.y < rows.top + rows.height / 2 ? [low, high] : [high, low];
  const places = [...down, bottom - height - margin].flatMap((top) => across.map((left) => [left, top] as const));
  const covered = ([left, top]: readonly [number, number]): number =>
    kept.reduce((sum, box) => sum + overlap({ left, top, width, height }, box), 0);
  return places.reduce((best, place) => (covered(place) < covered(best) ? place : best));
}

function overlap(a: Box, b: Box): number {
  const across = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const down = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return Math.max(0, across) * Math.max(0, down);
}
