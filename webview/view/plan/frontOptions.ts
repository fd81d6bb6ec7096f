import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import { element } from '../../controls/dom.ts';
import { pointWords } from './words.ts';

export interface FrontActions {
  select(row: number): void;
  /** Enter on the selected row. */
  write(row: number): void;
}

/** The front as a list, for keys and screen readers. `box`: what has the focus. */
export function frontOptions(box: HTMLElement, actions: FrontActions) {
  const options = element('div', { class: 'unseen' });
  let front: readonly FoundPoint[] = [];
  let selected: number | undefined;

  box.append(options);
  box.addEventListener('focus', () => {
    if (selected === undefined && front.length > 0) actions.select(front[0].row);
  });
  box.addEventListener('keydown', (event) => {
    if (front.length === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const now = front.findIndex(({ row }) => row === selected);
    // Fastest first: to the right there is more memory, and less time.
    const next: Readonly<Record<string, number>> = {
      ArrowRight: Math.max(0, now - 1),
      ArrowDown: Math.max(0, now - 1),
      ArrowLeft: Math.min(front.length - 1, now + 1),
      ArrowUp: Math.min(front.length - 1, now + 1),
      Home: front.length - 1,
      End: 0,
    };
    if (event.key === 'Enter' && selected !== undefined) actions.write(selected);
    const index = next[event.key];
    if (index === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (index !== undefined) actions.select(front[index].row);
  });

  function setRole(): void {
    // A list without options is no list.
    box.setAttribute('role', front.length > 0 ? 'listbox' : 'img');
    const isListed = front.some(({ row }) => row === selected);
    if (isListed) box.setAttribute('aria-activedescendant', `plan-row-${selected}`);
    else box.removeAttribute('aria-activedescendant');
  }

  return {
    update(next: readonly FoundPoint[], row: number | undefined): void {
      selected = row;
      if (next !== front) {
        front = next;
        options.replaceChildren(
          ...front.map((each) => element('div', { role: 'option', id: `plan-row-${each.row}` }, pointWords(each))),
        );
      }
      for (const option of options.children)
        option.setAttribute('aria-selected', String(option.id === `plan-row-${selected}`));
      setRole();
    },
  };
}
