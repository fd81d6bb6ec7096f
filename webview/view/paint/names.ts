import type { PipelinePlan } from '../../../engine/values/plan.ts';

const ends = new WeakMap<PipelinePlan, string>();
/** What the names of all devices end in after a dot, such as `.gpu[0]` of the first ones of nodes: it tells none apart. */
export function commonEnd(plan: PipelinePlan): string {
  const known = ends.get(plan);
  if (known !== undefined) return known;
  const [first, ...others] = plan.devices.map(({ name }) => name);
  const dot = first?.lastIndexOf('.') ?? -1;
  const end = dot > 0 ? first.slice(dot) : '';
  const common = others.length > 0 && others.every((name) => name.endsWith(end)) ? end : '';
  ends.set(plan, common);
  return common;
}

export const withoutEnd = (name: string, end: string): string => name.slice(0, name.length - end.length);

const numbers = new WeakMap<PipelinePlan, ReadonlyMap<string, string>>();
/**
 * By name of a device: the numbers that tell it from all others, `1.4` for `node[1].gpu[4]`. A number that all have in common is left
 * out. Empty if names differ in more than numbers.
 */
export function tellingNumbers(plan: PipelinePlan): ReadonlyMap<string, string> {
  const known = numbers.get(plan);
  if (known !== undefined) return known;
  const found = findNumbers(plan.devices.map(({ name }) => name));
  numbers.set(plan, found);
  return found;
}

function findNumbers(names: readonly string[]): ReadonlyMap<string, string> {
  const words = new Set(names.map((name) => name.replace(/\d+/g, '0')));
  if (words.size !== 1) return new Map();
  const all = names.map((name) => name.match(/\d+/g) ?? []);
  const telling = (all[0] ?? []).map((_, place) => all.some((row) => row[place] !== all[0][place]));
  return new Map(names.map((name, device) => [name, all[device].filter((_, place) => telling[place]).join('.')]));
}

/** What measures texts: a canvas. Widths are in pixels. */
interface Ruler {
  measureText(text: string): { readonly width: number };
}

/** A name in this width: the whole, without the `end` that all have in common, its numbers, or the last letters that fit. */
export function shortened(ink: Ruler, name: string, end: string, width: number, telling = ''): string {
  if (ink.measureText(name).width <= width) return name;
  const text = withoutEnd(name, end);
  if (ink.measureText(text).width <= width) return text;
  if (telling !== '' && ink.measureText(telling).width <= width) return telling;
  let length = Math.max(1, Math.floor(text.length * (width / ink.measureText(text).width)));
  // The end of a name tells devices apart (`node[1].gpu[0]`).
  while (length > 1 && ink.measureText(`…${text.slice(-length)}`).width > width) length -= 1;
  return `…${text.slice(-length)}`;
}
