import { memoryAmount } from '../../engine/analyze/unitWords.ts';
import { stageFor } from '../../engine/basics/lengths.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { B, F, I, R, U, W, kindOf, microbatchOf, stageOf } from '../../engine/values/program.ts';
import { blockOf } from './blocks.ts';
import type { Picture } from './picture.ts';

/** Bytes that an operation itself needs: not what its device holds for other operations. */
export interface OwnMemory {
  /** While it runs, beyond what was there before. */
  readonly takes: number;
  /** Once it has ended: more (positive) or less (negative) than before. */
  readonly keeps: number;
}

/** By the rules of `walkMemory`. Undefined for what is no operation, and for operations that only move activations. */
export function ownMemory(plan: PipelinePlan, picture: Picture, block: number): OwnMemory | undefined {
  const { columns } = picture;
  const word = columns.word[block];
  if (word < 0) return undefined;
  const [kind, stage, microbatch] = [kindOf(columns, word), stageOf(columns, word), microbatchOf(columns, word)];
  if (kind > U) return undefined;
  const { activation, activationForWeight, recomputed, recomputedWhole, workspace } = stageFor(plan, stage, microbatch);
  const isApart = recomputesApart(picture).has(stage);
  const again = isApart ? (recomputedWhole ?? recomputed) : 0;
  const passing = workspace + (isApart ? 0 : recomputed);
  switch (kind) {
    case F: {
      const kept = activation + (blockOf(picture, R, stage, microbatch) < 0 ? again : 0);
      // Without a backward nothing is kept for it.
      return { takes: kept + workspace, keeps: blockOf(picture, B, stage, microbatch) < 0 ? 0 : kept };
    }
    case B:
      return { takes: passing, keeps: -activation - again };
    case I:
      return { takes: passing, keeps: activationForWeight - activation - again };
    case W:
      return { takes: workspace, keeps: -activationForWeight };
    case R:
      return { takes: again + workspace, keeps: again };
    default:
      return { takes: workspace, keeps: 0 };
  }
}

const apartStages = new WeakMap<Picture, ReadonlySet<number>>();

/** Stages with recomputation as a separate operation. */
function recomputesApart(picture: Picture): ReadonlySet<number> {
  const known = apartStages.get(picture);
  if (known !== undefined) return known;
  const { columns } = picture;
  const found = new Set<number>();
  for (const word of columns.word) if (word >= 0 && kindOf(columns, word) === R) found.add(stageOf(columns, word));
  apartStages.set(picture, found);
  return found;
}

/** `takes 1 GiB`, `frees 1 GiB`, `takes 2 GiB while it runs, frees 1 GiB`; empty where it does neither. */
export function ownMemoryWords({ takes, keeps }: OwnMemory, isUnit?: boolean): string {
  // What stays is not said twice.
  const passing = takes - Math.max(0, keeps);
  const parts = [
    ...(keeps > 0 ? [`takes ${memoryAmount(keeps, isUnit)}`] : []),
    ...(passing > 0 ? [`${keeps > 0 ? 'another' : 'takes'} ${memoryAmount(passing, isUnit)} while it runs`] : []),
    ...(keeps < 0 ? [`frees ${memoryAmount(-keeps, isUnit)}`] : []),
  ];
  return parts.join(', ');
}
