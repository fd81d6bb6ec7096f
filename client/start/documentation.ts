/** *Open Documentation*: the first page of the documentation, rendered. */
import * as vscode from 'vscode';
import { pageOpener, pagesFolder } from '../pages.ts';

export async function openDocumentation(context: vscode.ExtensionContext): Promise<void> {
  await pageOpener(context.extensionUri)(vscode.Uri.parse(`${pagesFolder(context.extension.id)}README.md`));
}
