import { type PipelinePlan, paths } from '../../engine/values/plan.ts';
import { kindOf } from '../../engine/values/program.ts';
import { guardOf } from '../picture/guards.ts';
import { deviceOf, microbatchOf, stageOf, typeOf } from '../picture/blocks.ts';
import { bucketOf } from '../picture/lanes.ts';
import type { Picture } from '../picture/picture.ts';
import type { PieceTarget, Selection } from './selection.ts';

/** Path of the plan that a selection comes from. */
export function pathOf(plan: PipelinePlan, picture: Picture, selection: Selection | undefined): string {
  if (selection === undefined) return paths.key(plan.name, 'schedule');
  if (selection.kind === 'gap')
    return selection.gap.before < 0
      ? paths.device(plan.name, selection.gap.device)
      : blockPath(plan, picture, selection.gap.before);
  if (selection.kind === 'piece') return layerPath(plan, picture, selection);
  if (selection.kind === 'device') return paths.device(plan.name, selection.device);
  if (selection.kind === 'range') return paths.device(plan.name, selection.from);
  return blockPath(plan, picture, selection.block);
}

/** The front layer of a bucket. */
function layerPath(plan: PipelinePlan, { lanes }: Picture, { piece, device }: PieceTarget): string {
  const lane = lanes?.all[piece.lane];
  if (lanes === undefined || lane === undefined) return paths.device(plan.name, device);
  return paths.layer(plan.model, lane.tensors[lane.buckets.front[bucketOf(lanes, piece)]].layer);
}

/** Path of the plan that a block comes from. */
export function blockPath(plan: PipelinePlan, picture: Pick<Picture, 'columns' | 'items'>, block: number): string {
  const type = typeOf(picture, block);
  if (type === 'sync' || type === 'optimizer') return paths.key(plan.name, type);
  const item = picture.items?.[block] ?? -1;
  if (item >= 0) {
    const kind = kindOf(picture.columns, picture.columns.word[block]);
    const [device, stage] = [deviceOf(picture, block), stageOf(picture, block)];
    return paths.operation(plan.name, device, item, kind, stage, microbatchOf(picture, block));
  }
  const guard = guardOf(plan, type, stageOf(picture, block));
  return guard !== undefined ? paths.guard(plan.name, guard.written) : paths.stage(plan.name, stageOf(picture, block));
}
