/**
 * The frame of fixes for mistakes: each repair is tried on the file, and kept only if the finding is then gone without a new
 * mistake. Titles state what runs afterwards.
 */
import type { Analysis } from '../../flow/check.ts';
import type { Finding } from '../../findings/finding.ts';
import { type Again, apply, checkedAgain, type Edit, type FixSteps, type Proposal } from '../proposal.ts';
import { compareConsequences, type Consequence, consequenceOf, consequenceWords } from './consequence.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** A change that may answer a finding. */
export interface Repair {
  /** What it does, without its effect: `Change to "1f1b"`. */
  readonly what: string;
  /** `undefined` where a part of the change cannot be written into this file: the repair is then left out. */
  readonly edits: readonly (Edit | undefined)[];
  /** Ranked after all others, whatever it gives: it takes something away. */
  readonly last?: true;
  /** It competes with something that the file says: it is offered, but never preferred and never made without a choice. */
  readonly contested?: boolean;
  /** Of repairs with the same group only the first that is good is offered. */
  readonly group?: string;
}

/** A file of the same folder, as an import of this file writes its path. */
export interface Neighbour {
  readonly path: string;
  readonly text: string;
}

/** What repairs are made from. */
export interface Mistake {
  readonly analysis: Analysis;
  readonly finding: Finding;
  readonly again: Again;
  /** Other files that an import may name; called only where they are needed. */
  readonly neighbours: () => readonly Neighbour[];
}

/** Repairs of one code, the most likely first. */
export interface Repairer {
  readonly repairs: (mistake: Mistake) => Iterable<Repair | undefined>;
  /** `figures`: the fastest plan first. Default: the order of the repairs. */
  readonly ranked?: 'figures' | undefined;
  /** Most fixes shown. Default: 5. */
  readonly most?: number;
}

interface Kept {
  readonly repair: Repair;
  readonly edits: readonly Edit[];
  readonly verdict: Verdict;
  readonly consequence: Consequence;
  /** Every pipeline of the changed file is simulated. */
  readonly isSettled: boolean;
}

/** More findings of a code are not fixed at once by the fixes of each. */
export const mostAtOnce = 50;

const mostTrials = 24;
const mostShown = 5;
/** Repairs in the given order stop being tried when this many are good. */
const enough = 5;

/** Fixes of a finding, best first. Pauses after each trial, so that a host may look for newer text. */
export function* repaired({ repairs, ranked, most = mostShown }: Repairer, mistake: Mistake): FixSteps {
  const { analysis, finding, again } = mistake;
  const kept: Kept[] = [];
  const seen = new Set([analysis.syntax.text]);
  const answered = new Set<string>();
  let trials = 0;
  for (const repair of repairs(mistake)) {
    const edits = repair === undefined ? undefined : writtenEdits(repair.edits);
    if (repair === undefined || edits === undefined) continue;
    const text = apply(analysis.syntax.text, edits);
    if (seen.has(text) || (repair.group !== undefined && answered.has(repair.group))) continue;
    seen.add(text);
    trials += 1;
    yield () =>
      proposalsOf(
        shown(
          kept.filter(({ isSettled }) => isSettled),
          ranked,
          most,
        ),
      );
    const after = yield* checkedAgain(again, text);
    const verdict = verdictOf(analysis, after, finding, edits);
    const isSettled = after.pending.length === 0;
    if (verdict !== undefined)
      kept.push({ repair, edits, verdict, consequence: consequenceOf(analysis, after), isSettled });
    if (verdict === 'clean' && repair.group !== undefined) answered.add(repair.group);
    if (trials >= mostTrials) break;
    if (ranked === undefined && kept.filter((each) => each.verdict === 'clean').length >= enough) break;
  }
  const best = shown(kept, ranked, most);
  const [first, ...others] = proposalsOf(best);
  if (first === undefined) return [];
  const changes = best.filter(({ repair }) => repair.last !== true);
  const isUnambiguous =
    trials < mostTrials &&
    changes.length === 1 &&
    changes[0].repair.contested !== true &&
    (changes[0].verdict === 'clean' || best.every(({ verdict }) => verdict !== 'clean'));
  if (best[0].repair.contested === true) return [first, ...others];
  return [{ ...first, preferred: true, ...(isUnambiguous ? { unambiguous: true } : {}) }, ...others];
}

const proposalsOf = (kept: readonly Kept[]): readonly Proposal[] =>
  kept.map(({ repair, edits, consequence }) => ({
    title: `${repair.what}${consequenceWords(consequence)}`,
    edits,
    ...(consequence.effects.length > 0 ? { effect: consequence.effects[0] } : {}),
  }));

function writtenEdits(edits: Repair['edits']): readonly Edit[] | undefined {
  const written = edits.filter((edit) => edit !== undefined);
  return written.length === edits.length && written.length > 0 ? written : undefined;
}

/** Repairs that bring other mistakes to light are shown only if there are no better ones. To take the text away is none. */
function shown(kept: readonly Kept[], ranked: 'figures' | undefined, most: number): readonly Kept[] {
  const clean = kept.filter(({ verdict }) => verdict === 'clean');
  const best = clean.some(({ repair }) => repair.last !== true) ? clean : kept;
  const order = best.map((each, index) => ({ each, index }));
  order.sort(
    (a, b) =>
      Number(a.each.repair.last ?? false) - Number(b.each.repair.last ?? false) ||
      Number(a.each.repair.contested ?? false) - Number(b.each.repair.contested ?? false) ||
      (ranked === 'figures' ? compareConsequences(a.each.consequence, b.each.consequence) : 0) ||
      a.index - b.index,
  );
  return order.slice(0, most).map(({ each }) => each);
}
