import { element } from './dom.ts';
import { type IconName, icon } from './icon.ts';

/** A button with a sign instead of a word. `key`: its shortcut, in the tooltip. */
export function iconButton(sign: IconName, name: string, onClick: () => void, key = ''): HTMLButtonElement {
  const title = key === '' ? name : `${name} (${key})`;
  const made = element('button', { type: 'button', class: 'icon', 'aria-label': name, title }, icon(sign));
  made.addEventListener('click', onClick);
  return made;
}
