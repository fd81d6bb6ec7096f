/** The places in text of the stages, devices and layers of a pipeline's plan. */
import type { SettledPipeline } from '../definitions/pipeline.ts';
import { numberOfFirst } from '../definitions/model.ts';
import type { WrittenRow } from '../definitions/scheduleEvaluator.ts';
import type { Notes } from './notes.ts';
import { paths, type Place } from '../values/plan.ts';
import type { Ranks } from './place/ranks.ts';

/** Sets the paths of `count` stages (default: the stages of the cut). A path that has a place already keeps it. */
export function planOrigins(
  notes: Notes,
  { name, cut, cluster, model, at }: SettledPipeline,
  ranks: Pick<Ranks, 'ranks' | 'copies'>,
  count = cut.count,
): void {
  const set = (path: string, place: ReturnType<typeof notes.report.place>) => {
    if (!notes.origins.has(path)) notes.origins.set(path, place);
  };
  // Copies and parts of a stage stand where it does.
  for (let index = 0; index < (ranks.copies?.length ?? count); index += 1) {
    const written = cut.kind === 'blocks' ? cut.stages[ranks.copies?.[index].stage ?? index].at : at('stages');
    set(paths.stage(name, index), notes.report.place(written));
  }
  for (const [index, rank] of ranks.ranks.entries()) {
    set(
      paths.device(name, index),
      rank.at === undefined ? cluster.devices[rank.devices[0]].place : notes.report.place(rank.at),
    );
    set(paths.deviceKind(rank.kind.name), rank.kind.place);
    set(paths.deviceMemory(rank.kind.name), rank.kind.memoryPlace);
  }
  for (const layer of model.layers) {
    set(paths.layer(model.name, layer.name), layer.place);
    for (let i = 0; layer.array && i < layer.count; i += 1)
      set(paths.layer(model.name, `${layer.name}[${i + numberOfFirst(layer)}]`), layer.place);
  }
}

/** Sets the paths of the rows of the devices, and of what is written in them. */
export function rowOrigins(
  origins: Map<string, Place>,
  pipeline: string,
  rows: readonly (WrittenRow | undefined)[],
): void {
  for (const [device, row] of rows.entries()) {
    if (row === undefined) continue;
    origins.set(paths.row(pipeline, device), row.place);
    for (const [index, item] of row.items.entries()) origins.set(paths.rowItem(pipeline, device, index), item);
  }
}
