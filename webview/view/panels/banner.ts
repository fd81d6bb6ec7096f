import { element, setText } from '../../controls/dom.ts';

/** Says why the picture is older than the text. The last good picture stays below. */
export function banner() {
  const text = element('span');
  const bar = element(
    'div',
    { class: 'banner', role: 'alert', hidden: '' },
    element('span', { class: 'sign', 'aria-hidden': 'true' }, '!'),
    text,
  );
  return {
    element: bar,
    show(message: string): void {
      setText(text, message);
      bar.hidden = false;
    },
    hide(): void {
      bar.hidden = true;
    },
  };
}
