import { element, setText } from '../../controls/dom.ts';

/** At the right of the toolbar: what is wrong with the text, or that it is still planned (`calm`). A click leads to it. */
export function errorNotice() {
  const text = element('span');
  const box = element(
    'button',
    { type: 'button', class: 'notice', hidden: '' },
    element('i', { 'aria-hidden': 'true' }),
    text,
  );
  let act: (() => void) | undefined;
  box.addEventListener('click', () => act?.());
  return {
    element: box,
    /** Without text there is none. */
    show(words: string | undefined, action?: () => void, calm = false): void {
      act = action;
      box.hidden = words === undefined;
      box.classList.toggle('calm', calm);
      box.disabled = action === undefined;
      setText(text, words ?? '');
      box.title = words ?? '';
    },
  };
}
