/** Labels of the points of a front: only what tells them apart, so that no two of them say the same. */
import type { FoundPoint } from '../../../engine/sweep/answer.ts';

/** Keys with a letter for their numbers, in the order in which a label has them. Other keys have their value. */
const letters: readonly (readonly [key: string, letter: string])[] = [
  ['tensor', 't'],
  ['context', 'c'],
  ['pipeline', 'p'],
  ['data', 'd'],
  ['expert', 'e'],
  ['micro_batch', 'mb'],
  ['chunks', 'v'],
];

const valueOf = (point: FoundPoint, key: string): string =>
  key === 'pipeline' || key === 'data' ? String(point[key]) : (point.settings[key] ?? '');

/**
 * `t8 p4 zb_h1`: of the settings that differ, the fewest that tell all points apart, found one by one: first the setting with which most
 * labels differ. Ranks come before other keys. `named`: keys whose values the legend lists. Values of other keys have their key: `sync end`.
 */
export function shortLabels(points: readonly FoundPoint[], named: readonly string[]): (point: FoundPoint) => string {
  const known = letters.map(([key]) => key);
  const others = new Set(points.flatMap(({ settings }) => Object.keys(settings)));
  const keys = [...known, ...[...others].filter((key) => !known.includes(key))];
  const labelsWith = (chosen: readonly string[]): number =>
    new Set(points.map((point) => labelOf(point, chosen, named))).size;
  let chosen: readonly string[] = [];
  let differing = labelsWith(chosen);
  while (differing < points.length) {
    let next: { readonly keys: readonly string[]; readonly labels: number } | undefined;
    for (const key of keys) {
      if (chosen.includes(key)) continue;
      const wanted = keys.filter((each) => each === key || chosen.includes(each));
      const labels = labelsWith(wanted);
      if (labels > (next?.labels ?? differing)) next = { keys: wanted, labels };
    }
    if (next === undefined) break;
    [chosen, differing] = [next.keys, next.labels];
  }
  return (point) => labelOf(point, chosen, named);
}

const labelOf = (point: FoundPoint, keys: readonly string[], named: readonly string[]): string =>
  keys.flatMap((key) => wordOf(key, valueOf(point, key), named)).join(' ');

function wordOf(key: string, value: string, named: readonly string[]): readonly string[] {
  if (value === '') return [];
  const letter = letters.find(([each]) => each === key)?.[1];
  if (letter !== undefined) return [`${letter}${value}`];
  // A schedule is known by its name.
  return [key === 'schedule' || named.includes(key) ? value : `${key} ${value}`];
}
