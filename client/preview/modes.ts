/** How previews and texts follow each other. The reader switches each direction in the settings or in the preview's menu. */
import * as vscode from 'vscode';

export interface SyncModes {
  /** Moving the cursor outlines what comes from its line. */
  readonly outlineAtCursor: boolean;
  /** A click on a block moves the cursor to its line. */
  readonly revealOnClick: boolean;
}

const section = 'pipewright.preview';

/** What is being written holds at once: the click after a switch comes before the editor has kept it. */
const beingWritten = new Map<keyof SyncModes, boolean>();

export function syncModes(): SyncModes {
  const settings = vscode.workspace.getConfiguration(section);
  const modeOf = (name: keyof SyncModes): boolean => beingWritten.get(name) ?? settings.get<boolean>(name, true);
  return { outlineAtCursor: modeOf('outlineAtCursor'), revealOnClick: modeOf('revealOnClick') };
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
    beingWritten.set(name, value);
    try {
      await settings.update(name, value, target);
    } finally {
      if (beingWritten.get(name) === value) beingWritten.delete(name);
    }
  }
}

export const onSyncModes = (changed: () => void): vscode.Disposable =>
  vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) changed();
  });
