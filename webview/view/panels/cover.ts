import { element } from '../../controls/dom.ts';

/** Takes the place of everything under the toolbar: `covered` stays as it is, out of sight. */
export function cover(covered: HTMLElement) {
  const box = element('div', { class: 'cover', hidden: '' });
  let shown: string | undefined;
  return {
    element: box,
    show(name: string, content: HTMLElement): void {
      shown = name;
      box.replaceChildren(content);
      box.hidden = false;
      covered.classList.add('covered');
    },
    /** Nothing happens if something else is shown. */
    close(name: string): void {
      if (shown !== name) return;
      shown = undefined;
      box.hidden = true;
      box.replaceChildren();
      covered.classList.remove('covered');
    },
    shown: (): string | undefined => shown,
  };
}
