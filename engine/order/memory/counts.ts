/** What a device holds while it works through its order: counts of microbatches, and what each kind of operation does to them. */
import type { PipelinePlan, StagePlan } from '../../values/plan.ts';
import { B, F, I, kinds, kindsIn, runsForwardOnly, type Program, R, rowTable, U, W } from '../../values/program.ts';
import { stagesOn, turnsOf } from '../../basics/stagesOn.ts';
import { keepsNothing } from './keepsNothing.ts';
import { type HeldBytes, type LengthSizes, lengthSizes } from './lengthSizes.ts';
import { recomputedApart } from '../recomputedApart.ts';

/** Microbatches that a device holds something of, by stage of the device (`stagesOn`). */
export interface Held {
  /** All that their forwards left. */
  readonly kept: Int32Array;
  /** What their weight gradients need. */
  readonly keptForWeight: Int32Array;
  /** What a separate R recomputed, or what a microbatch without that R never gave up; empty if none has an R. */
  readonly again: Int32Array;
  /** Bytes of these; only where microbatches have different lengths. */
  readonly sizes?: HeldBytes;
}

export interface WalkState extends Held {
  readonly program: Program;
  /** By row of the program: its kind. By stage: its index among the stages of its device. */
  readonly kindOf: Uint8Array;
  readonly turn: Int32Array;
  readonly stages: number;
  /** Whether an R of the device recomputes the microbatch of an operation; undefined where no R does. */
  readonly recomputes: ((word: number) => boolean) | undefined;
  readonly effects: Effects;
  /** Sizes by stage of the device. */
  readonly activation: Float64Array;
  readonly activationForWeight: Float64Array;
  readonly recomputedWhole: Float64Array;
  readonly sizes?: LengthSizes & HeldBytes;
  /** The next slot, and the end of the device. */
  position: number;
  readonly to: number;
  held: number;
}

/** What an operation does, by kind × stages of the device + stage: tables, since this is asked twice for each operation. */
interface Effects {
  /** Added to the counts when it starts, and when it ends. */
  readonly keptAtStart: Int8Array;
  readonly againAtStart: Int8Array;
  readonly heldAtStart: Int8Array;
  readonly keptAtEnd: Int8Array;
  readonly keptForWeightAtEnd: Int8Array;
  readonly againAtEnd: Int8Array;
  readonly heldAtEnd: Int8Array;
  /** Bytes while it runs. */
  readonly workspace: Float64Array;
  readonly recomputed: Float64Array;
  /** 1 for operations that have these bytes. */
  readonly working: Uint8Array;
  readonly recomputing: Uint8Array;
}

function effectsOf(plan: PipelinePlan, program: Program, local: readonly number[]): Effects {
  const { apart } = program;
  const count = Math.max(kinds, kindsIn(program)) * local.length;
  const effects: Effects = {
    keptAtStart: new Int8Array(count),
    againAtStart: new Int8Array(count),
    heldAtStart: new Int8Array(count),
    keptAtEnd: new Int8Array(count),
    keptForWeightAtEnd: new Int8Array(count),
    againAtEnd: new Int8Array(count),
    heldAtEnd: new Int8Array(count),
    workspace: new Float64Array(count),
    recomputed: new Float64Array(count),
    working: new Uint8Array(count),
    recomputing: new Uint8Array(count),
  };
  local.forEach((stage, index) => {
    const at = (kind: number) => kind * local.length + index;
    const { workspace, recomputed, offloaded } = plan.stages[stage];
    const isApart = apart?.[stage] === 1;
    for (let kind = F; kind <= U; kind += 1) {
      effects.workspace[at(kind)] = workspace;
      effects.working[at(kind)] = 1;
    }
    effects.keptAtStart[at(F)] = 1;
    effects.heldAtStart[at(F)] = 1;
    effects.againAtStart[at(R)] = 1;
    for (const kind of [B, I]) {
      effects.keptAtEnd[at(kind)] = -1;
      if (isApart) effects.againAtEnd[at(kind)] = -1;
      else {
        effects.recomputed[at(kind)] = recomputed;
        effects.recomputing[at(kind)] = 1;
      }
    }
    // What has come back for the input gradient stays for the weight gradient.
    effects.recomputed[at(I)] += offloaded?.forWeight ?? 0;
    effects.keptForWeightAtEnd[at(I)] = 1;
    effects.keptForWeightAtEnd[at(W)] = -1;
    for (const kind of [B, W]) effects.heldAtEnd[at(kind)] = -1;
    // A stage that keeps nothing has no microbatch in flight.
    for (let kind = 0; keepsNothing(plan.stages[stage]) && kind < kinds; kind += 1) {
      effects.heldAtStart[at(kind)] = 0;
      effects.heldAtEnd[at(kind)] = 0;
    }
    // Without a backward nothing is kept for it.
    for (let kind = 0; runsForwardOnly(program, stage) && kind < kinds; kind += 1) {
      effects.keptAtEnd[at(kind)] -= 1;
      effects.heldAtEnd[at(kind)] = -effects.heldAtStart[at(kind)];
    }
  });
  return effects;
}

export function walkState(plan: PipelinePlan, program: Program, device: number): WalkState {
  const { offsets, apart } = program;
  const [from, to] = [offsets[device], offsets[device + 1]];
  const local = stagesOn(plan.placement, device);
  const turn = turnsOf(plan.placement);
  const lengths = lengthSizes(plan, program.microbatches, local);
  const sizes = (bytes: (stage: StagePlan) => number) => Float64Array.from(local, (stage) => bytes(plan.stages[stage]));
  return {
    program,
    kindOf: rowTable(program).kind,
    turn,
    stages: local.length,
    recomputes: apart === undefined ? undefined : recomputedApart(program, apart, local, turn, from, to),
    effects: effectsOf(plan, program, local),
    activation: sizes((stage) => stage.activation),
    activationForWeight: sizes((stage) => stage.activationForWeight),
    recomputedWhole: sizes((stage) => stage.recomputedWhole ?? stage.recomputed),
    kept: new Int32Array(local.length),
    keptForWeight: new Int32Array(local.length),
    again: new Int32Array(apart === undefined ? 0 : local.length),
    ...(lengths === undefined ? {} : { sizes: lengths }),
    position: from,
    to,
    held: 0,
  };
}
