/** What shapes and colours of points tell apart: the schedule, and one other setting. */
import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import type { PlanHead } from '../../protocol/requests.ts';
import { shapes } from './marks.ts';

/** Colours that are furthest apart come first (numbers of `theme.hues`). */
export const hueOrder = [2, 0, 4, 6, 5, 1, 7, 3] as const;

/** The values of a key, each with its look: a number. */
export interface Scheme {
  readonly key: string;
  readonly values: readonly string[];
}

export interface Looks {
  /** Undefined if all points are alike. */
  readonly shape: Scheme | undefined;
  readonly colour: Scheme | undefined;
}

const shapeKey = 'schedule';
const colourKey = 'recompute';

/** The value that a point shows: its schedule without arguments, such as `interleaved_1f1b`. */
const valueOf = ({ settings }: FoundPoint, key: string): string | undefined => {
  const value = settings[key];
  return value === undefined ? undefined : shownValue(key, value);
};

function shownValue(key: string, value: string): string {
  const bracket = key === shapeKey ? value.indexOf('(') : -1;
  return bracket < 0 ? value : value.slice(0, bracket);
}

/** The values of a key that points have, in the order in which the search has them. */
function schemeOf(points: readonly FoundPoint[], { axes }: Pick<PlanHead, 'axes'>, key: string): Scheme | undefined {
  const axis = axes.find((each) => each.key === key);
  if (axis === undefined) return undefined;
  const written = axis.values.map((value) => shownValue(key, value));
  const wanted = new Set(written).size;
  const found = new Set<string>();
  for (const point of points) {
    const value = valueOf(point, key);
    if (value !== undefined) found.add(value);
    if (found.size === wanted) break;
  }
  const values = [...new Set(written)].filter((value) => found.has(value));
  return values.length < 2 ? undefined : { key, values };
}

/**
 * Shapes are schedules. Colours are kinds of recomputation, otherwise the searched key of which the points have most values, up to as many
 * as there are colours. If no schedule is searched, shapes are nothing.
 */
export function looksOf(points: readonly FoundPoint[], head: Pick<PlanHead, 'axes'>): Looks {
  const shape = schemeOf(points, head, shapeKey);
  const others = head.axes
    .filter(({ key }) => key !== shapeKey && key !== colourKey)
    .flatMap(({ key }) => schemeOf(points, head, key) ?? [])
    .toSorted((a, b) => b.values.length - a.values.length);
  const colour =
    schemeOf(points, head, colourKey) ?? others.find(({ values }) => values.length <= hueOrder.length) ?? others.at(0);
  return { shape, colour };
}

/** Says which look a point has. The last one is for all further values, and for points without one. */
function lookOf(scheme: Scheme | undefined, most: number): (point: FoundPoint) => number {
  if (scheme === undefined) return () => 0;
  const { key, values } = scheme;
  const known = new Map<string | undefined, number>();
  return ({ settings }) => {
    const value = settings[key];
    const look = known.get(value);
    if (look !== undefined) return look;
    const found = value === undefined ? -1 : values.indexOf(shownValue(key, value));
    const made = found < 0 || found >= most ? most - 1 : found;
    known.set(value, made);
    return made;
  };
}

export const shapeOf = ({ shape }: Looks): ((point: FoundPoint) => number) => lookOf(shape, shapes.length);
export const hueOf = ({ colour }: Looks): ((point: FoundPoint) => number) => lookOf(colour, hueOrder.length);
