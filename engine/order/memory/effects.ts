/** What an operation does to the memory of its device: counts of microbatches of its stage. Bytes are these times sizes. */
import { B, F, I, R, runsForwardOnly, type Program, U, W } from '../../values/program.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import { keepsNothing } from './keepsNothing.ts';

/** Added to the microbatches that a device holds something of. */
export interface Change {
  /** All that their forwards left. */
  readonly kept: number;
  /** What their weight gradients need. */
  readonly keptForWeight: number;
  /** What a separate R recomputed, or what a microbatch without that R never gave up. */
  readonly again: number;
  /** Microbatches in flight. */
  readonly held: number;
}

export interface Effect {
  readonly starts: Change;
  readonly ends: Change;
  /** While it runs, it has the workspace of its stage, what it recomputes itself, and what has come back for its weight gradient. */
  readonly works: boolean;
  readonly recomputes: boolean;
  readonly loads: boolean;
}

/**
 * F adds the activations of its microbatch when it starts; B frees them when it ends. With a split backward, I frees what only
 * the input gradient needs, and W the rest. What a backward recomputes is there while it runs. If recomputation is a separate
 * operation (`Program.apart`), all of it is there from the start of R to the end of the backward. A microbatch without R
 * (`withoutR`) then has everything from F on. If a stage runs forwards only, its activations are there only while F runs.
 */
export function effectOf(plan: PipelinePlan, program: Program, stage: number, kind: number, withoutR: boolean): Effect {
  const backward = kind === B || kind === I;
  const apart = program.apart?.[stage] === 1;
  const only = runsForwardOnly(program, stage);
  // A stage that keeps nothing has no microbatch in flight.
  const holds = !keepsNothing(plan.stages[stage]);
  const forward = Number(kind === F);
  const last = only ? kind === F : kind === B || kind === W;
  return {
    starts: {
      kept: forward,
      keptForWeight: 0,
      again: Number(kind === R || (kind === F && withoutR)),
      held: holds ? forward : 0,
    },
    ends: {
      // Without a backward nothing is kept for it.
      kept: -Number(backward || (only && kind === F)),
      keptForWeight: Number(kind === I) - Number(kind === W),
      again: -Number(backward && apart),
      held: -Number(holds && last),
    },
    works: kind <= U,
    recomputes: backward && !apart,
    loads: kind === I,
  };
}
