/** The blocks that the text at the cursor writes. A newer place of the cursor cancels the question about the last one. */
import * as vscode from 'vscode';
import { methods, type BlocksAnswer, type BlocksRequest, type PathGroup } from '../../webview/protocol/requests.ts';
import type { PreviewContext } from './context.ts';

export interface CursorBlocks {
  moved(groups: readonly PathGroup[], at: vscode.Position): void;
  /** The plan has changed: other blocks may come from the same text. */
  again(): void;
  /** Nothing is outlined for a cursor any more. */
  forget(): void;
}

export function cursorBlocks({ requests, uri, overrides, post }: PreviewContext): CursorBlocks {
  let cursor: { readonly groups: readonly PathGroup[]; readonly at: vscode.Position } | undefined;
  let asking: vscode.CancellationTokenSource | undefined;

  async function ask(): Promise<void> {
    asking?.cancel();
    const [file, place] = [uri(), cursor];
    if (file === undefined || place === undefined) return;
    const mine = new vscode.CancellationTokenSource();
    asking = mine;
    const { line, character } = place.at;
    const asked: BlocksRequest = { uri: file.toString(), overrides: overrides(), position: { line, character } };
    const blocks = await requests.send<BlocksAnswer | null>(methods.blocksAt, asked, mine.token);
    mine.dispose();
    if (asking !== mine) return;
    asking = undefined;
    post({ type: 'highlight', groups: place.groups, ...(blocks ? { blocks } : {}) });
  }

  return {
    moved(groups, at) {
      cursor = { groups, at };
      void ask();
    },
    again: () => void ask(),
    forget() {
      cursor = undefined;
      asking?.cancel();
      asking = undefined;
    },
  };
}
