import { element } from '../../controls/dom.ts';
import { menuItem } from '../../controls/menu.ts';
import type { ColourBy, PreviewModes } from '../../protocol/messages.ts';
import type { Settings } from '../../session/settings.ts';
import { colourChoice } from './colourings.ts';

export interface MenuActions {
  colourBy(colourBy: ColourBy): void;
  toggle(what: 'criticalPath' | 'bubbles' | 'memory'): void;
  table(): void;
  /** What the iteration is sensitive to. */
  sensitivity(): void;
  help(): void;
  /** Goes to the schedule in the text. */
  openSource(): void;
  compare(all: boolean): void;
  /** Shows the file and another one side by side. */
  chooseBeside(): void;
  /** Shows the file and a recorded run of it. */
  chooseRun(): void;
  findPlan(): void;
  findOrder(): void;
  exportShown(): void;
  copyLink(): void;
  /** How preview and text follow each other; undefined without an editor, or before it has said so. */
  modes(): PreviewModes | undefined;
  sync(change: Partial<Pick<PreviewModes, 'following' | 'outlineAtCursor' | 'revealOnClick'>>): void;
}

/** What the toolbar has no place for. Features add their lines here. `shown`: undefined while there is no timeline. */
export function moreMenu(
  actions: MenuActions,
  shown: { readonly settings: Settings; readonly versions: boolean } | undefined,
): HTMLElement {
  const menu = element('div', { class: 'menu' });
  if (shown !== undefined) {
    const { settings, versions } = shown;
    const colours = colourChoice(actions.colourBy);
    colours.show(settings.colourBy, versions);
    menu.append(
      // The toolbar has it where it is wide enough.
      element('div', { class: 'menu-colours' }, element('span', { class: 'dim' }, 'Colour by'), colours.element),
      menuItem('Critical path', 'C', () => actions.toggle('criticalPath'), settings.criticalPath),
      menuItem('Bubbles', 'B', () => actions.toggle('bubbles'), settings.bubbles),
      menuItem('Memory', 'M', () => actions.toggle('memory'), settings.memory),
      element('hr'),
      menuItem('Table', 'T', actions.table),
      menuItem('Sensitivity', 'V', actions.sensitivity),
    );
    const modes = actions.modes();
    if (modes !== undefined) {
      menu.append(
        menuItem('Compare', 'X', () => actions.compare(false)),
        menuItem('Side by side…', '', actions.chooseBeside),
        menuItem('Recorded run…', '', actions.chooseRun),
        menuItem('Find the fastest plan', '', actions.findPlan),
        menuItem('Search for a shorter order', '', actions.findOrder),
        menuItem('Export…', 'E', actions.exportShown),
        menuItem('Copy link to this view', '', actions.copyLink),
        menuItem('Open the schedule in the text', '', actions.openSource),
        element('hr'),
        ...syncItems(modes, actions.sync),
        element('hr'),
      );
    }
  }
  menu.append(menuItem('Keyboard shortcuts', '?', actions.help));
  return menu;
}

/** Switches of what preview and text do to each other. A docked preview always follows. */
function syncItems(modes: PreviewModes, sync: MenuActions['sync']): readonly HTMLElement[] {
  const { docked, following, outlineAtCursor, revealOnClick } = modes;
  const follow = menuItem('Follow the active file', '', () => sync({ following: !following }), following);
  return [
    ...(docked ? [] : [follow]),
    menuItem('Outline what the cursor is at', '', () => sync({ outlineAtCursor: !outlineAtCursor }), outlineAtCursor),
    menuItem('A click moves the cursor', '', () => sync({ revealOnClick: !revealOnClick }), revealOnClick),
  ];
}
