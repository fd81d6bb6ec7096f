/** Why the engine does not run a row, as far as its order and its shards say it: such a row is not planned. */
import { orderRefusals, refusalWords } from '../engines/registry.ts';
import { shardRefusal } from '../engines/words.ts';
import type { SweepBase } from './base.ts';
import { policyOf } from './scheduleText.ts';
import { shardWords } from './shardText.ts';

interface Asked {
  readonly schedule: string;
  /** Pipeline ranks, and stages on all of them. */
  readonly ranks: number;
  readonly stages?: number;
  readonly microbatches: number;
  readonly data: number;
  readonly context: number;
}

export function engineRefusal({ engine, written }: SweepBase, row: Asked, optimizer?: string): string | undefined {
  if (engine === undefined) return undefined;
  const { ranks, data, context } = row;
  const { shard, reshard } = shardWords(optimizer ?? written('optimizer') ?? '');
  const refusal = orderRefusal(engine, row) ?? shardRefusal(engine, { ranks, data, context, shard, reshard });
  return refusal === undefined ? undefined : refusalWords(refusal);
}

/** Of engines that have their schedules by name: what others run depends on where the stages are. */
function orderRefusal(engine: NonNullable<SweepBase['engine']>, { schedule, ranks, stages, microbatches }: Asked) {
  const policy = policyOf(schedule);
  if (engine.schedules === undefined || policy === undefined || stages === undefined) return undefined;
  return orderRefusals(engine, {
    schedule: policy,
    placement: Array.from({ length: stages }, (_, stage) => stage % ranks),
    microbatches,
    devices: Array.from({ length: ranks }),
    stages: Array.from({ length: stages }, () => ({})),
  })[0];
}
