import type { PipelinePlan } from '../../../engine/plan.ts';
import type { Ink } from './canvas.ts';

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

export function shortened(ink: Ink, name: string, end: string, width: number): string {
  if (ink.measureText(name).width <= width) return name;
  const text = withoutEnd(name, end);
  if (ink.measureText(text).width <= width) return text;
  let length = Math.max(1, Math.floor(text.length * (width / ink.measureText(text).width)));
  // The end of a name tells devices apart (`node[1].gpu[0]`).
  while (length > 1 && ink.measureText(`…${text.slice(-length)}`).width > width) length -= 1;
  return `…${text.slice(-length)}`;
}
