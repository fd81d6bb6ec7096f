/** The circle of a deadlock as sentences, with the numbers of its arrows. */
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { count } from '../../../../engine/basics/quantities.ts';
import type { Stall } from '../../../../engine/flow/stall.ts';
import { element, setText } from '../../../controls/dom.ts';
import type { Circle } from '../../../picture/stalledRows.ts';
import { stepSentences } from '../../../picture/stallSentences.ts';

/** Sentences of a longer circle than anyone reads are cut. */
const mostSteps = 24;

export function stallSteps(reveal: (path: string) => void) {
  const list = element('ol', { class: 'stall-steps', 'aria-label': 'Who waits for what' });
  const rest = element('p', { class: 'dim', hidden: '' });
  let links: { readonly path: string; readonly link: HTMLElement }[] = [];
  return {
    element: element('div', {}, list, rest),
    /** Paths of the lines that the sentences link to. */
    update(stall: Stall, plan: PipelinePlan, circle: Circle): readonly string[] {
      const sentences = stepSentences(stall, plan, circle);
      links = [];
      list.replaceChildren(
        ...sentences.slice(0, mostSteps).map(({ parts, path }, index) => {
          const text = parts.map((part, at) => (at % 2 === 1 ? element('strong', {}, part) : part));
          const number = element('span', { class: 'step-number', 'aria-hidden': 'true' }, String(index + 1));
          const item = element('li', {}, number, element('span', {}, ...text));
          if (path !== undefined) {
            const link = element('button', { type: 'button', class: 'link' }, 'show');
            link.setAttribute('aria-label', `Show where ${parts[1]} is written`);
            link.addEventListener('click', () => reveal(path));
            links.push({ path, link });
            item.lastElementChild?.append(' ', link);
          }
          return item;
        }),
      );
      const left = sentences.length - mostSteps;
      rest.hidden = left <= 0;
      setText(rest, `The circle has ${count(left, 'more step', 'more steps')}.`);
      return links.map(({ path }) => path);
    },
    /** Line of each path, from 1; null where the text is in another file. */
    showLines(lines: readonly (number | null)[]): void {
      links.forEach(({ link }, index) => {
        const line = lines[index];
        if (line === null || line === undefined) return;
        setText(link, `line ${line}`);
        link.removeAttribute('aria-label');
      });
    },
  };
}
