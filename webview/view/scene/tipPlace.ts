/** From the top, in pixels. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels between a tooltip and the edge of the page, and a row that it leaves free. */
const edge = 4;
/** From the pointer to the tooltip. */
const away = { right: 16, left: 12, below: 18, above: 12 };

/**
 * The upper left corner of a tooltip: right of the pointer and under it where there is room. It covers neither the pointer nor
 * `kept`, the rows that the reader looks at, if it has a place elsewhere: the first ones count more.
 */
export function tipPlace(
  { width, height }: Size,
  area: Size,
  { x, y }: { readonly x: number; readonly y: number },
  kept: readonly Span[] = [],
): readonly [left: number, top: number] {
  const left = x + away.right + width > area.width ? Math.max(edge, x - width - away.left) : x + away.right;
  const lowest = area.height - height - edge;
  const under = Math.max(edge, Math.min(lowest, y + away.below));
  // In a narrow page the tooltip lies over or under the pointer.
  const pointer = left <= x && x <= left + width ? [{ from: y - away.above + edge, to: y + away.below - edge }] : [];
  for (let rows = kept.length; rows >= 0; rows -= 1) {
    const free = [...pointer, ...kept.slice(0, rows)];
    const isFree = (top: number): boolean =>
      top >= edge && top <= lowest && free.every(({ from, to }) => top >= to || top + height <= from);
    const tops = [under, ...free.flatMap(({ from, to }) => [to + edge, from - edge - height])];
    const near = tops.filter(isFree).sort((a, b) => Math.abs(a - under) - Math.abs(b - under));
    if (near.length > 0) return [left, near[0]];
  }
  return [left, under];
}
