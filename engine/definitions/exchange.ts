/** What a pipeline says of the exchange of gradients: a rule, a collective, or both. */
import type { Span } from '../../grammar/syntax.ts';
import type { RuleArguments } from '../exchange/arguments.ts';
import type { CollectiveUse } from '../exchange/collectives.ts';
import type { ExchangePreset } from '../exchange/presets.ts';

/** A rule as written. */
export interface SyncUse {
  readonly preset: ExchangePreset;
  readonly written: RuleArguments;
  /** The arguments that were written, by the name under which `written` has them. */
  readonly at: ReadonlyMap<string, Span>;
}

/** Absent from a pipeline that says neither a collective nor more than `end` or `overlap(bucket = …)`. */
export interface ExchangeUse {
  /** Absent for `end`: all at once after the last operation. */
  readonly sync?: SyncUse;
  readonly collective?: CollectiveUse;
}

/** Whether today's exchange in buckets says it all: an `overlap` with no argument but its bucket. */
export const onlyBuckets = ({ preset, written }: SyncUse): boolean =>
  preset.name === 'overlap' && Object.keys(written).every((key) => key === 'bucket') && written.bucket !== 'best';

/** Bytes of the buckets of such an `overlap`; 0 for one of each layer, as where a rule says more. */
export function bucketBytes(sync: SyncUse): number {
  const { bucket } = sync.written;
  return onlyBuckets(sync) && typeof bucket === 'object' && 'bytes' in bucket ? bucket.bytes : 0;
}
