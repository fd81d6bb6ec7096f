import type * as vscode from 'vscode';
import { policyScheme } from './policyDocuments.ts';

/** A `.pipe` file of the user; not the read-only text of a policy. */
export const pipeDocument = ({ languageId, uri }: vscode.TextDocument): boolean =>
  languageId === 'pipe' && uri.scheme !== policyScheme;
