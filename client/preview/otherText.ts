/** Another text to compare a file with: as last saved. */
import * as vscode from 'vscode';
import type { OtherText } from './git.ts';

export async function savedText(uri: vscode.Uri): Promise<OtherText> {
  try {
    return { text: new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)) };
  } catch {
    return { problem: 'The file has not been saved yet.' };
  }
}
