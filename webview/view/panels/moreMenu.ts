import { element } from '../../controls/dom.ts';
import { menuItem } from '../../controls/menu.ts';
import type { ColourBy } from '../../protocol/messages.ts';
import type { Settings } from '../../session/settings.ts';
import { colourChoice } from './colourings.ts';

export interface MenuActions {
  colourBy(colourBy: ColourBy): void;
  toggle(what: 'criticalPath' | 'bubbles' | 'memory'): void;
  table(): void;
  help(): void;
  /** Goes to the schedule in the text. */
  openSource(): void;
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
      menuItem('Open the schedule in the text', '', actions.openSource),
    );
  }
  menu.append(menuItem('Keyboard shortcuts', '?', actions.help));
  return menu;
}
