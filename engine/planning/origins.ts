/** Where the stages, devices and layers of a pipeline's plan stand in text. */
import type { FileContext } from '../language/context.ts';
import { paths } from '../plan.ts';
import type { PipelineRead } from '../read/pipeline.ts';
import type { Ranks } from './place/ranks.ts';

/** Sets the paths of `count` stages (those of the cut unless given). What has a place already keeps it. */
export function planOrigins(
  context: FileContext,
  { name, cut, cluster, model, at }: PipelineRead,
  ranks: Pick<Ranks, 'ranks' | 'copies'>,
  count = cut.count,
): void {
  const set = (path: string, place: ReturnType<typeof context.report.place>) => {
    if (!context.origins.has(path)) context.origins.set(path, place);
  };
  // Copies and parts of a stage stand where it does.
  for (let index = 0; index < (ranks.copies?.length ?? count); index += 1) {
    const written = cut.kind === 'blocks' ? cut.stages[ranks.copies?.[index].stage ?? index].at : at('stages');
    set(paths.stage(name, index), context.report.place(written));
  }
  for (const [index, one] of ranks.ranks.entries()) {
    set(
      paths.device(name, index),
      one.at === undefined ? cluster.devices[one.devices[0]].place : context.report.place(one.at),
    );
    set(paths.deviceKind(one.kind.name), one.kind.place);
    set(paths.deviceMemory(one.kind.name), one.kind.memoryPlace);
  }
  for (const layer of model.layers) {
    set(paths.layer(model.name, layer.name), layer.place);
    for (let i = 0; layer.array && i < layer.count; i += 1)
      set(paths.layer(model.name, `${layer.name}[${i}]`), layer.place);
  }
}
