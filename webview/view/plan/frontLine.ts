/** The front as a stepped line: each step ends where a faster plan begins to fit. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Corners from the smallest plan to the fastest. `front`: in pixels, fastest first. */
export function frontLine(front: readonly Spot[]): readonly Spot[] {
  const corners: Spot[] = [];
  for (const { x, y } of front.toReversed()) {
    const last = corners.at(-1);
    // As much memory as the faster plan needs, and still the time of the slower one.
    if (last !== undefined) corners.push({ x, y: last.y });
    corners.push({ x, y });
  }
  return corners;
}
