/** What the `optimizer` key of a pipeline says. */
import type { Span } from '../../grammar/syntax.ts';
import type { OptimizerRecipe, Shard } from '../costs/optimizer.ts';

export interface OptimizerUse {
  /** With its own arguments in it. */
  readonly recipe: OptimizerRecipe;
  readonly shard: Shard;
  /** Ranks of one shard group; absent: all. */
  readonly over?: number;
  /** Gathered weights are dropped after each forward and backward; else they and the gradients stay whole. Counts where weights are split. */
  readonly reshard: boolean;
  /** Seconds after the last backward. */
  readonly step: number;
  /** Where the arguments that were written stand. */
  readonly at: ReadonlyMap<string, Span>;
}
