/** What ran, by the ranks that a call names: one rule for every source of a run. */
import { count, numbered } from '../basics/quantities.ts';

/** All ranks of a pipeline, or one rank where nothing says with which others it forms one. */
interface Ran {
  readonly ranks: readonly number[];
}

/** Those whose ranks are all named, or what is wrong with the names; everything if no rank is named. */
export function ofRanks<T extends Ran>(
  ran: readonly T[],
  named: ReadonlySet<number> | undefined,
): readonly T[] | { readonly problem: string } {
  if (named === undefined) return ran;
  const known = new Set(ran.flatMap(({ ranks }) => ranks));
  const absent = [...named].find((rank) => !known.has(rank));
  if (absent !== undefined) return { problem: `The run has no rank ${absent}. It has ${ranksInWords([...known])}.` };
  for (const { ranks } of ran) {
    const without = ranks.filter((rank) => !named.has(rank));
    const within = ranks.find((rank) => named.has(rank));
    if (within !== undefined && without.length > 0)
      return {
        problem: `Rank ${within} is in the pipeline of ${ranksInWords(ranks)}, and ${ranksInWords(without)} ${without.length === 1 ? 'is' : 'are'} not named. Name all ranks of a pipeline: ${ranks.join(',')}.`,
      };
  }
  return ran.filter(({ ranks }) => ranks.every((rank) => named.has(rank)));
}

/** Most ranks that are named one by one. */
const mostNamed = 8;

/** `rank 3`, `ranks 0, 2 and 4`, `256 ranks from 0 to 255`. */
export function ranksInWords(ranks: readonly number[]): string {
  const inOrder = [...new Set(ranks)].toSorted((a, b) => a - b);
  return inOrder.length <= mostNamed
    ? numbered(inOrder, 'rank', 'ranks')
    : `${count(inOrder.length, 'rank', 'ranks')} from ${inOrder[0]} to ${inOrder[inOrder.length - 1]}`;
}
