/** Pixels from the middle of a numbered badge to its edge. */
export const badgeRadius = 7.5;
/** From middle to middle of two badges that just do not touch. */
const apart = 2 * badgeRadius + 2;

export interface BadgePlace {
  readonly x: number;
  readonly y: number;
}

/** Pixels from the top of blocks to a number under them. `room`: to the foot of the last row. There is none for a number under it. */
export function underBlocks(
  rowHeight: number,
  { bandTop, bandHeight }: { readonly bandTop: number; readonly bandHeight: number },
  room: number,
): number {
  const under = Math.min(rowHeight - bandTop, bandHeight + badgeRadius + 3);
  // Rows that begin out of sight stay there.
  return room > badgeRadius ? Math.min(under, room - badgeRadius) : under;
}

/** The rectangle in which middles of badges may be. */
export interface BadgeArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * Places of badges: no number covers another. The first ones have the choice. A badge whose place is taken goes to the nearest free
 * one, to the left first: a chain of causes goes back in time. Badges out of sight stay there.
 */
export function badgePlaces(wanted: readonly BadgePlace[], area: BadgeArea): readonly BadgePlace[] {
  const placed: BadgePlace[] = [];
  return wanted.map((badge) => {
    if (!isInside(badge, area)) return badge;
    const free = nearby(badge, wanted.length).find(
      (place) =>
        isInside(place, area) && placed.every((other) => Math.hypot(other.x - place.x, other.y - place.y) >= apart),
    );
    const place = free ?? badge;
    placed.push(place);
    return place;
  });
}

const isInside = ({ x, y }: BadgePlace, { left, right, top, bottom }: BadgeArea): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

/** The place itself, then those around it, in quarters of a badge, the nearest first. */
function nearby({ x, y }: BadgePlace, badges: number): BadgePlace[] {
  const steps = [
    0,
    ...Array.from({ length: 4 * badges }, (_, index) => (index + 1) / 4).flatMap((step) => [-step, step]),
  ];
  return steps
    .flatMap((across) => [0, 1, -1, 2, -2].map((down) => ({ across, down })))
    .sort((a, b) => distance(a) - distance(b))
    .map(({ across, down }) => ({ x: x + across * apart, y: y + down * apart }));
}

/** Numbers stay in their row as long as they can, and read from right to left as the chain does. */
const distance = ({ across, down }: { readonly across: number; readonly down: number }): number =>
  (across < 0 ? -across : 4 * across) + 6 * Math.abs(down);
