import { element } from '../controls/dom.ts';

/**
 * Takes the place of everything under the toolbar: one content at a time. What it covers keeps its size and state, and can be
 * neither seen nor reached.
 */
export function cover(place: HTMLElement) {
  const sheet = element('div', { class: 'cover', hidden: '' });
  let shown: string | undefined;
  return {
    element: sheet,
    show(name: string, content: HTMLElement): void {
      shown = name;
      if (sheet.firstElementChild !== content) sheet.replaceChildren(content);
      sheet.hidden = false;
      place.classList.add('covered');
    },
    close(name: string): void {
      if (shown !== name) return;
      shown = undefined;
      sheet.hidden = true;
      place.classList.remove('covered');
    },
    shown: (): string | undefined => shown,
    /** The toolbar has this height. */
    below(height: number): void {
      sheet.style.setProperty('--below', `${height}px`);
    },
  };
}
