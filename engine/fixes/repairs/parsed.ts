import { parse } from '../../../grammar/index.ts';
import { apply } from '../proposal.ts';
import type { Mistake, Repair } from './repair.ts';

/** Characters that trial parses of one finding may read. */
const budget = 20_000_000;

/** Candidates that leave fewer faults than there are, the fewest first. Parsing is cheap: all are parsed, and only the best are checked. */
export function fewestFaults({ analysis }: Mistake, candidates: Iterable<Repair>): readonly Repair[] {
  const { text, errors } = analysis.syntax;
  const limits = { size: text.length + 1_000, faults: errors.length + 1 };
  const found: { readonly repair: Repair; readonly faults: number }[] = [];
  let left = budget;
  for (const repair of candidates) {
    const edits = repair.edits.filter((edit) => edit !== undefined);
    left -= text.length;
    if (left < 0) break;
    const faults = parse(apply(text, edits), limits).errors.length;
    if (faults < errors.length) found.push({ repair, faults });
  }
  return found
    .toSorted((a, b) => a.faults - b.faults)
    .slice(0, 12)
    .map(({ repair }) => repair);
}
