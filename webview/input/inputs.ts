import type { FromPage } from '../protocol/messages.ts';
import type { pageView } from '../view/page.ts';
import type { presenter } from '../view/presenter.ts';
import { gestures } from './gestures.ts';
import { type KeyboardHost, keyboard } from './keyboard.ts';
import { searching } from './search.ts';
import { selecting } from './selecting.ts';

export interface InputHost {
  readonly timelines: ReturnType<typeof presenter>;
  readonly page: ReturnType<typeof pageView>;
  post(message: FromPage): void;
  /** Another selection, or another timeline to which it belongs. */
  selected(): void;
  toggle: KeyboardHost['toggle'];
}

/** Mouse, keys and search, over one selection. */
export function inputs({ timelines, page, post, selected, toggle }: InputHost) {
  const search = searching({
    timeline: timelines.timeline,
    result: (words) => {
      page.showFound(words);
      timelines.paintOver();
    },
  });
  const selection = selecting({
    timelines,
    tip: page.tip,
    post,
    changed: (next, speak) => {
      selected();
      if (speak && (next?.kind === 'range' || next?.kind === 'device')) page.say(page.selectionText());
    },
    clicked: page.focusTimeline,
  });
  const key = keyboard({
    ...timelines,
    ...selection,
    found: search.found,
    select: (next) => selection.select(next, true),
    reveal: (preserveFocus) => selection.openSource(selection.selection(), preserveFocus),
    focusSearch: page.focusSearch,
    toggle,
  });
  const { sync } = gestures(page.canvas.surface, { ...timelines, ...selection });
  return { search, selection, key, sync };
}
