import type { ExchangeRule, LanePlan } from '../../../values/exchangePlan.ts';
import { closesBySize } from '../buckets.ts';
import type { LaneProblem, SettledRule } from '../lane.ts';
import { bestBuckets } from './buckets.ts';
import { tryPieces } from './tried.ts';

/** A lane without `best`. */
export interface SettledLane {
  readonly rule: SettledRule;
  readonly closes: Uint8Array;
  /** False if a better choice of what is `best` may exist. Absent if nothing is. */
  readonly exact?: boolean;
}

type Times = Pick<LaneProblem, 'ready' | 'tail' | 'origin' | 'pulls'>;

/** Chooses what a rule leaves to the tool: buckets first, then pieces and credit. */
export function settleLane(
  { tensors, calls, whole }: Pick<LaneProblem, 'tensors' | 'calls'> & Pick<LanePlan, 'whole'>,
  rule: ExchangeRule,
  { ready, tail, origin, pulls }: Times,
): SettledLane {
  const { bucket, first, partition, credit, barrier, ...rest } = rule;
  const start: SettledRule = {
    ...rest,
    partition: partition === 'best' ? 'whole' : partition,
    credit: credit === 'best' ? 'piece' : credit,
  };
  const sized = (size: number | 'layer'): Uint8Array => closesBySize(tensors, size, first, whole);
  let problem: LaneProblem = {
    tensors,
    calls,
    rule: start,
    closes: sized(bucket === 'best' ? 'layer' : bucket),
    ready,
    tail,
    origin,
    ...(pulls === undefined ? {} : { pulls }),
  };
  let exact: boolean | undefined;
  if (bucket === 'best' && rule.cycle === undefined) {
    const found = bestBuckets(problem, barrier);
    problem = { ...problem, closes: found.closes };
    exact = found.exact;
  }
  if (partition === 'best' || credit === 'best') {
    const { finish: _, ...pieces } = tryPieces(problem, barrier, partition, credit);
    problem = { ...problem, rule: { ...start, ...pieces } };
    exact = false;
  }
  return { rule: problem.rule, closes: problem.closes, ...(exact === undefined ? {} : { exact }) };
}
