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
