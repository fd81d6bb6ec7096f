import { type PipelinePlan, paths } from '../../engine/values/plan.ts';
import type { BlocksAnswer, PathGroup } from '../protocol/requests.ts';
import { type WrittenOperations, writtenOperations } from './writtenOperations.ts';

/** What the editor's cursor is at, as stages, devices and items of the timeline. */
export interface Highlight {
  readonly stages: ReadonlySet<number>;
  readonly devices: ReadonlySet<number>;
  /** Written items of row-based schedules, as `device:item`. */
  readonly items: ReadonlySet<string>;
  /** Operations of a rule that have to pass a condition, as `kind:stage`. */
  readonly guarded: ReadonlySet<string>;
  /** Names of layers at the cursor itself: their gradients on lanes. */
  readonly layers: ReadonlySet<string>;
  /** Operations that the text at the cursor writes; nothing else is marked then. */
  readonly written?: WrittenOperations;
  /** Operations of the pipeline, if they are too many to be marked one by one. */
  readonly tooMany?: number;
}
export const noHighlight: Highlight = {
  stages: new Set(),
  devices: new Set(),
  items: new Set(),
  guarded: new Set(),
  layers: new Set(),
};

/** The newest highlight, worked out once for each plan. */
export function highlights() {
  let groups: readonly PathGroup[] = [];
  let blocks: BlocksAnswer = [];
  let known: { readonly plan: PipelinePlan; readonly highlight: Highlight } | undefined;
  return {
    set(nextGroups: readonly PathGroup[], nextBlocks: BlocksAnswer): void {
      groups = nextGroups;
      blocks = nextBlocks;
      known = undefined;
    },
    of(plan: PipelinePlan): Highlight {
      if (known?.plan !== plan) known = { plan, highlight: highlightAt(plan, groups, blocks) };
      return known.highlight;
    },
  };
}

/** What the text at the cursor writes; without that, all that the text around it stands for. Pure. */
export function highlightAt(plan: PipelinePlan, groups: readonly PathGroup[], blocks: BlocksAnswer): Highlight {
  const here = blocks.find(({ pipeline }) => pipeline === plan.name);
  const written = here === undefined ? undefined : writtenOperations(plan, here);
  if (written !== undefined) return { ...noHighlight, written };
  return here === undefined || here.rows !== undefined
    ? highlightFor(plan, groups)
    : { ...highlightFor(plan, groups), tooMany: here.operations };
}

/**
 * All of the innermost group that has something of this pipeline; no stage and no device if that is all of them, since marks tell
 * nothing apart then. `groups`: the innermost text first. Pure.
 */
export function highlightFor(plan: PipelinePlan, groups: readonly PathGroup[]): Highlight {
  for (const group of groups) {
    const highlight = highlightOf(plan, group);
    const { stages, devices, items, guarded } = highlight;
    if (stages.size + devices.size + items.size + guarded.size === 0) continue;
    const marksAll = stages.size === plan.stages.length || devices.size === plan.devices.length;
    return marksAll ? { ...highlight, stages: new Set(), devices: new Set() } : highlight;
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
    layers: new Set(
      plan.stages.flatMap(({ layers }) => layers.filter((layer) => wanted.has(paths.layer(plan.model, layer)))),
    ),
    items: new Set(group.flatMap((path) => itemOf(plan, path))),
    guarded: new Set(
      plan.schedule.kind === 'greedy'
        ? plan.schedule.rule?.guards.flatMap(({ written, operation, stage }) =>
            wanted.has(paths.guard(plan.name, written)) ? [`${operation}:${stage}`] : [],
          )
        : [],
    ),
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
