/** One line a feature: what the protocol asks, and the function that answers. */
import type { Session } from './session.ts';
import {
  type CancellationToken,
  type CodeLensParams,
  type CompletionItem,
  type InlayHintParams,
  type RenameFilesParams,
  type RenameParams,
  type CallHierarchyItem,
  type SemanticTokensDeltaParams,
  WillRenameFilesRequest,
  type WorkspaceSymbolParams,
} from 'vscode-languageserver';
import { type Ask, codeActions } from './features/codeActions.ts';
import { fileOf, incomingCalls, outgoingCalls, prepareCallHierarchy } from './features/callHierarchy.ts';
import { codeLenses } from './features/codeLens.ts';
import { completion, resolveCompletion } from './features/completion.ts';
import { definition } from './features/definition.ts';
import { documentHighlight } from './features/documentHighlight.ts';
import { documentLinks } from './features/documentLinks.ts';
import { documentSymbols } from './features/documentSymbols.ts';
import { folding } from './features/folding.ts';
import { formatting, onTypeFormatting, rangeFormatting, rangesFormatting } from './features/formatting.ts';
import { hover } from './features/hover.ts';
import { implementation } from './features/implementation.ts';
import { inlayHints, resolveInlayHint } from './features/inlayHints.ts';
import { linkedEditing } from './features/linkedEditing.ts';
import { references } from './features/references.ts';
import { prepareRename, rename } from './features/rename.ts';
import { renameFiles } from './features/renameFiles.ts';
import { resolveRewriting, type Unresolved } from './features/rewritings.ts';
import { selectionRanges } from './features/selectionRange.ts';
import { semanticTokens } from './features/semanticTokens.ts';
import { signatureHelp } from './features/signatureHelp.ts';
import { typeDefinition } from './features/typeDefinition.ts';
import { type DeclaredNames, workspaceSymbols } from './features/workspaceSymbols.ts';
import type { Searches } from '../engine/basics/searches.ts';
import { inSlices } from './documents/answered.ts';
import type { Need } from './documents/need.ts';
import { handler, type Handler } from './handlers.ts';
import { virtualText } from './text/virtualDocuments.ts';
import type { LongRequests } from './longRequests.ts';
import { registerFindings } from './registerFindings.ts';
import type { NameIndex } from './names/fileNames.ts';
import type { SyntaxView, View } from './view.ts';

interface Asked {
  readonly textDocument: { readonly uri: string };
}

export function registerFeatures(session: Session, long: LongRequests): void {
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
    long(
      name,
      fromAnalysis(name, 'names', async (view, params: P, token) => {
        const steps = () => answer(view, params, session.names);
        return (await documents.answeredInSteps(view.uri, steps, token)) ?? null;
      }),
    );

  /** Answers from the files of the workspace, whatever is open. It pauses for other requests. */
  const acrossFiles = <P extends object, R>(
    name: string,
    answer: (params: P) => Generator<void, R | null, void>,
  ): Handler<P, R> =>
    long(
      name,
      handler(log, name, async (params: P, token) => {
        const found = await inSlices(answer(params), () => token.isCancellationRequested);
        return found?.value ?? null;
      }),
    );

  /** The same for what an editor asks only of documents that it shows. */
  const shown =
    <P extends Asked, R>(handle: Handler<P, R>): Handler<P, R> =>
    (params, token) => {
      session.configuration.shown.asked(params.textDocument.uri);
      return handle(params, token);
    };

  registerFindings(session, long);
  connection.onDocumentSymbol(fromText('symbols', documentSymbols));
  connection.onFoldingRanges(fromText('folding', folding));
  connection.onSelectionRanges(fromText('selection', selectionRanges));
  connection.onDocumentFormatting(fromText('formatting', formatting));
  connection.onDocumentRangeFormatting(fromText('range formatting', rangeFormatting));
  connection.onDocumentRangesFormatting(fromText('ranges formatting', rangesFormatting));
  connection.onDocumentOnTypeFormatting(fromText('on-type formatting', onTypeFormatting));

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
  connection.onDefinition(fromAnalysis('definition', 'names', (view, params) => definition(view, params, session)));
  connection.workspace.textDocumentContent.on(
    handler(log, 'content', ({ uri }) => ({ text: virtualText(uri) ?? `// There is nothing at ${uri}.\n` })),
  );
  connection.onReferences(inSteps('references', references));
  connection.onImplementation(inSteps('implementation', implementation));
  connection.onTypeDefinition(inSteps('type definition', (view, params) => typeDefinition(view, params, session)));
  connection.languages.onLinkedEditingRange(inSteps('linked editing', linkedEditing));
  connection.languages.callHierarchy.onPrepare(
    fromAnalysis('call hierarchy', 'figures', (view, params) => prepareCallHierarchy(view, params, session)),
  );
  const calls = <R>(name: string, answer: (view: View, item: CallHierarchyItem, addresses: Session) => R | null) => {
    const asked = fromAnalysis(name, 'figures', (view, { item }: Asked & { readonly item: CallHierarchyItem }) =>
      answer(view, item, session),
    );
    return ({ item }: { readonly item: CallHierarchyItem }, token: CancellationToken) =>
      asked({ item, textDocument: { uri: fileOf(item) ?? '' } }, token);
  };
  connection.languages.callHierarchy.onOutgoingCalls(calls('outgoing calls', outgoingCalls));
  connection.languages.callHierarchy.onIncomingCalls(calls('incoming calls', incomingCalls));
  const declared: DeclaredNames = { known: new Map() };
  connection.onWorkspaceSymbol(
    acrossFiles('workspace symbols', ({ query }: WorkspaceSymbolParams) =>
      workspaceSymbols(session.files, query, declared),
    ),
  );
  connection.onRequest(
    WillRenameFilesRequest.type,
    acrossFiles('moved files', (params: RenameFilesParams) => renameFiles(session.files, params.files, session)),
  );
  connection.onDocumentHighlight(fromAnalysis('highlight', 'names', documentHighlight));
  connection.onDocumentLinks(fromAnalysis('links', 'names', (view) => documentLinks(view, session)));
  connection.onPrepareRename(fromAnalysis('prepare rename', 'names', prepareRename));
  connection.onRenameRequest(
    inSteps('rename', (view, params: RenameParams, index) => rename(view, params, index, session)),
  );
  registerActions(session, fromAnalysis);
  const lenses = (need: Need) =>
    fromAnalysis('lenses', need, (view) => session.lenses.with(view, codeLenses(view, session.abilities)));
  const [whole, early] = [lenses('figures'), lenses('soon')];
  // Not held until a long search ends: as long as VS Code has waited, so long it waits before it asks again, for other files too.
  connection.onCodeLens(
    shown((params: CodeLensParams, token) => (session.configuration.refreshes ? early : whole)(params, token)),
  );
  connection.languages.inlayHint.on(
    shown(
      fromAnalysis('hints', 'figures', (view, params: InlayHintParams) => inlayHints(view, params, session.abilities)),
    ),
  );
  connection.languages.inlayHint.resolve(async (hint, token) => {
    const { uri } = (hint.data ?? {}) as { readonly uri?: string };
    if (typeof uri !== 'string') return hint;
    const resolve = fromAnalysis('resolve hint', 'figures', (view) => resolveInlayHint(view, hint));
    return (await resolve({ textDocument: { uri } }, token)) ?? hint;
  });
  connection.languages.semanticTokens.on(
    fromAnalysis('tokens', 'names', (view) => session.tokens.whole(view.uri, semanticTokens(view))),
  );
  connection.languages.semanticTokens.onDelta(
    fromAnalysis('changed tokens', 'names', (view, { previousResultId }: SemanticTokensDeltaParams) =>
      session.tokens.since(view.uri, previousResultId, semanticTokens(view)),
    ),
  );
  connection.languages.semanticTokens.onRange(
    fromAnalysis('tokens', 'names', (view, params) => semanticTokens(view, params.range)),
  );
}

/** Answers from the analysis of the newest text, once it has what is needed. */
type FromAnalysis = <P extends Asked, R>(
  name: string,
  need: Need,
  answer: (view: View, params: P, token: CancellationToken) => R | null | Promise<R | null>,
) => Handler<P, R>;

function registerActions(session: Session, fromAnalysis: FromAnalysis): void {
  const { connection, documents } = session;
  connection.onCodeAction(
    fromAnalysis('actions', 'tests', (view, params, token) => {
      const ask: Ask = (work) => documents.answeredInSteps(view.uri, work, token);
      const { abilities, docs, fixes, names } = session;
      return codeActions(view, params, { abilities, docs, fixes, names, ask }, token);
    }),
  );
  connection.onCodeActionResolve(async (action, token) => {
    const asked = action.data as Unresolved | undefined;
    if (asked === undefined) return action;
    const resolve = fromAnalysis('resolve action', 'tests', async (view) => {
      const steps = (searches: Searches) => resolveRewriting(view, asked, searches, session);
      return (await documents.answeredInSteps(view.uri, steps, token)) ?? null;
    });
    return (await resolve({ textDocument: { uri: asked.uri } }, token)) ?? action;
  });
}
