/** An open document: its newest text, and what is known of it. */
import type { CancellationToken } from 'vscode-languageserver';
import type { EngineOptions } from '../../engine/basics/host.ts';
import type { Analysis, CheckStep } from '../../engine/flow/check.ts';
import { parse, type SyntaxFile } from '../../grammar/index.ts';
import type { Round } from '../threads/answers.ts';
import type { Files, SyntaxView, View } from '../view.ts';
import { type Need, satisfies } from './need.ts';

export interface OpenDocument {
  readonly uri: string;
  text: string;
  version: number;
  /** When the text was set, and before that; milliseconds. */
  setAt: number;
  /** Number of texts and rechecks so far. `done` is the revision of the last completed check, `viewed` the revision of `view`. */
  revision: number;
  /** How many of them were not because of a new text. */
  surroundings: number;
  done: number;
  viewed: number;
  edited: boolean;
  syntax?: SyntaxView;
  /** The tree of an earlier text. */
  tree?: SyntaxFile;
  view?: View;
  /** A view with a whole plan and nothing simulated. */
  planned?: { readonly revision: number; readonly view: View };
  /** What the last check left for the next. */
  earlier?: Analysis;
  check?: Check;
  /** Not to be checked before. */
  notBefore: number;
  /** When it was edited or a request named it last. */
  askedAt: number;
  waiting: (() => void)[];
}

/** A check that has begun. */
export interface Check {
  readonly revision: number;
  readonly options: EngineOptions;
  readonly round: Round;
  readonly steps: Generator<CheckStep, Analysis, void>;
  /** It has waited for answers for long enough to say so. */
  late: boolean;
  /** Everything but the tests of schedules has been given out. */
  figured: boolean;
  /** A plan that the host does not know of, and when it was made: milliseconds. */
  unannounced?: { readonly view: View; readonly since: number };
}

export const openedDocument = (uri: string, version: number, text: string): OpenDocument => ({
  uri,
  text,
  version,
  setAt: -Infinity,
  revision: 0,
  surroundings: 0,
  done: 0,
  viewed: 0,
  edited: true,
  notBefore: 0,
  askedAt: 0,
  waiting: [],
});

/** What is around a document. */
interface Surroundings {
  readonly files: Pick<Files, 'linesIn'>;
  options(): EngineOptions;
}

/** The tree of the newest text. It is read once. */
export function syntaxOf(document: OpenDocument, { options, files }: Surroundings): SyntaxView {
  if (document.syntax !== undefined) return document.syntax;
  const { uri, version, text } = document;
  const { limits } = options();
  const syntax = parse(text, { size: limits.fileSize, faults: limits.findings }, document.tree);
  document.tree = syntax;
  document.syntax = { uri, version, syntax, lines: files.linesIn(text) };
  return document.syntax;
}

/** The view of the newest text, if it has what is needed: a box, as there may be none where checking failed. */
export function knownView(document: OpenDocument, need: Need): { readonly view: View | undefined } | undefined {
  const { revision, done, view, viewed, planned, check } = document;
  if (done === revision) return { view };
  if (need === 'plan' && planned?.revision === revision) return { view: planned.view };
  if (viewed === revision && view !== undefined && satisfies(view.analysis, need, check?.late === true))
    return { view };
  return undefined;
}

/** Tells whoever waits that more is known. */
export function wake(document: OpenDocument): void {
  const { waiting } = document;
  document.waiting = [];
  for (const resume of waiting) resume();
}

/** Settled when more is known, or when nobody wants to know. */
export function changed(document: OpenDocument, token: CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    const cancelled = token.onCancellationRequested(() => resolve());
    document.waiting.push(() => {
      cancelled.dispose();
      resolve();
    });
  });
}
