import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import type { ClientAbilities } from '../view.ts';

export interface EditHost {
  readonly abilities: Pick<ClientAbilities, 'versionedEdits' | 'createsFiles'>;
  readonly documents: {
    /** Of an open document; undefined for another file. */
    version(uri: string): number | undefined;
  };
}

/** Edits of several files. With its version, a document that has changed since is not edited. */
export function workspaceEdit(
  files: readonly { readonly uri: string; readonly edits: TextEdit[] }[],
  { abilities, documents }: EditHost,
): WorkspaceEdit {
  if (!abilities.versionedEdits) return { changes: Object.fromEntries(files.map(({ uri, edits }) => [uri, edits])) };
  return {
    documentChanges: files.map(({ uri, edits }) => ({
      textDocument: { uri, version: documents.version(uri) ?? null },
      edits,
    })),
  };
}
