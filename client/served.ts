import * as vscode from 'vscode';
import { isServed } from './documentUris.ts';

/** Whether the language server is asked about documents of the scheme in this editor. */
export const isServedHere = (scheme: string): boolean =>
  isServed(scheme, (files) => vscode.workspace.fs.isWritableFileSystem(files) !== undefined);
