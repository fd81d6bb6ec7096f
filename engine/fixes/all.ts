import type { Analysis } from '../check.ts';
import type { Code } from '../findings/catalogue.ts';
import { fixSteps } from './fix.ts';
import { noNewError } from './outcome.ts';
import { type Again, apply, type Edit, type Proposal } from './proposal.ts';
import type { Neighbour } from './repairs/repair.ts';
import { repairers } from './repairs/repairers.ts';

/**
 * Codes whose fixes an editor may make on its own, when it saves a file: nearest spellings, and entries without effect. Fixes that
 * change figures are left out: two pipelines may need the same param.
 */
export const safeCodes: readonly Code[] = [
  'syntax/unit',
  'name/unknown',
  'key/unknown',
  'key/duplicate',
  'key/not-applicable',
];

/** More findings are not fixed at once. */
const mostFindings = 50;

/** Whether findings of a code can be fixed at once: each is a mistake at its own place. */
export const fixableAtOnce = (code: Code): boolean => repairers[code] !== undefined;

/**
 * The preferred fixes of all findings of these codes as one change. Undefined for fewer than two. Undefined also if the changed file
 * has a new error, or if as many findings are not gone.
 */
export function* fixAllSteps(
  analysis: Analysis,
  codes: readonly Code[],
  title: (findings: number) => string,
  again: Again,
  neighbours?: () => readonly Neighbour[],
): Generator<void, Proposal | undefined, void> {
  const isMeant = ({ code }: { readonly code: Code }) => codes.includes(code) && fixableAtOnce(code);
  const found = analysis.findings.filter(isMeant);
  if (found.length < 2 || found.length > mostFindings) return undefined;
  const edits: Edit[] = [];
  let fixed = 0;
  for (const finding of found) {
    const best = (yield* fixSteps(analysis, finding, again, neighbours)).find(({ preferred }) => preferred);
    if (best === undefined || best.edits.some((edit) => edits.some((other) => touch(edit, other)))) continue;
    edits.push(...best.edits);
    fixed += 1;
  }
  if (fixed < 2) return undefined;
  const changed = again(apply(analysis.syntax.text, edits));
  const left = changed.findings.filter(isMeant).length;
  return noNewError(analysis, changed) && left <= found.length - fixed ? { title: title(fixed), edits } : undefined;
}

/** Two ranges may border on each other. An insertion at a border is refused, since the order of the two would be open. */
function touch(a: Edit, b: Edit): boolean {
  const insertion = a.start === a.end || b.start === b.end;
  return insertion ? a.start <= b.end && b.start <= a.end : a.start < b.end && b.start < a.end;
}
