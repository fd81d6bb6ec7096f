import { count, time } from '../../../../engine/quantities.ts';
import { element } from '../../../controls/dom.ts';
import type { Why } from '../../../picture/why.ts';

/** The chain of causes in words, and as a list whose entries select their blocks. */
export function chainSection(why: Why, select: (block: number) => void): HTMLElement {
  const sentences = why.sentences.flatMap(({ before, strong, after }, index) => [
    `${index === 0 ? '' : ' '}${before}`,
    ...(strong === '' ? [] : [element('strong', {}, strong)]),
    after,
  ]);
  const entries = why.steps.map(({ words, figure, block }) => {
    const button = element(
      'button',
      { type: 'button', class: 'step', ...(block < 0 ? { disabled: '' } : {}) },
      element('span', { class: 'words' }, words),
      element('span', { class: 'seconds dim' }, figure),
    );
    button.addEventListener('click', () => select(block));
    return element('li', {}, button);
  });
  const earlier =
    why.earlier === 0
      ? []
      : [
          element(
            'p',
            { class: 'dim' },
            `… ${count(why.earlier, 'earlier step', 'earlier steps')}; all together ${time(why.seconds)}`,
          ),
        ];
  return element(
    'section',
    { class: 'chain', 'aria-label': 'Chain of causes' },
    element('p', {}, ...sentences),
    element('ol', {}, ...entries),
    ...earlier,
  );
}
