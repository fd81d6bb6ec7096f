/** The most that a device holds at a time, by the order of its operations alone. */
import { stagesOn } from '../../basics/stagesOn.ts';
import type { PipelinePlan, StagePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { keepsNothing } from './keepsNothing.ts';
import { heldBytes } from './steps.ts';

export interface MostHeld {
  /** Position of the last operation of the slot that first reaches it; −1 where the device runs none. */
  readonly position: number;
  /** Of that slot, while it runs. */
  readonly activations: number;
  readonly workspace: number;
  /** Most microbatches of a stage each, of any slot. */
  readonly inFlight: number;
  /** Activations that are there after the last slot. */
  readonly left: number;
}

/** What was found last of a device, and the sizes that it follows from. */
interface Known {
  readonly sizes: readonly number[];
  readonly most: MostHeld;
}

/** By device: times change while a person writes, and neither the order nor the sizes do. */
const known = new WeakMap<Program, (Known | undefined)[]>();

/** Of what its operations hold, and what else there is (`others`) while the slot runs whose last operation is at a position. */
export function mostHeld(
  plan: PipelinePlan,
  program: Program,
  device: number,
  others?: (position: number) => number,
): MostHeld {
  if (others !== undefined || plan.lengths !== undefined) return walked(plan, program, device, others);
  const sizes = stagesOn(program.placement, device).flatMap((stage) => sizesIn(plan.stages[stage]));
  const ofProgram = known.get(program) ?? [];
  const found = ofProgram[device];
  if (found?.sizes.every((size, index) => size === sizes[index]) === true) return found.most;
  const most = walked(plan, program, device);
  ofProgram[device] = { sizes, most };
  known.set(program, ofProgram);
  return most;
}

/** All of a stage that a walk along its operations reads. */
const sizesIn = (stage: StagePlan): readonly number[] => [
  ...[stage.activation, stage.activationForWeight, stage.recomputed, stage.recomputedWhole ?? stage.recomputed],
  ...[stage.workspace, stage.offloaded?.forWeight ?? 0, Number(keepsNothing(stage))],
];

function walked(plan: PipelinePlan, program: Program, device: number, others?: (position: number) => number): MostHeld {
  const { levels, next, workspaceAt } = heldBytes(plan, program, device);
  const { last, bytes, held, after } = levels;
  let [most, position, own, inFlight, left] = [-Infinity, -1, 0, 0, 0];
  for (let count = next(); count > 0; count = next()) {
    for (let slot = 0; slot < count; slot += 1) {
      inFlight = Math.max(inFlight, held[slot]);
      const total = others === undefined ? bytes[slot] : bytes[slot] + others(last[slot]);
      if (total <= most) continue;
      most = total;
      own = bytes[slot];
      position = last[slot];
    }
    left = after[count - 1];
  }
  const workspace = position < 0 ? 0 : workspaceAt(position);
  return { position, activations: own - workspace, workspace, inFlight, left };
}
