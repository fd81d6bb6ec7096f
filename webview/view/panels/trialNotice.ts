import { element } from '../../controls/dom.ts';

export interface TrialActions {
  apply(): void;
  back(): void;
}

/** At the right of the toolbar: a fix is on show that the file does not have. It is taken, or left, here. */
export function trialNotice() {
  let actions: TrialActions | undefined;
  const button = (text: string, name: string, className: string, act: () => void): HTMLElement => {
    const made = element('button', { type: 'button', class: className, 'aria-label': name, title: name }, text);
    made.addEventListener('click', act);
    return made;
  };
  const box = element(
    'div',
    { class: 'trial', role: 'group', 'aria-label': 'Trying a fix', hidden: '' },
    element('span', { class: 'dim' }, 'Trying a fix'),
    button('Apply', 'Apply the fix that is shown', 'act primary', () => actions?.apply()),
    button('Back', 'Back to the deadlock', 'act', () => actions?.back()),
  );
  return {
    element: box,
    /** Without actions there is none. */
    show(next: TrialActions | undefined): void {
      actions = next;
      box.hidden = next === undefined;
    },
  };
}
