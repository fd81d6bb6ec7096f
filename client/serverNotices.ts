import * as vscode from 'vscode';
import type { ServerState } from './serverState.ts';

export interface ServerNotices extends vscode.Disposable {
  readonly show: (state: ServerState) => void;
}

/**
 * Says that the language server has stopped for good, for as long as it has: without it a file shows no findings, and nothing else
 * would say why. A progress notification is the only kind that an extension can take away again, so links are its buttons.
 */
export function createServerNotices(): ServerNotices {
  let takeAway: (() => void) | undefined;

  function tell(reason: string): void {
    const links = '[Restart](command:pipewright.restartServer) · [Show Output](command:pipewright.showOutput)';
    const title = `Pipewright's language server has stopped. ${reason} Findings and figures are no longer updated. ${links}`;
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, dismissed) =>
        new Promise<void>((resolve) => {
          takeAway = resolve;
          dismissed.onCancellationRequested(() => resolve());
          // Nothing is under way: the bar is full instead of running.
          progress.report({ increment: 100 });
        }),
    );
  }

  function answer(): void {
    takeAway?.();
    takeAway = undefined;
  }

  return {
    show(state) {
      if (state.kind !== 'stopped') answer();
      else if (takeAway === undefined) tell(state.reason);
    },
    dispose: answer,
  };
}
