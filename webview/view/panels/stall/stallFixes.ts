/** Moves that break the circle of a deadlock, as cards with the lines that change and the simulated effect. */
import { iterationTime } from '../../../../engine/basics/quantities.ts';
import { element } from '../../../controls/dom.ts';
import type { ShownFix } from '../../../protocol/messages.ts';
import { shortDiff } from './diffLines.ts';
import { changeOf } from '../why/fixSection.ts';
import { smallShare } from '../../../session/smallShare.ts';

export interface FixActions {
  apply(index: number): void;
  show(index: number): void;
}

export function stallFixes(actions: FixActions) {
  const box = element('div', { class: 'stall-fixes', role: 'group', 'aria-label': 'Fixes', hidden: '' });
  return {
    element: box,
    /** Best first; none while they are not known. */
    update(fixes: readonly ShownFix[]): void {
      box.hidden = fixes.length === 0;
      box.replaceChildren(...fixes.map((fix, index) => card(fix, index, actions)));
    },
  };
}

function card({ title, effect, diff = [] }: ShownFix, index: number, actions: FixActions): HTMLElement {
  const act = (label: string, primary: boolean, run: (index: number) => void): HTMLElement => {
    const made = element('button', { type: 'button', class: primary ? 'act primary' : 'act' }, label);
    made.setAttribute('aria-label', `${label}: ${title}`);
    made.addEventListener('click', () => run(index));
    return made;
  };
  const figures = `runs, ${iterationTime(effect.iteration)} · bubble ${smallShare(effect.bubble)}${effect.fits ? '' : ' · does not fit'}`;
  return element(
    'article',
    { class: index === 0 ? 'fix best' : 'fix' },
    element('h2', {}, changeOf(title)),
    ...(diff.length === 0
      ? []
      : [
          element(
            'pre',
            { class: 'diff', role: 'group', 'aria-label': 'Lines that change' },
            ...shortDiff(diff).map((line) =>
              element('span', { class: line.startsWith('+') ? 'added' : 'removed' }, line),
            ),
          ),
        ]),
    element(
      'p',
      { class: 'acts' },
      act('Apply', index === 0, actions.apply),
      act('Show', false, actions.show),
      element('span', { class: 'dim' }, figures),
    ),
  );
}
