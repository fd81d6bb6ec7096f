import { count, time } from '../../../../engine/basics/quantities.ts';
import { element } from '../../../controls/dom.ts';
import type { Why } from '../../../picture/why.ts';

/** Steps of a long chain in sight at first, so that what would help is in sight too. */
const firstSteps = 3;

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
  const folded = entries.length > firstSteps + 1 ? [...entries.slice(firstSteps), ...earlier] : [];
  return element(
    'section',
    { class: 'chain', 'aria-label': 'Chain of causes' },
    element('p', {}, ...sentences),
    element('ol', {}, ...entries),
    ...earlier,
    ...(folded.length === 0 ? [] : [unfold(folded, entries.length - firstSteps)]),
  );
}

/** Hides parts of the chain until its button is used. */
function unfold(folded: readonly HTMLElement[], steps: number): HTMLElement {
  const button = element(
    'button',
    { type: 'button', class: 'link', 'aria-label': `Show ${steps} more steps` },
    `… ${steps} more`,
  );
  for (const part of folded) part.hidden = true;
  button.addEventListener('click', () => {
    for (const part of folded) part.hidden = false;
    folded[0].querySelector<HTMLElement>('button:not(:disabled)')?.focus();
    button.remove();
  });
  return button;
}
