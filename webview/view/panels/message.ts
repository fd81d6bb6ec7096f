import { element } from '../../controls/dom.ts';
import { button } from '../../controls/toolkit.ts';

export interface MessageAction {
  readonly label: string;
  run(): void;
}

/** Why there is nothing to draw, in a sentence, with what to do about it. */
export interface Message {
  readonly title: string;
  readonly details: readonly string[];
  readonly actions: readonly MessageAction[];
}

export function messagePanel({ title, details, actions }: Message): HTMLElement {
  const buttons = actions.map(
    ({ label, run }, index) => button(label, run, label, index === 0 ? 'primary' : 'secondary').element,
  );
  return element(
    'section',
    { class: 'message', 'aria-label': title },
    element('h2', {}, title),
    ...details.map((text) => element('p', {}, text)),
    ...(buttons.length > 0 ? [element('div', { class: 'buttons' }, ...buttons)] : []),
  );
}
