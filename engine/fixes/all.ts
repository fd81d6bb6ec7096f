import type { Analysis } from '../flow/check.ts';
import type { Code } from '../findings/catalogue.ts';
import type { Finding } from '../findings/finding.ts';
import { fixSteps } from './fix.ts';
import { noNewError } from './outcome.ts';
import { type Again, apply, checkedAgain, type Edit, type Proposal } from './proposal.ts';
import { consequenceOf, consequenceWords } from './repairs/consequence.ts';
import { mostAtOnce, type Neighbour } from './repairs/repair.ts';
import { repairers } from './repairs/repairers.ts';

/**
 * Codes whose fixes an editor may make when it saves a file: nearest spellings, and entries without effect. Fixes that change figures
 * are left out: two pipelines may need the same param.
 */
export const safeCodes: readonly Code[] = [
  'syntax/unit',
  'name/unknown',
  'key/unknown',
  'key/duplicate',
  'key/not-applicable',
];

/** Whether findings of a code can be fixed at once: each is a mistake at its own place. */
const fixableAtOnce = (code: Code): boolean => repairers[code] !== undefined;

/** Whether a file has several findings of a code, and not too many, that can be fixed at once. */
export function hasSeveral({ findings }: Pick<Analysis, 'findings'>, code: Code): boolean {
  const count = findings.filter((finding) => finding.code === code).length;
  return fixableAtOnce(code) && count > 1 && count <= mostAtOnce;
}

/** What is fixed at once. */
export interface FixAll {
  readonly codes: readonly Code[];
  /** The words of the title before its effect: how many are fixed, and how many findings there are. */
  readonly title: (fixed: number, findings: number) => string;
  /** Only fixes without an alternative. Default: the preferred fix of each finding. */
  readonly unambiguous?: boolean;
  /** Fixes of a finding that are known already. */
  readonly known?: (finding: Finding) => readonly Proposal[] | undefined;
}

/**
 * Fixes of all findings of some codes as one change, with the effect of the whole change in the title. Undefined for fewer than two.
 * Undefined also if the changed file has a new error, or if as many findings are not gone.
 */
export function* fixAllSteps(
  analysis: Analysis,
  { codes, title, unambiguous = false, known = () => undefined }: FixAll,
  again: Again,
  neighbours?: () => readonly Neighbour[],
): Generator<unknown, Proposal | undefined, void> {
  const isMeant = ({ code }: { readonly code: Code }) => codes.includes(code) && fixableAtOnce(code);
  const found = analysis.findings.filter(isMeant);
  if (found.length < 2 || found.length > mostAtOnce) return undefined;
  const edits: Edit[] = [];
  let fixed = 0;
  for (const finding of found) {
    const fixes = known(finding) ?? (yield* fixSteps(analysis, finding, again, neighbours));
    const best = fixes.find((fix) => (unambiguous ? fix.unambiguous : fix.preferred));
    if (best === undefined || best.edits.some((edit) => edits.some((other) => touch(edit, other)))) continue;
    edits.push(...best.edits);
    fixed += 1;
  }
  if (fixed < 2) return undefined;
  const changed = yield* checkedAgain(again, apply(analysis.syntax.text, edits));
  const left = changed.findings.filter(isMeant).length;
  if (!noNewError(analysis, changed) || left > found.length - fixed) return undefined;
  const consequence = consequenceOf(analysis, changed);
  const [effect] = consequence.effects;
  return {
    title: `${title(fixed, found.length)}${consequenceWords(consequence)}`,
    edits,
    ...(effect === undefined ? {} : { effect }),
  };
}

/** Two ranges may border on each other. An insertion at a border is refused, since the order of the two would be open. */
function touch(a: Edit, b: Edit): boolean {
  const insertion = a.start === a.end || b.start === b.end;
  return insertion ? a.start <= b.end && b.start <= a.end : a.start < b.end && b.start < a.end;
}
