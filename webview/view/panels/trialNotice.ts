import { element, setText } from '../../controls/dom.ts';

export interface TrialActions {
  /** Absent while it cannot be taken. */
  apply?: (() => void) | undefined;
  back(): void;
}

/** What can be tried, and what its buttons do: each name begins with what is seen. */
const kinds = {
  'a fix': { written: 'Apply the fix that is shown', leads: 'Back to the deadlock' },
  'a shorter order': { written: 'Apply: write this order into the file', leads: 'Back to the order of the file' },
  'a plan': { written: 'Apply: write the plan that is shown into the file', leads: 'Back to the search' },
} as const;
type TrialKind = keyof typeof kinds;

/** At the right of the toolbar: a fix or a plan is on show that the file does not have. It is taken, or left, here. */
export function trialNotice() {
  let actions: TrialActions | undefined;
  const button = (className: string, act: () => void): HTMLElement => {
    const made = element('button', { type: 'button', class: className });
    made.addEventListener('click', act);
    return made;
  };
  const call = (made: HTMLElement, text: string, name: string): void => {
    setText(made, text);
    for (const attribute of ['aria-label', 'title']) made.setAttribute(attribute, name);
  };
  const words = element('span', { class: 'dim' });
  const apply = button('act primary', () => actions?.apply?.());
  const back = button('act', () => actions?.back());
  const box = element('div', { class: 'trial', role: 'group', hidden: '' }, words, apply, back);
  return {
    element: box,
    /** Without actions there is none. `what`: what is tried. */
    show(next: TrialActions | undefined, what: TrialKind = 'a fix'): void {
      actions = next;
      box.hidden = next === undefined;
      apply.hidden = next?.apply === undefined;
      const { written, leads } = kinds[what];
      setText(words, `Trying ${what}`);
      box.setAttribute('aria-label', `Trying ${what}`);
      call(apply, 'Apply', written);
      call(back, 'Back', leads);
    },
  };
}
