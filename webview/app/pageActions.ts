import { closePopover } from '../controls/popover.ts';
import type { PageActions } from '../view/page.ts';
import { copyLink } from './copyLink.ts';
import { exportShown } from './exportShown.ts';
import type { Parts } from './parts.ts';

/** What the controls of the page do. */
export function pageActions(parts: Parts): PageActions {
  const { editor, file, charts, update } = parts;
  return {
    toolbar: toolbarActions(parts),
    params: {
      turn: file.turn,
      turnAll: file.turnAll,
      moveSlot: (number, move) => editor.post({ type: 'moveSlot', request: number, ...move }),
      endMove: (number, write) => editor.post({ type: 'endMove', request: number, write }),
      reset: file.reset,
      apply: (name, value) => editor.post({ type: 'apply', name, value }),
      chart: charts.open,
      closeChart: charts.close,
    },
    table: {
      block(block) {
        const { selection } = parts.input;
        selection.select({ kind: 'block', block }, true);
        selection.openSource(selection.selection(), true);
      },
      device: (device) => parts.input.selection.select({ kind: 'device', device }, false),
      nothing: () => parts.input.selection.select(undefined, false),
    },
    openJob: (name) => parts.workers.open(name),
    ...(editor.alone ? {} : { findOrder: () => parts.searching.open() }),
    detail: {
      why: () => parts.input.why.why(),
      follow: (microbatch) => parts.input.follow(microbatch),
      faster: () => parts.faster.ask(parts.input.selection.selection()),
      source: () => parts.input.selection.openSource(parts.input.selection.selection(), false),
      alone: editor.alone,
    },
    key: (event) => parts.input.key(event),
    header: {
      select: (device) => parts.input.selection.select({ kind: 'device', device }, false),
      turnGroup: () => parts.input.turnGroup(false),
    },
    scene: () => parts.timelines.scene(),
    memoryShown: () => update.settings().memory,
  };
}

function toolbarActions(parts: Parts): PageActions['toolbar'] {
  const { editor, file, update, remembered } = parts;
  return {
    colourBy: (colourBy) => update.change({ colourBy }),
    toggle: (what) => update.change({ [what]: !update.settings()[what] }),
    search: {
      search(text) {
        remembered.sought = text;
        const { search } = parts.input;
        if (parts.state.shownStall() === undefined) return search.search(text);
        search.remember(text);
        parts.stalls.search(text);
      },
      step: (direction) => (parts.state.shownStall() === undefined ? parts.input.search : parts.stalls).step(direction),
      leave() {
        remembered.sought = '';
        parts.stalls.search('');
        parts.input.search.leave();
      },
    },
    fit() {
      if (!parts.workers.showAll() && !parts.besides.showAll()) parts.timelines.showAll();
    },
    openSource: () => parts.input.selection.openSource(undefined, false),
    pipeline: file.choose,
    sensitivity: () => parts.sensing.toggle(),
    compare: (all) => parts.comparing.open(all ? 'pipelines' : undefined),
    chooseBeside: () => editor.post({ type: 'chooseBeside' }),
    chooseRun: () => editor.post({ type: 'chooseRun' }),
    findPlan: () => parts.planning.open(file.pipeline()?.name),
    findOrder() {
      closePopover();
      parts.searching.open();
    },
    exportShown: () => exportShown(parts),
    copyLink: () => copyLink(parts),
    modes: () => update.modes(),
    sync: (change) => editor.post({ type: 'sync', ...change }),
    alone: editor.alone,
  };
}
