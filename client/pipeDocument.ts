import type * as vscode from 'vscode';

/** Scheme of read-only documents of the server: "go to definition" on `1f1b` leads to `pipewright-policy:/std/schedules/1f1b.pipe`. */
export const policyScheme = 'pipewright-policy';

/** A `.pipe` file of the user; not the read-only text of a policy. */
export const pipeDocument = ({ languageId, uri }: vscode.TextDocument): boolean =>
  languageId === 'pipe' && uri.scheme !== policyScheme;
