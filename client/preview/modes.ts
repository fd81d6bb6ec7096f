/** How previews and texts follow each other. The reader switches each direction in the settings or in the preview's menu. */
import * as vscode from 'vscode';

export interface SyncModes {
  /** Moving the cursor outlines what comes from its line. */
  readonly outlineAtCursor: boolean;
  /** A click on a block moves the cursor to its line. */
  readonly revealOnClick: boolean;
}

const section = 'pipewright.preview';

export function syncModes(): SyncModes {
  const settings = vscode.workspace.getConfiguration(section);
  return {
    outlineAtCursor: settings.get<boolean>('outlineAtCursor', true),
    revealOnClick: settings.get<boolean>('revealOnClick', true),
  };
}

/** Writes what differs: to the workspace if it is set there, otherwise to the user's settings. */
export async function setSyncModes(wanted: Partial<SyncModes>): Promise<void> {
  const settings = vscode.workspace.getConfiguration(section);
  const now = syncModes();
  for (const name of ['outlineAtCursor', 'revealOnClick'] as const) {
    const value = wanted[name];
    if (value === undefined || value === now[name]) continue;
    const set = settings.inspect(name);
    const target =
      set?.workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
    await settings.update(name, value, target);
  }
}

export const onSyncModes = (changed: () => void): vscode.Disposable =>
  vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) changed();
  });
