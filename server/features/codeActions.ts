import {
  CodeActionKind,
  CodeActionTriggerKind,
  type CancellationToken,
  type CodeAction,
  type CodeActionParams,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { fixAllSteps, hasSeveral, safeCodes } from '../../engine/fixes/all.ts';
import { refactorings, type Proposal } from '../../engine/fixes/fix.ts';
import { shownTitle } from '../../engine/fixes/proposal.ts';
import type { Finding } from '../../engine/findings/finding.ts';
import type { Searches } from '../../engine/basics/searches.ts';
import { overlaps, toSpan } from '../text/convert.ts';
import { cancelled } from '../documents/answered.ts';
import { neighboursOf } from '../neighbours.ts';
import type { Fixes } from '../searches/fixTask.ts';
import type { NameIndex } from '../names/fileNames.ts';
import type { QuickFixes } from '../searches/quickFixes.ts';
import { trials } from '../searches/trials.ts';
import { rangeIn, type ClientAbilities, type View } from '../view.ts';
import { calibrations } from './calibrations.ts';
import { diagnosticOf } from './diagnostics.ts';
import { provenRewritings, resolved, rewritingsOf, unresolved } from './rewritings.ts';
import { workspaceEdit } from './workspaceEdit.ts';

/** Gives what `work` returns when all that it asks is answered; undefined once cancelled or outdated. */
export type Ask = <R>(work: (searches: Searches) => Generator<unknown, R, void>) => Promise<R | undefined>;

/** What code actions need beyond a view. */
export interface CodeActionHost {
  readonly abilities: ClientAbilities;
  readonly docs: string | undefined;
  readonly fixes: QuickFixes;
  readonly names: NameIndex;
  readonly ask: Ask;
  /** Milliseconds that a list which a person has opened waits for more fixes. */
  readonly patience?: number;
}

const usualPatience = 60;

/** Some of the actions, which may still be to come. */
interface Part extends Pick<Fixes, 'isDone' | 'isOutdated' | 'done' | 'more'> {
  /** Fixes of findings in the range: what a person most likely opened the list for. */
  readonly ofFindings: boolean;
  actions(): readonly CodeAction[];
}

/**
 * Fixes of the findings in the range and refactorings at its start. Each title states the simulated effect. A list that a person has
 * opened is shown with the fixes that are known: at least one, if the findings have any. All other requests wait for all fixes.
 */
export async function codeActions(
  view: View,
  params: CodeActionParams,
  host: CodeActionHost,
  token: CancellationToken,
): Promise<CodeAction[] | null> {
  const { only, triggerKind } = params.context;
  const parts = partsOf(view, params, host);
  const actions = (): CodeAction[] => parts.flatMap((part) => part.actions());
  const all = Promise.all(parts.map(({ done }) => done));
  const isShown = only === undefined && triggerKind === CodeActionTriggerKind.Invoked;
  await Promise.race([all, cancelled(token), ...(isShown ? [sleep(host.patience ?? usualPatience)] : [])]);
  const ofFindings = parts.filter((part) => part.ofFindings);
  // Refactorings are found first. Where the findings have no fixes, they make the list.
  for (const awaited of isShown ? [ofFindings, parts] : []) {
    while (!token.isCancellationRequested && isEmptySoFar(awaited))
      await Promise.race([...awaited.filter(isOpen).map((part) => part.more()), cancelled(token)]);
    if (awaited.some(hasActions)) break;
  }
  const found = actions();
  return token.isCancellationRequested || found.length === 0 || parts.some((part) => part.isOutdated()) ? null : found;
}

const hasActions = (part: Part): boolean => part.actions().length > 0;
const isOpen = (part: Part): boolean => !part.isDone() && !part.isOutdated();
const isEmptySoFar = (parts: readonly Part[]): boolean => !parts.some(hasActions) && parts.some(isOpen);

function partsOf(view: View, params: CodeActionParams, host: CodeActionHost): Part[] {
  const { abilities, docs, fixes, ask } = host;
  const { analysis } = view;
  const { only } = params.context;
  const within = toSpan(view.lines, params.range);
  const wanted = (kind: CodeActionKind) => only?.every((name) => !`${kind}.`.startsWith(`${name}.`)) !== true;
  const again = trials(view);
  const parts: Part[] = [];
  if (wanted(CodeActionKind.QuickFix)) {
    const findings = analysis.findings.filter((finding) => overlaps(finding.place, within));
    const quick = (of: readonly Finding[], found: Fixes): Part => ({
      ...found,
      ofFindings: true,
      actions: () =>
        found.found().map((fix) => ({
          ...action(view, fix, abilities),
          kind: CodeActionKind.QuickFix,
          diagnostics: of.map((finding) => diagnosticOf(view, finding, docs, abilities)),
          isPreferred: fix.preferred === true,
        })),
    });
    for (const finding of findings) parts.push(quick([finding], fixes.of(view, finding)));
    for (const code of new Set(findings.map((finding) => finding.code))) {
      if (!hasSeveral(analysis, code)) continue;
      const alike = findings.filter((finding) => finding.code === code);
      parts.push(quick(alike, fixes.ofAll(view, code)));
    }
  }
  // Only when an editor asks for it, as it does when it saves a file.
  if (only !== undefined && wanted(CodeActionKind.SourceFixAll)) {
    const title = (fixed: number) => `Fix ${fixed} names, keys and units`;
    const request = { codes: safeCodes, title, unambiguous: true };
    const every = ask((searches) => fixAllSteps(analysis, request, again(searches), neighboursOf(view)));
    parts.push(partOf(every, (fix) => ({ ...action(view, fix, abilities), kind: CodeActionKind.SourceFixAll })));
  }
  if (wanted(CodeActionKind.RefactorRewrite)) {
    const offered = ask(function* (searches) {
      yield;
      return refactorings(analysis, within.start, again(searches)).filter(
        ({ refused }) => refused === undefined || abilities.disabledActions,
      );
    });
    parts.push(partOf(offered, (fix) => ({ ...action(view, fix, abilities), kind: CodeActionKind.RefactorRewrite })));
  }
  parts.push(...rewritingParts(view, params, host, wanted));
  if (abilities.previews)
    parts.push(atOnce(calibrations(view, within.start).filter(({ kind }) => kind !== undefined && wanted(kind))));
  return parts;
}

/** Refactorings that a person asks for: of a selection, by a command or a key. Their edits can wait until one is chosen. */
function rewritingParts(
  view: View,
  params: CodeActionParams,
  { abilities, ask, names }: CodeActionHost,
  wanted: (kind: CodeActionKind) => boolean,
): Part[] {
  const { only, triggerKind } = params.context;
  const { start, end } = params.range;
  const isEmpty = start.line === end.line && start.character === end.character;
  if (isEmpty && only === undefined && triggerKind !== CodeActionTriggerKind.Invoked) return [];
  const found = rewritingsOf(view, params, abilities, wanted);
  if (found.length === 0) return [];
  if (abilities.resolvesEdits) return [atOnce(found.map((each) => unresolved(view, params, each)))];
  const proven = ask((searches) => provenRewritings(view, found, searches, names));
  return [partOf(proven, (each) => resolved(view, each, abilities))];
}

/** Actions that come all at once. */
function partOf<P extends Proposal>(
  asked: Promise<readonly P[] | P | undefined>,
  shown: (proposal: P) => CodeAction,
): Part {
  let found: readonly CodeAction[] | undefined;
  const done = asked.then((proposals = []) => {
    found = (Array.isArray(proposals) ? (proposals as readonly P[]) : [proposals as P]).map(shown);
  });
  return {
    ofFindings: false,
    actions: () => found ?? [],
    isDone: () => found !== undefined,
    isOutdated: () => false,
    done,
    more: () => done,
  };
}

/** Actions that are known without any work. */
const atOnce = (actions: readonly CodeAction[]): Part => ({
  ofFindings: false,
  actions: () => actions,
  isDone: () => true,
  isOutdated: () => false,
  done: Promise.resolve(),
  more: () => Promise.resolve(),
});

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

function action(view: View, fix: Proposal, abilities: ClientAbilities): CodeAction {
  if (fix.refused !== undefined) return { title: fix.title, disabled: { reason: fix.refused } };
  return { title: shownTitle(fix), edit: edit(view, fix, abilities) };
}

function edit(view: View, fix: Proposal, abilities: ClientAbilities): WorkspaceEdit {
  const edits = fix.edits.map((each) => ({ range: rangeIn(view, each), newText: each.text }));
  return workspaceEdit([{ uri: view.uri, edits }], { abilities, documents: { version: () => view.version } });
}
