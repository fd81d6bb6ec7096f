import type { SlowdownWords } from '../../../engine/analyze/slowdownWords.ts';
import { element, setText } from '../../controls/dom.ts';

/** The figures of the slowdown, each with what it means. */
export function slowdownList() {
  const lead = element('p', { class: 'dim' });
  const list = element('dl', {});
  const box = element('section', { class: 'slowdown' }, element('h3', {}, 'Slowdown'), lead, list);
  let shown: readonly SlowdownWords[] = [];
  return {
    element: box,
    /** `period`: of an asynchronous pipeline. */
    update(figures: readonly SlowdownWords[], period: boolean): void {
      box.hidden = figures.length === 0;
      setText(lead, `How many times as long the ${period ? 'period' : 'iteration'} is as one of equal operations.`);
      if (figures === shown) return;
      shown = figures;
      list.replaceChildren(
        ...figures.flatMap(({ symbol, value, meaning }) => [
          element('dt', {}, symbol),
          element('dd', {}, element('strong', {}, value), ` ${meaning}`),
        ]),
      );
    },
  };
}
