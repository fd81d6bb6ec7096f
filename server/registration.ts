/** One line a feature: what the protocol asks, and the function that answers. */
import type { Session } from './session.ts';
import type { CancellationToken, CodeLensParams, CompletionItem } from 'vscode-languageserver';
import { type Ask, codeActions } from './features/codeActions.ts';
import { codeLenses } from './features/codeLens.ts';
import { completion, resolveCompletion } from './features/completion.ts';
import { definition } from './features/definition.ts';
import { documentHighlight } from './features/documentHighlight.ts';
import { documentLinks } from './features/documentLinks.ts';
import { documentSymbols } from './features/documentSymbols.ts';
import { folding } from './features/folding.ts';
import { formatting, rangeFormatting } from './features/formatting.ts';
import { hover } from './features/hover.ts';
import { inlayHints } from './features/inlayHints.ts';
import { references } from './features/references.ts';
import { prepareRename, rename } from './features/rename.ts';
import { selectionRanges } from './features/selectionRange.ts';
import { semanticTokens } from './features/semanticTokens.ts';
import { signatureHelp } from './features/signatureHelp.ts';
import type { Searches } from '../engine/basics/searches.ts';
import type { Need } from './documents/need.ts';
import { handler, type Handler } from './handlers.ts';
import type { NameIndex } from './names/fileNames.ts';
import type { SyntaxView, View } from './view.ts';

interface Asked {
  readonly textDocument: { readonly uri: string };
}

export function registerFeatures(session: Session): void {
  const { connection, documents, log } = session;

  /** Answers from the tree of the newest text, at once. */
  const fromText = <P extends Asked, R>(
    name: string,
    answer: (view: SyntaxView, params: P) => R | null,
  ): Handler<P, R> =>
    handler(log, name, (params: P) => {
      const view = documents.syntax(params.textDocument.uri);
      return view === undefined ? null : answer(view, params);
    });
  /** Answers from the analysis of the newest text, once it has what is needed. */
  const fromAnalysis = <P extends Asked, R>(
    name: string,
    need: Need,
    answer: (view: View, params: P, token: CancellationToken) => R | null | Promise<R | null>,
  ): Handler<P, R> =>
    handler(log, name, async (params: P, token) => {
      const view = await documents.view(params.textDocument.uri, need, token);
      return view === undefined ? null : answer(view, params, token);
    });

  /** The same for what looks into other files: it pauses for other requests. */
  const inSteps = <P extends Asked, R>(
    name: string,
    answer: (view: View, params: P, index: NameIndex) => Generator<void, R | null, void>,
  ): Handler<P, R> =>
    fromAnalysis(name, 'names', async (view, params: P, token) => {
      const steps = () => answer(view, params, session.names);
      return (await documents.answeredInSteps(view.uri, steps, token)) ?? null;
    });

  /** The same for what an editor asks only of documents that it shows. */
  const shown =
    <P extends Asked, R>(handle: Handler<P, R>): Handler<P, R> =>
    (params, token) => {
      session.configuration.shown.asked(params.textDocument.uri);
      return handle(params, token);
    };

  connection.onDocumentSymbol(fromText('symbols', documentSymbols));
  connection.onFoldingRanges(fromText('folding', folding));
  connection.onSelectionRanges(fromText('selection', selectionRanges));
  connection.onDocumentFormatting(fromText('formatting', formatting));
  connection.onDocumentRangeFormatting(fromText('range formatting', rangeFormatting));

  connection.onHover(
    fromAnalysis('hover', 'soon', async (view, params, token) => {
      const answer = (searches: Searches) => hover(view, params, session, searches);
      return (await documents.answered(view.uri, answer, token)) ?? null;
    }),
  );
  connection.onCompletion(fromAnalysis('completion', 'names', (view, params) => completion(view, params, session)));
  connection.onCompletionResolve(async (item, token) => {
    const resolve = handler(log, 'resolve completion', (asked: CompletionItem) =>
      resolveCompletion(asked, session.choices, token),
    );
    return (await resolve(item, token)) ?? item;
  });
  connection.onSignatureHelp(fromAnalysis('signature', 'names', signatureHelp));
  connection.onDefinition(
    fromAnalysis('definition', 'names', (view, params) => definition(view, params, session.abilities)),
  );
  connection.onReferences(inSteps('references', references));
  connection.onDocumentHighlight(fromAnalysis('highlight', 'names', documentHighlight));
  connection.onDocumentLinks(fromAnalysis('links', 'names', documentLinks));
  connection.onPrepareRename(fromAnalysis('prepare rename', 'names', prepareRename));
  connection.onRenameRequest(inSteps('rename', rename));
  connection.onCodeAction(
    fromAnalysis('actions', 'tests', (view, params, token) => {
      const ask: Ask = (work) => documents.answeredInSteps(view.uri, work, token);
      const { abilities, docs, fixes } = session;
      return codeActions(view, params, { abilities, docs, fixes, ask }, token);
    }),
  );
  const lenses = (need: Need) =>
    fromAnalysis('lenses', need, (view) => session.lenses.with(view, codeLenses(view, session.abilities)));
  const [whole, early] = [lenses('figures'), lenses('soon')];
  // Not held until a long search ends: as long as VS Code has waited, so long it waits before it asks again, for other files too.
  connection.onCodeLens(
    shown((params: CodeLensParams, token) => (session.configuration.refreshes ? early : whole)(params, token)),
  );
  connection.languages.inlayHint.on(shown(fromAnalysis('hints', 'figures', inlayHints)));
  connection.languages.semanticTokens.on(fromAnalysis('tokens', 'names', (view) => semanticTokens(view)));
  connection.languages.semanticTokens.onRange(
    fromAnalysis('tokens', 'names', (view, params) => semanticTokens(view, params.range)),
  );
}
