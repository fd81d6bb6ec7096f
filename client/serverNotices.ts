import * as vscode from 'vscode';
import type { ServerState } from './serverState.ts';

/** Says once that the language server has stopped for good: without it a file shows no findings, and nothing else would tell why. */
export function createServerNotices(): { readonly show: (state: ServerState) => void } {
  let told = false;
  async function tell(reason: string): Promise<void> {
    const [restart, output] = ['Restart', 'Show Output'];
    const message = `Pipewright's language server has stopped. ${reason} Findings and figures are no longer updated.`;
    const chosen = await vscode.window.showErrorMessage(message, restart, output);
    if (chosen === restart) await vscode.commands.executeCommand('pipewright.restartServer');
    else if (chosen === output) await vscode.commands.executeCommand('pipewright.showOutput');
  }
  return {
    show(state) {
      if (state.kind === 'running') told = false;
      if (state.kind !== 'stopped' || told) return;
      told = true;
      void tell(state.reason);
    },
  };
}
