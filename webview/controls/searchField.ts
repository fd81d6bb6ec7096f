import { element } from './dom.ts';

/** A native search field: the name that it is given is the one that is announced. */
export function searchField(name: string, placeholder: string, onInput: (value: string) => void) {
  const field = element('input', {
    type: 'text',
    class: 'search-field',
    'aria-label': name,
    placeholder,
    spellcheck: 'false',
    autocomplete: 'off',
  });
  field.addEventListener('input', () => onInput(field.value));
  return {
    element: field,
    focus: (): void => {
      field.focus();
      field.select();
    },
    setValue: (value: string): void => void (field.value = value),
  };
}

/** A small button with a sign instead of a word. */
export function iconButton(sign: string, name: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'icon', 'aria-label': name, title: name }, sign);
  made.addEventListener('click', onClick);
  return made;
}
