/** Versions of a file that the editor's own git extension knows. No process is started here, and no text of a file names one. */
import * as vscode from 'vscode';

/** What is used of the editor's own git extension. */
interface Commit {
  readonly hash: string;
  readonly message: string;
  readonly authorDate?: Date;
}
interface GitRepository {
  show(ref: string, path: string): Promise<string>;
  log(options: { readonly path: string; readonly maxEntries: number }): Promise<Commit[]>;
}
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): GitRepository | null };
}

/** A text, or why there is none. */
export type OtherText = { readonly text: string } | { readonly problem: string };

const none = 'The file is in no git repository that the editor knows.';

async function repositoryOf(uri: vscode.Uri): Promise<GitRepository | undefined> {
  const git = await vscode.extensions.getExtension<GitExtension>('vscode.git')?.activate();
  return git?.getAPI(1).getRepository(uri) ?? undefined;
}

export async function committedText(uri: vscode.Uri, commit = 'HEAD'): Promise<OtherText> {
  try {
    const repository = await repositoryOf(uri);
    return repository === undefined ? { problem: none } : { text: await repository.show(commit, uri.fsPath) };
  } catch {
    if (vscode.extensions.getExtension('vscode.git') === undefined) return { problem: none };
    return {
      problem:
        commit === 'HEAD' ? 'The last commit does not have this file.' : `Commit ${commit} does not have this file.`,
    };
  }
}

/** The last commits that changed a file, the newest first; none outside a repository. */
export async function commitsOf(uri: vscode.Uri, maxEntries: number): Promise<readonly Commit[]> {
  try {
    return (await (await repositoryOf(uri))?.log({ path: uri.fsPath, maxEntries })) ?? [];
  } catch {
    return [];
  }
}
