import {
  CodeActionKind,
  type CancellationToken,
  type CodeAction,
  type CodeActionParams,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { fixableAtOnce, fixAllSteps, safeCodes } from '../../engine/fixes/all.ts';
import { fixSteps, refactorings, type Fix, type Proposal } from '../../engine/fixes/fix.ts';
import type { Code } from '../../engine/findings/catalogue.ts';
import type { Finding } from '../../engine/findings/finding.ts';
import type { Searches } from '../../engine/searches.ts';
import { overlaps, toSpan } from '../convert.ts';
import { neighboursOf } from '../neighbours.ts';
import { trials } from '../trials.ts';
import { rangeIn, type ClientAbilities, type View } from '../view.ts';
import { diagnosticOf } from './diagnostics.ts';

/** Gives what `work` returns when all that it asks is answered; undefined once cancelled or outdated. */
export type Ask = <R>(work: (searches: Searches) => Generator<void, R, void>) => Promise<R | undefined>;

/** Fixes of the findings in the range and refactorings at its start. Each title states the simulated effect. */
export async function codeActions(
  view: View,
  params: CodeActionParams,
  abilities: ClientAbilities,
  docs: string | undefined,
  ask: Ask,
  token: CancellationToken,
): Promise<CodeAction[] | null> {
  const within = toSpan(view.lines, params.range);
  const wanted = (kind: CodeActionKind) =>
    params.context.only?.every((name) => !`${kind}.`.startsWith(`${name}.`)) !== true;
  const actions: CodeAction[] = [];
  const again = trials(view);
  const neighbours = neighboursOf(view);
  const fixAll = (code: Code) => {
    const title = (count: number) => `Fix all ${count} findings of ${code}`;
    return ask((searches) => fixAllSteps(view.analysis, [code], title, again(searches), neighbours));
  };
  if (wanted(CodeActionKind.QuickFix)) {
    for (const found of view.analysis.findings.filter((finding) => overlaps(finding.place, within))) {
      const offered =
        known.get(found) ?? (await ask((searches) => fixSteps(view.analysis, found, again(searches), neighbours)));
      if (offered === undefined || token.isCancellationRequested) return null;
      known.set(found, offered);
      const diagnostics = [diagnosticOf(view, found, docs, abilities)];
      for (const fix of offered)
        actions.push({
          ...action(view, fix, abilities),
          kind: CodeActionKind.QuickFix,
          diagnostics,
          isPreferred: fix.preferred === true,
        });
      const every = offered.length > 0 && fixableAtOnce(found.code) ? await fixAll(found.code) : undefined;
      if (every !== undefined)
        actions.push({ ...action(view, every, abilities), kind: CodeActionKind.QuickFix, diagnostics });
    }
  }
  // Only when an editor asks for it, as it does when it saves a file.
  if (params.context.only !== undefined && wanted(CodeActionKind.SourceFixAll)) {
    const every = await ask((searches) =>
      fixAllSteps(
        view.analysis,
        safeCodes,
        (count) => `Fix all ${count} names, keys and units`,
        again(searches),
        neighbours,
      ),
    );
    if (every !== undefined) actions.push({ ...action(view, every, abilities), kind: CodeActionKind.SourceFixAll });
  }
  if (wanted(CodeActionKind.RefactorRewrite)) {
    const offered = await ask(function* (searches) {
      yield;
      return refactorings(view.analysis, within.start, again(searches));
    });
    for (const fix of offered ?? [])
      actions.push({ ...action(view, fix, abilities), kind: CodeActionKind.RefactorRewrite });
  }
  return actions.length === 0 ? null : actions;
}

/** Findings belong to one analysis, so what was simulated for one is kept as long as it is. */
const known = new WeakMap<Finding, readonly Fix[]>();

function action(view: View, fix: Proposal, abilities: ClientAbilities): CodeAction {
  return { title: fix.title, edit: edit(view, fix, abilities) };
}

function edit(view: View, fix: Proposal, abilities: ClientAbilities): WorkspaceEdit {
  const edits = fix.edits.map((each) => ({ range: rangeIn(view, each), newText: each.text }));
  return abilities.versionedEdits
    ? { documentChanges: [{ textDocument: { uri: view.uri, version: view.version }, edits }] }
    : { changes: { [view.uri]: edits } };
}
