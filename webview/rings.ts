import { type PipelinePlan, paths } from '../engine/plan.ts';

/** What the editor's cursor stands on, as things of the timeline. */
export interface Rings {
  readonly stages: ReadonlySet<number>;
  readonly devices: ReadonlySet<number>;
  /** Written items of row-based schedules, as `device:item`. */
  readonly items: ReadonlySet<string>;
}
export const noRings: Rings = { stages: new Set(), devices: new Set(), items: new Set() };

/** The innermost of `paths` (which come innermost first) that names something of this pipeline. Pure. */
export function ringsFor(plan: PipelinePlan, wanted: readonly string[]): Rings {
  for (const path of wanted) {
    const rings = ringsOf(plan, path);
    if (rings.stages.size + rings.devices.size + rings.items.size > 0) return rings;
  }
  return noRings;
}

function ringsOf(plan: PipelinePlan, path: string): Rings {
  const item = path.startsWith(`${plan.name}/`)
    ? /^row:(\d+)\/item:(\d+)$/.exec(path.slice(plan.name.length + 1))
    : null;
  if (item !== null) return { ...noRings, items: new Set([`${item[1]}:${item[2]}`]) };
  const indices = <T>(all: readonly T[], matches: (one: T, index: number) => boolean) =>
    new Set(all.flatMap((one, index) => (matches(one, index) ? [index] : [])));
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
