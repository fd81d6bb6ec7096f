import { element } from './dom.ts';
import { closePopover } from './popover.ts';

/** A line of a menu. `key`: its shortcut. `pressed`: for lines that switch something on and off; any other closes the menu. */
export function menuItem(label: string, key: string, onClick: () => void, pressed?: boolean): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'menu-item' }, element('span', {}, label));
  if (key !== '') made.append(element('kbd', { 'aria-hidden': 'true' }, key));
  if (pressed !== undefined) made.setAttribute('aria-pressed', String(pressed));
  made.addEventListener('click', () => {
    // Before it leads elsewhere: the menu would cover that, and the focus goes on from where it was.
    if (pressed === undefined) closePopover();
    onClick();
    if (pressed !== undefined) made.setAttribute('aria-pressed', String(made.getAttribute('aria-pressed') !== 'true'));
  });
  return made;
}
