import type { InputHost } from '../input/inputs.ts';
import { exportShown } from './exportShown.ts';
import type { Parts } from './parts.ts';

/** What keys and gestures on the timeline do. */
export function inputHost(parts: Parts): InputHost {
  const { comparing, editor, page, player, timelines, update } = parts;
  return {
    timelines,
    page,
    alone: editor.alone,
    post: editor.post,
    pointed(target) {
      parts.faster.pointed(target);
      parts.written.pointed(target);
    },
    selected() {
      const selection = parts.input.selection.selection();
      parts.faster.selected(selection);
      parts.written.selected(selection);
      update.selection();
    },
    theme: update.theme,
    toggle(what) {
      if (what === 'table') page.toggleTable();
      else if (what === 'help') page.openHelp();
      else if (what === 'export') exportShown(parts);
      else if (what === 'legend') page.toggleLegend();
      else if (what === 'compare') comparing.open();
      else if (what === 'sensitivity') parts.sensing.toggle();
      else update.change({ [what]: !update.settings()[what] });
    },
    colourBy(colourBy) {
      const versions = timelines.timeline()?.picture.columns.versions;
      if (colourBy !== 'version' || versions !== undefined) update.change({ colourBy });
    },
    play: player.toggle,
    leavePlay: player.leave,
  };
}
