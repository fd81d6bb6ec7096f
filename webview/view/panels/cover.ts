import { element } from '../../controls/dom.ts';

/**
 * Takes the place of everything under the toolbar: `covered` stays as it is, out of sight. `page` carries the name of what is shown.
 * `changed`: something else is shown, or nothing.
 */
export function cover(page: HTMLElement, covered: HTMLElement, changed: (name: string | undefined) => void) {
  const box = element('div', { class: 'cover', hidden: '' });
  let shown: string | undefined;
  return {
    element: box,
    show(name: string, content: HTMLElement): void {
      shown = name;
      box.replaceChildren(content);
      box.hidden = false;
      page.dataset.cover = name;
      covered.classList.add('covered');
      changed(name);
    },
    /** Nothing happens if something else is shown. */
    close(name: string): void {
      if (shown !== name) return;
      shown = undefined;
      box.hidden = true;
      box.replaceChildren();
      delete page.dataset.cover;
      covered.classList.remove('covered');
      changed(undefined);
    },
    shown: (): string | undefined => shown,
  };
}
