import { element } from './dom.ts';
import { type IconName, icon } from './icon.ts';

/** A button with a sign instead of a word. */
export function iconButton(sign: IconName, name: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'icon', 'aria-label': name, title: name }, icon(sign));
  made.addEventListener('click', onClick);
  return made;
}
