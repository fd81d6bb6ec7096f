/** Operations as the shortest text that this file knows: ranges, and `zip` of ranges. */

/** `F[3, chunk = 1]` is head `F[`, microbatch 3, tail `, chunk = 1]`. */
export interface Written {
  readonly head: string;
  readonly microbatch: number;
  readonly tail: string;
}

/** Ranges that one `zip` may have. */
const mostLanes = 3;

/** Operations that are written as one: a range, or a `zip` of as many ranges as there are lanes. */
export interface SequenceGroup {
  readonly operations: readonly Written[];
  readonly lanes: number;
}

export function sequenceGroups(operations: readonly Written[]): readonly SequenceGroup[] {
  const groups: SequenceGroup[] = [];
  for (let at = 0; at < operations.length;) {
    const { lanes, rounds } = longest(operations, at);
    groups.push({ operations: operations.slice(at, at + lanes * rounds), lanes });
    at += lanes * rounds;
  }
  return groups;
}

/** `microbatches`: of the pipeline, where a range over all of them is to hold for any number. */
export const sequenceText = (operations: readonly Written[], microbatches?: number): string =>
  sequenceGroups(operations)
    .map((group) => groupText(group, microbatches))
    .join(', ');

export function groupText({ operations, lanes }: SequenceGroup, microbatches?: number): string {
  const texts = Array.from({ length: lanes }, (_, lane) =>
    rangeText(operations[lane], operations[operations.length - lanes + lane], microbatches),
  );
  return lanes === 1 ? texts[0] : `zip(${texts.join(', ')})`;
}

/** Whether the second operation is the first one, this number of microbatches later. */
export const continues = (first: Written, second: Written, distance: number): boolean =>
  second.head === first.head && second.tail === first.tail && second.microbatch === first.microbatch + distance;

/** The pattern from a position that covers the most operations; of equal ones the plainest. */
function longest(operations: readonly Written[], at: number): { readonly lanes: number; readonly rounds: number } {
  let best = { lanes: 1, rounds: roundsOf(operations, at, 1) };
  for (let lanes = 2; lanes <= mostLanes; lanes += 1) {
    const rounds = roundsOf(operations, at, lanes);
    if (rounds > 1 && lanes * rounds > best.lanes * best.rounds) best = { lanes, rounds };
  }
  return best;
}

/** How often a group of operations repeats, each with the next microbatch, or each with the one before. */
function roundsOf(operations: readonly Written[], at: number, lanes: number): number {
  let rounds = 1;
  while (
    at + (rounds + 1) * lanes <= operations.length &&
    Array.from({ length: lanes }, (_, lane) => at + lane).every((from) => {
      const [first, second] = [operations[from], operations[from + lanes]];
      const [last, next] = [operations[from + (rounds - 1) * lanes], operations[from + rounds * lanes]];
      const step = second.microbatch - first.microbatch;
      return (
        next.head === first.head &&
        next.tail === first.tail &&
        Math.abs(step) === 1 &&
        next.microbatch - last.microbatch === step
      );
    })
  )
    rounds += 1;
  return rounds;
}

function rangeText(first: Written, last: Written, microbatches: number | undefined): string {
  const { head, tail, microbatch } = first;
  const to = last.microbatch;
  if (to === microbatch && microbatches !== 1) return `${head}${microbatch}${tail}`;
  if (microbatches !== undefined && microbatch === 0 && to === microbatches - 1)
    return `${head}0..<microbatches${tail}`;
  if (to === microbatch) return `${head}${microbatch}${tail}`;
  return `${head}${microbatch}..${to}${to < microbatch ? ' step -1' : ''}${tail}`;
}
