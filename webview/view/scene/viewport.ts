/** What part of the timeline is looked at. Seconds across, CSS pixels down. Pure. */
export interface Viewport {
  readonly t0: number;
  readonly t1: number;
  /** Pixels between the top of row 0 and the top of the rows' area. */
  readonly scroll: number;
  readonly rowHeight: number;
}

export type KeptViewport = Partial<Viewport>;

export interface Bounds {
  readonly makespan: number;
  /** Seconds of an iteration, if more is shown than one. */
  readonly iteration?: number;
  readonly rows: number;
  readonly width: number;
  readonly height: number;
  /** Seconds of the shortest operation; asked for only where a part of the time is in sight. */
  shortest?(): number;
  /** Rows are not made lower than this to fit. */
  readonly leastRow?: number;
}

const tallestRow = 96;
const lowestRow = 0.05;
/** The least stretch of time that may fill the width, as a share of the makespan, if there are no operations. */
const deepest = 1e-8;
/** Of the width, what the shortest operation fills at most. */
const mostOfWidth = 0.5;

/** Everything: all of the time and all rows, however thin they become. */
export const initialViewport = (bounds: Bounds): Viewport => ({
  t0: 0,
  t1: bounds.makespan,
  scroll: 0,
  rowHeight: fittedRow(bounds),
});

/** All rows fill the height, if they are not too low then. */
const fittedRow = ({ height, rows, leastRow = lowestRow }: Bounds): number =>
  Math.max(leastRow, height / Math.max(1, rows));

/** The nearest view that is possible. */
export function clampViewport(view: Viewport, bounds: Bounds): Viewport {
  // Lower rows would leave a dead band under them.
  const rowHeight = Math.max(fittedRow(bounds), Math.min(tallestRow, view.rowHeight));
  const most = Math.max(0, rowHeight * bounds.rows - bounds.height);
  const scroll = Math.max(0, Math.min(most, view.scroll));
  if (!(bounds.makespan > 0)) return { t0: 0, t1: 1, scroll, rowHeight };
  const asked = view.t1 - view.t0;
  const length = asked < bounds.makespan ? Math.max(leastLength(bounds), asked) : bounds.makespan;
  // Where there is no more to enlarge, the middle stays.
  const from = length > asked ? view.t0 - (length - asked) / 2 : view.t0;
  const t0 = Math.max(0, Math.min(bounds.makespan - length, from));
  return { t0, t1: t0 + length, scroll, rowHeight };
}

/** The least stretch of time that may fill the width: one operation fills half of it, and no more. */
export function leastLength({ makespan, shortest }: Bounds): number {
  const operation = shortest?.() ?? 0;
  return operation > 0 ? Math.min(makespan, operation / mostOfWidth) : makespan * deepest;
}

export function zoomAt(view: Viewport, time: number, factor: number): Viewport {
  return { ...view, t0: time - (time - view.t0) / factor, t1: time + (view.t1 - time) / factor };
}

export const panBy = (view: Viewport, seconds: number): Viewport => ({
  ...view,
  t0: view.t0 + seconds,
  t1: view.t1 + seconds,
});

/** A stretch of time with a margin. */
export function showRange(view: Viewport, from: number, to: number, margin = 0.08): Viewport {
  const extra = (to - from) * margin;
  return { ...view, t0: from - extra, t1: to + extra };
}

/** Scrolls, no farther than needed, until the block is wholly in sight. */
export function reveal(view: Viewport, bounds: Bounds, row: number, from: number, to: number): Viewport {
  const top = row * view.rowHeight;
  const bottom = top + view.rowHeight;
  const scroll = top < view.scroll ? top : bottom > view.scroll + bounds.height ? bottom - bounds.height : view.scroll;
  const length = view.t1 - view.t0;
  let { t0 } = view;
  if (to > view.t1) t0 = Math.min(from, to - length * 0.95);
  if (from < t0) t0 = from - length * 0.05;
  return { ...view, t0, t1: t0 + length, scroll };
}

/** Changes the row height so that the row under `y` stays under it. */
export function scaleRows(view: Viewport, y: number, factor: number): Viewport {
  const rowHeight = Math.max(lowestRow, Math.min(tallestRow, view.rowHeight * factor));
  return { ...view, rowHeight, scroll: ((view.scroll + y) / view.rowHeight) * rowHeight - y };
}

/**
 * The view of a new timeline in place of an old one. It shows the same stretch if the iterations differ by at most a factor
 * of 2, and the whole iteration if the old view did. Otherwise it shows everything.
 */
export function carryOver(view: Viewport, before: Bounds, after: Bounds): Viewport {
  const whole = view.t0 <= before.makespan * 1e-9 && view.t1 >= before.makespan * (1 - 1e-9);
  const ratio = after.makespan / before.makespan;
  if (before.rows !== after.rows || !(ratio > 0)) return clampViewport(initialViewport(after), after);
  if (whole) return clampViewport({ ...view, t0: 0, t1: after.makespan }, after);
  if (ratio > 2 || ratio < 0.5)
    return clampViewport({ ...initialViewport(after), rowHeight: view.rowHeight, scroll: view.scroll }, after);
  return clampViewport(view, after);
}

/** The view in a timeline area of another size: rows that were as high as fits are so again, others keep the height they were given. */
export function resized(view: Viewport, before: Bounds, after: Bounds): Viewport {
  if (view.rowHeight === fittedRow(before)) return clampViewport({ ...view, rowHeight: fittedRow(after) }, after);
  return clampViewport(view, after);
}

/** What of a view is kept over reloads. Not the height of rows that nobody chose: the timeline area may have another size then. */
export const keptViewport = (view: Viewport, bounds: Bounds): KeptViewport =>
  view.rowHeight === fittedRow(bounds) ? { t0: view.t0, t1: view.t1, scroll: view.scroll } : view;

/** The view that was kept; undefined where it is not of this timeline. */
export function restoredViewport(
  { t0, t1, scroll = 0, rowHeight }: KeptViewport,
  bounds: Bounds,
): Viewport | undefined {
  if (t0 === undefined || t1 === undefined || t0 >= bounds.makespan) return undefined;
  return { t0, t1, scroll, rowHeight: rowHeight ?? fittedRow(bounds) };
}

export const timeAt = (view: Viewport, width: number, x: number): number => view.t0 + (x / width) * (view.t1 - view.t0);
