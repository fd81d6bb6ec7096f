/** Places for the labels of points: next to their point, over no other label and no point that matters, and inside the plot. */
export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Wanted {
  /** The point, in CSS pixels. */
  readonly x: number;
  readonly y: number;
  /** Of the text. */
  readonly width: number;
  readonly height: number;
}

/** Between a point and its label. */
const gap = 9;

/** Places next to a point, the best first: the front runs from the upper left to the lower right, so its lower left is free. */
const candidates = ({ x, y, width, height }: Wanted): readonly Rectangle[] =>
  [
    [x - gap - width, y + 3],
    [x - gap - width, y - height / 2],
    [x + gap, y - height - 3],
    [x + gap, y - height / 2],
    [x - width / 2, y - gap - height],
    [x - width / 2, y + gap],
    [x + gap, y + 3],
    [x - gap - width, y - height - 3],
  ].map(([left, top]) => ({ left, top, width, height }));

export const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

const within = (inner: Rectangle, outer: Rectangle): boolean =>
  inner.left >= outer.left &&
  inner.top >= outer.top &&
  inner.left + inner.width <= outer.left + outer.width &&
  inner.top + inner.height <= outer.top + outer.height;

/** A place for each label, in order of importance; undefined for one that has no room. `taken`: what no label may cover. */
export function labelPlaces(
  wanted: readonly Wanted[],
  taken: readonly Rectangle[],
  bounds: Rectangle,
): readonly (Rectangle | undefined)[] {
  const used = [...taken];
  return wanted.map((label) => {
    const place = candidates(label).find(
      (candidate) => within(candidate, bounds) && !used.some((other) => overlap(candidate, other)),
    );
    if (place !== undefined) used.push(place);
    return place;
  });
}
