/** Why an engine does not run a word of a key, whatever else a file says. */
import { lone } from '../costs/mesh.ts';
import { isShard } from '../costs/optimizer.ts';
import type { Precision, RecomputeMode } from '../costs/types.ts';
import { type Engine, type Refusal, type Setup } from './engine.ts';
import { setupRefusals, writtenRefusals } from './registry.ts';

/** An optimizer of which only the shards matter. */
const anyRecipe = { recipe: 'none', written: new Map(), shared: '', syncsLast: false, writes: () => true };

/** A pipeline of two ranks that asks for nothing in particular. */
const plain: Setup = {
  microbatches: 1,
  ranks: 2,
  chunks: 1,
  mesh: lone,
  unlike: false,
  hasExperts: false,
  layers: [],
  blocks: false,
  precision: 'bf16',
  losses: [],
  recompute: ['none'],
  offload: false,
  overlap: { tensor: 0, expert: 0 },
  sync: { name: 'end', arguments: false },
  rankOrder: 'tp_cp_dp_pp',
  receivesAll: false,
  writes: () => true,
};

/** What an engine calls selective recomputation: of attention alone, or by a policy that keeps the results of some operations. */
export const selectiveMode = (engine: Engine | undefined): 'selective' | 'operations' =>
  engine !== undefined && wordRefusal(engine, 'recompute', 'operations') === undefined ? 'operations' : 'selective';

/** `shard` is an argument of the optimizer. */
export function wordRefusal(engine: Engine, key: string, word: string): Refusal | undefined {
  const setup = withWord(key, word);
  return setup === undefined ? undefined : setupRefusals(engine, setup)[0];
}

/** Why it does not split an optimizer so over data and context ranks. */
export function shardRefusal(
  engine: Engine,
  {
    ranks,
    data,
    context,
    shard = 'none',
    reshard,
  }: {
    readonly ranks: number;
    readonly data: number;
    readonly context: number;
    readonly shard?: string;
    readonly reshard?: string;
  },
): Refusal | undefined {
  if (!isShard(shard)) return undefined;
  const optimizer = { ...anyRecipe, shard, reshard: reshard !== 'false' };
  const setup = { ...plain, ranks, mesh: { ...lone, data, context }, optimizer };
  return writtenRefusals(engine, setup).find(({ key }) => key === 'optimizer');
}

/** The optimizer that it has in the place of another one; undefined if it has that one. */
export function otherRecipe(engine: Engine, recipe: string, precision: Precision): string | undefined {
  const setup = { ...plain, precision, optimizer: { ...anyRecipe, recipe, shard: 'zero1', reshard: false } } as const;
  const refusal = writtenRefusals(engine, setup).find(
    ({ nearest }) => nearest?.key === 'optimizer' && nearest.argument === undefined,
  );
  return refusal?.nearest?.value;
}

function withWord(key: string, word: string): Setup | undefined {
  switch (key) {
    case 'recompute':
      return { ...plain, recompute: [word as RecomputeMode] };
    case 'rank_order':
      return word === 'tp_cp_dp_pp' || word === 'tp_cp_pp_dp' ? { ...plain, rankOrder: word } : undefined;
    case 'context_exchange': {
      const exchange = word === 'all_to_all' || word === 'all_gather' ? ({ contextExchange: word } as const) : {};
      return { ...plain, ranks: 1, mesh: { ...lone, context: 2, ...exchange } };
    }
    case 'loss':
      return { ...plain, losses: [word] };
    case 'shard':
      return isShard(word) ? { ...plain, optimizer: { ...anyRecipe, shard: word, reshard: true } } : undefined;
    default:
      return undefined;
  }
}
