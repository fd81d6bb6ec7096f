import { element, setText } from '../../controls/dom.ts';
import { iconButton } from '../../controls/iconButton.ts';
import { searchField } from '../../controls/searchField.ts';
import type { SearchResult } from '../../session/searchResult.ts';

export interface SearchActions {
  search(text: string): void;
  /** To the next (1) or previous (−1) hit. */
  step(direction: 1 | -1): void;
  /** The reader is done: nothing is searched for any more. */
  leave(): void;
}

/** The search field, `2 of 4`, and buttons that go from hit to hit. */
export function searchBox(actions: SearchActions) {
  const field = searchField('Search blocks', 'mb:5 kind:B', actions.search);
  const found = element('span', { class: 'found dim', role: 'status' });
  const previous = iconButton('up', 'Previous match (Shift + Enter)', () => actions.step(-1));
  const next = iconButton('down', 'Next match (Enter)', () => actions.step(1));
  const buttons = element('span', { class: 'steps' }, previous, next);
  const box = element('search', { class: 'search' }, field.element, found, buttons);
  buttons.hidden = true;

  function leave(): void {
    field.setValue('');
    actions.leave();
  }

  field.element.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') actions.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element: box,
    focus: field.focus,
    /** Fills the field; nothing is announced. */
    setText: field.setValue,
    /** Empties the field; nothing is announced. */
    clear: () => field.setValue(''),
    show({ words, hits }: SearchResult): void {
      setText(found, words);
      box.classList.toggle('missed', words !== '' && hits === 0);
      buttons.hidden = hits === 0;
    },
  };
}
