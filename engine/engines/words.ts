/** Why an engine does not run a word of a key, whatever else a file says. */
import { lone } from '../costs/mesh.ts';
import { isShard } from '../costs/optimizer.ts';
import type { RecomputeMode } from '../costs/types.ts';
import { type Engine, type Refusal, type Setup } from './engine.ts';
import { setupRefusals } from './registry.ts';

/** A pipeline of two ranks that asks for nothing in particular. */
const plain: Setup = {
  ranks: 2,
  chunks: 1,
  mesh: lone,
  unlike: false,
  hasExperts: false,
  precision: 'bf16',
  recompute: ['none'],
  offload: false,
  overlap: { tensor: 0, expert: 0 },
  sync: { name: 'end', arguments: false },
  rankOrder: 'tp_cp_dp_pp',
  receivesAll: false,
  writes: () => true,
};

/** `shard` is an argument of the optimizer. */
export function wordRefusal(engine: Engine, key: string, word: string): Refusal | undefined {
  const setup = withWord(key, word);
  return setup === undefined ? undefined : setupRefusals(engine, setup)[0];
}

function withWord(key: string, word: string): Setup | undefined {
  switch (key) {
    case 'recompute':
      return { ...plain, recompute: [word as RecomputeMode] };
    case 'rank_order':
      return word === 'tp_cp_dp_pp' || word === 'tp_cp_pp_dp' ? { ...plain, rankOrder: word } : undefined;
    case 'context_exchange': {
      const exchange = word === 'all_to_all' ? ({ contextExchange: word } as const) : {};
      return { ...plain, ranks: 1, mesh: { ...lone, context: 2, ...exchange } };
    }
    case 'shard':
      return isShard(word) ? { ...plain, optimizer: { shard: word, reshard: true, writes: () => true } } : undefined;
    default:
      return undefined;
  }
}
