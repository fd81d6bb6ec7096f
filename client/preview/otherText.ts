/** Other texts to compare a file with: as last saved, as last committed. */
import * as vscode from 'vscode';

/** A text, or why there is none. */
export type OtherText = { readonly text: string } | { readonly problem: string };

export async function savedText(uri: vscode.Uri): Promise<OtherText> {
  try {
    return { text: new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)) };
  } catch {
    return { problem: 'The file has not been saved yet.' };
  }
}

/** What is used of the editor's own git extension. */
interface GitRepository {
  show(ref: string, path: string): Promise<string>;
}
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): GitRepository | null };
}

export async function committedText(uri: vscode.Uri): Promise<OtherText> {
  const none = { problem: 'The file is in no git repository that the editor knows.' };
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  try {
    const git = await extension?.activate();
    const repository = git?.getAPI(1).getRepository(uri) ?? null;
    return repository === null ? none : { text: await repository.show('HEAD', uri.fsPath) };
  } catch {
    return extension === undefined ? none : { problem: 'The last commit does not have this file.' };
  }
}
