import { type PipelinePlan, paths } from '../../engine/plan.ts';
import type { PathGroup } from '../protocol/requests.ts';

/** What the editor's cursor is at, as stages, devices and items of the timeline. */
export interface Highlight {
  readonly stages: ReadonlySet<number>;
  readonly devices: ReadonlySet<number>;
  /** Written items of row-based schedules, as `device:item`. */
  readonly items: ReadonlySet<string>;
}
export const noHighlight: Highlight = { stages: new Set(), devices: new Set(), items: new Set() };

/** All of the innermost group that has something of this pipeline. `groups`: the innermost text first. Pure. */
export function highlightFor(plan: PipelinePlan, groups: readonly PathGroup[]): Highlight {
  for (const group of groups) {
    const highlight = highlightOf(plan, group);
    if (highlight.stages.size + highlight.devices.size + highlight.items.size > 0) return highlight;
  }
  return noHighlight;
}

/** Keys of a pipeline that decide the order of all its operations. */
const wholeKeys = ['schedule', 'microbatches', 'iterations'] as const;

function highlightOf(plan: PipelinePlan, group: PathGroup): Highlight {
  const wanted = new Set(group);
  const whole = wanted.has(paths.pipeline(plan.name)) || wholeKeys.some((key) => wanted.has(paths.key(plan.name, key)));
  return {
    stages: indices(
      plan.stages,
      (stage, index) =>
        wanted.has(paths.stage(plan.name, index)) ||
        stage.layers.some((layer) => wanted.has(paths.layer(plan.model, layer))),
    ),
    devices: indices(
      plan.devices,
      (device, index) =>
        whole ||
        wanted.has(paths.device(plan.name, index)) ||
        wanted.has(paths.row(plan.name, index)) ||
        wanted.has(paths.deviceKind(device.kind)) ||
        wanted.has(paths.deviceMemory(device.kind)),
    ),
    items: new Set(group.flatMap((path) => itemOf(plan, path))),
  };
}

const indices = <T>(all: readonly T[], matches: (thing: T, index: number) => boolean): ReadonlySet<number> =>
  new Set(all.flatMap((thing, index) => (matches(thing, index) ? [index] : [])));

/** `device:item` of a written item's path. */
function itemOf(plan: PipelinePlan, path: string): readonly string[] {
  if (!path.startsWith(`${plan.name}/`)) return [];
  const item = /^row:(\d+)\/item:(\d+)$/.exec(path.slice(plan.name.length + 1));
  return item === null ? [] : [`${item[1]}:${item[2]}`];
}
