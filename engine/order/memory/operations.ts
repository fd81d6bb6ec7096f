/** The operations of a device, each with the number of its effect on memory. */
import type { PipelinePlan } from '../../values/plan.ts';
import { F, kindsIn, type Program, rowTable } from '../../values/program.ts';
import { stagesOn, turnsOf } from '../../basics/stagesOn.ts';
import { recomputedApart } from '../recomputedApart.ts';
import { type Effect, effectOf } from './effects.ts';
import { kindsOfMicrobatches, type Sizes, sizesOfStage } from './sizes.ts';

export interface MemoryOperations {
  readonly from: number;
  readonly to: number;
  /** Stages of the device. */
  readonly local: readonly number[];
  /** Effect of the operations of a row, and of a forward whose microbatch keeps everything since no R recomputes it. */
  readonly effectOfRow: Int32Array;
  readonly effects: readonly Effect[];
  readonly keepsAll: ((word: number) => boolean) | undefined;
  /** What to add to the effect of a forward then. */
  readonly keepingAll: number;
  /** Effects of each stage. */
  readonly width: number;
  /** Kind of each microbatch; undefined where all are alike. */
  readonly kindOf: Int32Array | undefined;
  /** Sizes by stage of the device, then by kind of microbatch. */
  readonly sizes: readonly (readonly Sizes[])[];
}

export function memoryOperations(plan: PipelinePlan, program: Program, device: number): MemoryOperations {
  const { offsets, apart, shift } = program;
  const [from, to] = [offsets[device], offsets[device + 1]];
  const local = stagesOn(program.placement, device);
  const keepingAll = kindsIn(program);
  const width = keepingAll + 1;
  const recomputes =
    apart === undefined ? undefined : recomputedApart(program, apart, local, turnsOf(program.placement), from, to);
  const { kind } = rowTable(program);
  return {
    from,
    to,
    local,
    effectOfRow: effectsOfRows(program),
    effects: local.flatMap((stage) =>
      Array.from({ length: width }, (_, at) =>
        at === keepingAll ? effectOf(plan, program, stage, F, true) : effectOf(plan, program, stage, at, false),
      ),
    ),
    keepsAll:
      recomputes === undefined || apart === undefined
        ? undefined
        : (word) => kind[word >> shift] === F && apart[word >> shift] === 1 && !recomputes(word),
    keepingAll: keepingAll - F,
    width,
    kindOf: kindsOfMicrobatches(plan, program.microbatches),
    sizes: local.map((stage) => sizesOfStage(plan, stage)),
  };
}

const known = new WeakMap<Program, Int32Array>();

/** Effect of the operations of each row, among the effects of its device. */
function effectsOfRows(program: Program): Int32Array {
  const found = known.get(program);
  if (found !== undefined) return found;
  const { stages, placement } = program;
  const turn = turnsOf(placement);
  const count = kindsIn(program);
  const effects = new Int32Array(count * stages);
  for (let kind = 0; kind < count; kind += 1)
    for (let stage = 0; stage < stages; stage += 1) effects[kind * stages + stage] = turn[stage] * (count + 1) + kind;
  known.set(program, effects);
  return effects;
}
