/** What the server tells the client that it can do, and what it reads of the client's own abilities. */
import {
  CodeActionKind,
  TextDocumentSyncKind,
  type ClientCapabilities,
  type ServerCapabilities,
} from 'vscode-languageserver';
import { legend } from './text/colours.ts';
import type { ClientAbilities } from './view.ts';

export const capabilities: ServerCapabilities = {
  positionEncoding: 'utf-16',
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  hoverProvider: true,
  completionProvider: { triggerCharacters: [' ', '=', '(', ',', '"', '/', ':', '[', '{'], resolveProvider: true },
  signatureHelpProvider: { triggerCharacters: ['(', ','], retriggerCharacters: ['='] },
  definitionProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  documentFormattingProvider: true,
  documentRangeFormattingProvider: true,
  documentLinkProvider: {},
  codeLensProvider: {},
  inlayHintProvider: true,
  renameProvider: { prepareProvider: true },
  codeActionProvider: {
    codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.RefactorRewrite, CodeActionKind.SourceFixAll],
  },
  semanticTokensProvider: { legend, full: true, range: true },
};

/** `previews`: as the client says in its options. */
export const abilitiesOf = (client: ClientCapabilities, previews = false): ClientAbilities => ({
  previews,
  snippets: client.textDocument?.completion?.completionItem?.snippetSupport === true,
  labelDetails: client.textDocument?.completion?.completionItem?.labelDetailsSupport === true,
  related: client.textDocument?.publishDiagnostics?.relatedInformation === true,
  links: client.textDocument?.definition?.linkSupport === true,
  codeActions: client.textDocument?.codeAction !== undefined,
  versionedEdits: client.workspace?.workspaceEdit?.documentChanges === true,
});
