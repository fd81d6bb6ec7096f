import { type PipelinePlan, paths } from '../../engine/plan.ts';

/** What the editor's cursor is at, as stages, devices and items of the timeline. */
export interface Highlight {
  readonly stages: ReadonlySet<number>;
  readonly devices: ReadonlySet<number>;
  /** Written items of row-based schedules, as `device:item`. */
  readonly items: ReadonlySet<string>;
}
export const noHighlight: Highlight = { stages: new Set(), devices: new Set(), items: new Set() };

/** The innermost of `paths` (which come innermost first) that names something of this pipeline. Pure. */
export function highlightFor(plan: PipelinePlan, wanted: readonly string[]): Highlight {
  for (const path of wanted) {
    const highlight = highlightOf(plan, path);
    if (highlight.stages.size + highlight.devices.size + highlight.items.size > 0) return highlight;
  }
  return noHighlight;
}

function highlightOf(plan: PipelinePlan, path: string): Highlight {
  const item = path.startsWith(`${plan.name}/`)
    ? /^row:(\d+)\/item:(\d+)$/.exec(path.slice(plan.name.length + 1))
    : null;
  if (item !== null) return { ...noHighlight, items: new Set([`${item[1]}:${item[2]}`]) };
  const indices = <T>(all: readonly T[], matches: (thing: T, index: number) => boolean) =>
    new Set(all.flatMap((thing, index) => (matches(thing, index) ? [index] : [])));
  return {
    stages: indices(
      plan.stages,
      (stage, index) =>
        path === paths.stage(plan.name, index) || stage.layers.some((layer) => paths.layer(plan.model, layer) === path),
    ),
    devices: indices(
      plan.devices,
      (device, index) =>
        path === paths.device(plan.name, index) ||
        path === paths.row(plan.name, index) ||
        path === paths.deviceKind(device.kind) ||
        path === paths.deviceMemory(device.kind),
    ),
    items: new Set(),
  };
}
