import { count } from '../../../engine/basics/quantities.ts';
import { element, setText } from '../../controls/dom.ts';

/** At the right of the toolbar: the picture has operations that the text lacks. They are written from here. */
export function missingNotice() {
  let act: (() => void) | undefined;
  const words = element('span');
  // A narrow page has no room for it.
  const noun = element('span', { class: 'of-missing' });
  const write = element(
    'button',
    { type: 'button', class: 'act primary', title: 'Write the missing operations into the rows, where they are drawn' },
    'Write them',
  );
  write.addEventListener('click', () => act?.());
  const box = element(
    'div',
    { class: 'trial missing', role: 'group', 'aria-label': 'Missing operations', hidden: '' },
    element('span', {}, words, noun),
    write,
  );
  return {
    element: box,
    /** Without a number there are none; without an action they cannot be written from here. */
    show(missing: number | undefined, next?: () => void): void {
      act = next;
      box.hidden = missing === undefined;
      write.hidden = next === undefined;
      setText(words, missing === undefined ? '' : `${missing.toLocaleString('en-US')} missing`);
      setText(noun, missing === 1 ? ' operation' : ' operations');
      box.title = missing === undefined ? '' : missingSentence(missing);
    },
  };
}

/** `4 missing operations are drawn hatched, where a greedy order runs them.` */
export const missingSentence = (missing: number): string =>
  `${count(missing, 'missing operation is', 'missing operations are')} drawn hatched, where a greedy order runs ${missing === 1 ? 'it' : 'them'}. The figures include ${missing === 1 ? 'it' : 'them'}.`;
