import type { Analysis } from '../flow/check.ts';
import type { Finding } from '../findings/finding.ts';
import { runnerWords } from '../engines/runners.ts';
import { type Effect, isTight } from './effect.ts';

/** Replaces the text from `start` to `end` (UTF-16 units); edits of one fix never overlap. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A change to the file. The title states its simulated effect. */
export interface Proposal {
  readonly title: string;
  readonly edits: readonly Edit[];
  /** The obvious one: what "fix all" and the fix key take. */
  readonly preferred?: boolean;
  /** The only fix but for last resorts, such as a declaration of an unknown name: an editor may make it when it saves the file. */
  readonly unambiguous?: true;
  /** Expectations with `==` that held and do not hold any more, as they are written. */
  readonly breaks?: readonly string[];
  /** Titles of the common engines that run the changed pipeline; absent where the file names its engine, or nothing is simulated. */
  readonly runners?: readonly string[];
  /** Why it is not possible: shown with the title, without edits. */
  readonly refused?: string;
  /** What the simulation of the changed file gives; absent where the change moves no figure. */
  readonly effect?: Effect;
}

/** Whether the changed pipeline leaves less than the margin of `memory/headroom`. */
export const leavesLittle = ({ effect }: Proposal): boolean => effect !== undefined && isTight(effect.after);

/** A proposal that answers a finding. */
export interface Fix extends Proposal {
  readonly finding: Finding;
}

/** What is found so far, best first. Their figures are simulated, but a better one may follow: none is preferred. */
export type FoundSoFar = () => readonly Proposal[];

/** The title as people read it, with who runs what it gives: `Use zb_h1: iteration −18 %, peak unchanged (torchtitan · PyTorch)`. */
export const shownTitle = ({ title, runners }: Proposal): string =>
  runners === undefined ? title : `${title} (${runnerWords(runners)})`;

/** Finds fixes. Pauses between trials, so that a host may look for newer text, or show what is found so far. */
export type FixSteps<P extends Proposal = Proposal> = Generator<FoundSoFar | undefined, readonly P[], void>;

/** Checks another text of the same file, with the same host and options. */
export interface Again {
  (text: string): Analysis;
  /** Checks the text in steps. The answer is there when it is asked for next. */
  readonly ahead?: (text: string) => Generator<undefined, void, void>;
}

/** The same, with pauses where the host can take them. */
export function* checkedAgain(again: Again, text: string): Generator<undefined, Analysis, void> {
  if (again.ahead !== undefined) yield* again.ahead(text);
  return again(text);
}

/** The text after the edits. */
export function apply(text: string, edits: readonly Edit[]): string {
  let rest = 0;
  let out = '';
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    out += text.slice(rest, edit.start) + edit.text;
    rest = edit.end;
  }
  return out + text.slice(rest);
}
