import { element } from './dom.ts';

/** A line of a menu. `key`: its shortcut. `pressed`: for lines that switch something on and off. */
export function menuItem(label: string, key: string, onClick: () => void, pressed?: boolean): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'menu-item' }, element('span', {}, label));
  if (key !== '') made.append(element('kbd', { 'aria-hidden': 'true' }, key));
  if (pressed !== undefined) made.setAttribute('aria-pressed', String(pressed));
  made.addEventListener('click', () => {
    onClick();
    if (pressed !== undefined) made.setAttribute('aria-pressed', String(made.getAttribute('aria-pressed') !== 'true'));
  });
  return made;
}
