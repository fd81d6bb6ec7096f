/** What the `optimizer` key of a pipeline says. */
import type { Span } from '../../grammar/syntax.ts';
import type { GradientSync, OptimizerRecipe, RecipeValues, Shard } from '../costs/optimizer.ts';

/** The part of the optimizer that is on the host. */
export interface HostOptimizer {
  /** Of the parameters of each layer, above 0 and at most 1. */
  readonly share: number;
  /** With all of its state. */
  readonly recipe: OptimizerRecipe;
}

export interface OptimizerUse {
  /** With its own arguments in it. */
  readonly recipe: OptimizerRecipe;
  readonly shard: Shard;
  /** Ranks of one shard group; absent: all. */
  readonly over?: number;
  /**
   * Whether gathered weights are dropped after each forward and backward. If not, they and the gradients stay whole. Used if
   * weights are split.
   */
  readonly reshard: boolean;
  /** Neighbours on which weights stay in parts from a forward to its backward; absent: all ranks of a shard group. */
  readonly reshardTo?: number;
  /** Layers whose weights are gathered ahead of the one that runs, if the file says so; otherwise 1. */
  readonly prefetch?: number;
  /** When gradients in parts are exchanged, if the file says so; otherwise `scatter`. */
  readonly gradientSync?: GradientSync;
  /** Whether gradients are clipped by their global norm. */
  readonly clip: boolean;
  /** Seconds after the last backward, if the file says so. */
  readonly step?: number;
  /** What the host keeps and updates; `recipe` is then what is left to the device. */
  readonly offload?: HostOptimizer;
  /** The arguments that were written, as the file says them. */
  readonly written: RecipeValues;
  /** The places of the arguments that were written. */
  readonly at: ReadonlyMap<string, Span>;
}
