import { element, setText } from './dom.ts';

const pause = 300;

/** What a screen reader says of the page's own accord. Of texts in quick succession only the last is said. */
export function announcer() {
  const region = element('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  let waiting: ReturnType<typeof setTimeout> | undefined;
  return {
    element: region,
    say(text: string): void {
      clearTimeout(waiting);
      waiting = setTimeout(() => setText(region, text), pause);
    },
  };
}
