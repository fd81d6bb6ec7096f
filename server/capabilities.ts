/** What the server tells the client that it can do, and what it reads of the client's own abilities. */
import {
  CodeActionKind,
  TextDocumentSyncKind,
  type ClientCapabilities,
  type ServerCapabilities,
} from 'vscode-languageserver';
import { legend } from './text/colours.ts';
import { virtualScheme } from './text/convert.ts';
import type { PositionEncoding } from '../grammar/index.ts';
import type { InitializationOptions } from '../webview/protocol/requests.ts';
import type { ClientAbilities } from './view.ts';

const capabilities: ServerCapabilities = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
  workspace: {
    workspaceFolders: { supported: true, changeNotifications: true },
    fileOperations: { willRename: { filters: [{ pattern: { glob: '**/*' } }] } },
    textDocumentContent: { schemes: [virtualScheme.slice(0, -1)] },
  },
  hoverProvider: true,
  completionProvider: { triggerCharacters: [' ', '=', '(', ',', '"', '/', ':', '[', '{'], resolveProvider: true },
  signatureHelpProvider: { triggerCharacters: ['(', ','], retriggerCharacters: ['='] },
  definitionProvider: true,
  typeDefinitionProvider: { workDoneProgress: true },
  referencesProvider: { workDoneProgress: true },
  implementationProvider: { workDoneProgress: true },
  workspaceSymbolProvider: { workDoneProgress: true },
  documentHighlightProvider: true,
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  documentFormattingProvider: true,
  documentRangeFormattingProvider: { rangesSupport: true },
  documentOnTypeFormattingProvider: { firstTriggerCharacter: '}', moreTriggerCharacter: ['\n'] },
  linkedEditingRangeProvider: true,
  callHierarchyProvider: true,
  documentLinkProvider: {},
  codeLensProvider: {},
  inlayHintProvider: { resolveProvider: true },
  renameProvider: { prepareProvider: true, workDoneProgress: true },
  codeActionProvider: {
    codeActionKinds: [
      CodeActionKind.QuickFix,
      CodeActionKind.RefactorExtract,
      CodeActionKind.RefactorInline,
      CodeActionKind.RefactorMove,
      CodeActionKind.RefactorRewrite,
      CodeActionKind.SourceFixAll,
    ],
    resolveProvider: true,
  },
  semanticTokensProvider: { legend, full: { delta: true }, range: true },
};

/** What the server says that it can do. Only a client that asks for findings hears that it may. */
export const offered = ({ encoding, pulls }: ClientAbilities): ServerCapabilities => ({
  ...capabilities,
  positionEncoding: encoding,
  ...(pulls
    ? {
        diagnosticProvider: {
          identifier: 'pipewright',
          interFileDependencies: true,
          workspaceDiagnostics: true,
          workDoneProgress: true,
        },
      }
    : {}),
});

const encodings: readonly string[] = ['utf-16', 'utf-8', 'utf-32'] satisfies readonly PositionEncoding[];

/** The first that the client offers, which is the one that it likes best. */
const encodingOf = ({ general }: ClientCapabilities): PositionEncoding =>
  general?.positionEncodings?.find((offered): offered is PositionEncoding => encodings.includes(offered)) ?? 'utf-16';

/** `previews`, `push`: as the client says in its options. */
export const abilitiesOf = (
  client: ClientCapabilities,
  { previews = false, push = false }: Pick<InitializationOptions, 'previews' | 'push'> = {},
): ClientAbilities => ({
  previews,
  pulls: client.textDocument?.diagnostic !== undefined && !push,
  relatedDocuments: client.textDocument?.diagnostic?.relatedDocumentSupport === true,
  snippets: client.textDocument?.completion?.completionItem?.snippetSupport === true,
  labelDetails: client.textDocument?.completion?.completionItem?.labelDetailsSupport === true,
  related: client.textDocument?.publishDiagnostics?.relatedInformation === true,
  links: client.textDocument?.definition?.linkSupport === true,
  codeActions: client.textDocument?.codeAction !== undefined,
  resolvesEdits:
    client.textDocument?.codeAction?.resolveSupport?.properties.includes('edit') === true &&
    client.textDocument.codeAction.dataSupport === true,
  resolvesTips: client.textDocument?.inlayHint?.resolveSupport?.properties.includes('tooltip') === true,
  disabledActions: client.textDocument?.codeAction?.disabledSupport === true,
  documents: client.workspace?.textDocumentContent !== undefined,
  encoding: encodingOf(client),
  versionedEdits: client.workspace?.workspaceEdit?.documentChanges === true,
  createsFiles:
    client.workspace?.workspaceEdit?.documentChanges === true &&
    client.workspace.workspaceEdit.resourceOperations?.includes('create') === true,
});
