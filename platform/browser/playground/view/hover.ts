/** What the server says of the word under the pointer. */
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import type { Range } from '../../../../webview/protocol/requests.ts';
import type { Asks } from './asks.ts';
import { markdown } from './markdown.ts';
import { positionOf, spanOf } from './places.ts';

interface Answer {
  readonly contents: string | { readonly value: string };
  readonly range?: Range;
}

export const hover = (asks: Asks): Extension =>
  hoverTooltip(async (view, pos) => {
    const answer = await asks.at<Answer | null>('textDocument/hover', positionOf(view.state.doc, pos));
    if (answer === undefined || answer === null) return null;
    const { contents, range } = answer;
    const { from, to } = range === undefined ? { from: pos, to: pos } : spanOf(view.state.doc, range);
    return {
      pos: from,
      end: to,
      above: true,
      create() {
        const dom = document.createElement('div');
        dom.className = 'words';
        dom.append(markdown(typeof contents === 'string' ? contents : contents.value));
        return { dom };
      },
    };
  });
