/** One line a feature: what the protocol asks, and the function that answers. */
import type { CancellationToken } from 'vscode-languageserver';
import { codeActions } from './features/codeActions.ts';
import { codeLenses } from './features/codeLens.ts';
import { completion } from './features/completion.ts';
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
import { handler, type Handler } from './handlers.ts';
import type { Session } from './server.ts';
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
  /** Answers from the analysis of the newest text, once there is one. */
  const fromAnalysis = <P extends Asked, R>(
    name: string,
    answer: (view: View, params: P, token: CancellationToken) => R | null | Promise<R | null>,
  ): Handler<P, R> =>
    handler(log, name, async (params: P, token) => {
      const view = await documents.view(params.textDocument.uri, token);
      return view === undefined ? null : answer(view, params, token);
    });

  connection.onDocumentSymbol(fromText('symbols', documentSymbols));
  connection.onFoldingRanges(fromText('folding', folding));
  connection.onSelectionRanges(fromText('selection', selectionRanges));
  connection.onDocumentFormatting(fromText('formatting', formatting));
  connection.onDocumentRangeFormatting(fromText('range formatting', rangeFormatting));

  connection.onHover(fromAnalysis('hover', (view, params) => hover(view, params, session.docs)));
  connection.onCompletion(fromAnalysis('completion', (view, params) => completion(view, params, session.abilities)));
  connection.onSignatureHelp(fromAnalysis('signature', signatureHelp));
  connection.onDefinition(fromAnalysis('definition', (view, params) => definition(view, params, session.abilities)));
  connection.onReferences(fromAnalysis('references', references));
  connection.onDocumentHighlight(fromAnalysis('highlight', documentHighlight));
  connection.onDocumentLinks(fromAnalysis('links', documentLinks));
  connection.onPrepareRename(fromAnalysis('prepare rename', prepareRename));
  connection.onRenameRequest(fromAnalysis('rename', rename));
  connection.onCodeAction(
    fromAnalysis('actions', (view, params, token) => codeActions(view, params, session.abilities, session.docs, token)),
  );
  connection.onCodeLens(fromAnalysis('lenses', codeLenses));
  connection.languages.inlayHint.on(fromAnalysis('hints', inlayHints));
  connection.languages.semanticTokens.on(fromAnalysis('tokens', (view) => semanticTokens(view)));
  connection.languages.semanticTokens.onRange(
    fromAnalysis('tokens', (view, params) => semanticTokens(view, params.range)),
  );
}
