import type { FromPage } from '../protocol/messages.ts';
import { deviceOf } from '../picture/blocks.ts';
import type { pageView } from '../view/page.ts';
import type { presenter } from '../view/presenter.ts';
import { type Pointed, selectedDevice } from '../session/selection.ts';
import type { Theme } from '../view/scene/theme.ts';
import { explaining } from './explaining.ts';
import { gestures } from './gestures.ts';
import { type KeyboardHost, keyboard } from './keyboard.ts';
import { rowMoves } from './rowMoves.ts';
import { searching } from './search.ts';
import { selecting } from './selecting.ts';

export interface InputHost {
  readonly timelines: ReturnType<typeof presenter>;
  readonly page: ReturnType<typeof pageView>;
  /** The page is a file: nobody could write. */
  readonly alone: boolean;
  post(message: FromPage): void;
  /** What the pointer is at. */
  pointed(at: Pointed | undefined): void;
  /** Another selection, or another timeline to which it belongs. */
  selected(): void;
  theme(): Theme;
  toggle: KeyboardHost['toggle'];
  colourBy: KeyboardHost['colourBy'];
  play: KeyboardHost['play'];
  leavePlay: KeyboardHost['leavePlay'];
}

/** Mouse, keys and search, over one selection. */
export function inputs(host: InputHost) {
  const { timelines, page, alone, post, pointed, selected, theme, toggle, colourBy, play, leavePlay } = host;
  const search = searching({
    timeline: timelines.timeline,
    focus: () => selection.focus(),
    result: (result) => {
      page.toolbar.showFound(result);
      timelines.paintOver();
    },
    reveal: (block) => selection.reveal(block),
    select: (block) => selection.select({ kind: 'block', block }, true),
  });
  const selection: ReturnType<typeof selecting> = selecting({
    timelines,
    tip: page.tip,
    post,
    pointed,
    changed: (next, speak) => {
      if (next?.kind === 'block') search.at(next.block);
      selected();
      if (speak && (next?.kind === 'range' || next?.kind === 'device')) page.say(page.selectionText());
    },
    turnGroup: (group) => page.say(timelines.turnGroup(group.from)),
    clicked: page.focusTimeline,
    peak: (device) => why.peak(device),
  });
  const why = explaining({
    timelines,
    page,
    post,
    theme,
    selection: () => selection.selection(),
    select: (next) => selection.select(next, true),
  });
  /** Whether there was a search to leave. */
  function leaveSearch(): boolean {
    if (!search.isOn()) return false;
    search.clear();
    page.toolbar.clearSearch();
    page.focusTimeline();
    return true;
  }
  /** Searches for a microbatch from the selected block on: the rest fades, and N goes along. */
  function follow(microbatch: number): void {
    const query = `mb:${microbatch}`;
    page.toolbar.showSearch(query);
    search.search(query);
    page.focusTimeline();
  }
  function turnGroup(all: boolean): void {
    const timeline = timelines.timeline();
    if (timeline === undefined || timeline.picture.columns.word.length === 0) return;
    const chosen = selectedDevice(selection.selection(), (block) => deviceOf(timeline.picture, block));
    const said = timelines.turnGroup(chosen >= 0 ? chosen : deviceOf(timeline.picture, selection.focus()), all);
    if (said !== '') page.say(said);
  }

  const rows = rowMoves({
    ...timelines,
    selection: selection.selection,
    blockAt: selection.blockAt,
    post,
    notice: page.rowNotice,
    say: page.say,
  });
  const key = keyboard({
    ...timelines,
    ...selection,
    step: search.step,
    why: why.why,
    peak: () => why.peak(),
    bubble: why.bubble,
    group: turnGroup,
    leaveSearch,
    leaveSide: page.side.back,
    select: (next) => selection.select(next, true),
    reveal: (preserveFocus) => selection.openSource(selection.selection(), preserveFocus, true),
    card: page.card,
    focusSearch: page.toolbar.focusSearch,
    toggle,
    colourBy,
    play,
    leavePlay,
    shift: alone ? () => false : rows.shift,
    leaveRow: rows.back,
  });
  const { sync } = gestures(page.canvas.surface, {
    ...timelines,
    ...selection,
    grab: alone ? () => undefined : rows.grab,
  });
  return { search: { ...search, leave: leaveSearch }, turnGroup, selection, why, rows, follow, key, sync };
}
