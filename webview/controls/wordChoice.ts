import { element } from './dom.ts';
import { type Control, dropdown } from './toolkit.ts';

/** One of several words; its value is the number of the word. As a slider, it can be focused. */
export function wordChoice(
  name: string,
  words: readonly string[],
  onInput: (value: number) => void,
): Control<number> & { focus(): void } {
  const list = dropdown(name, (word) => onInput(words.indexOf(word)));
  list.setOptions(words);
  return {
    element: element('span', { class: 'slider' }, list.element),
    focus: () => list.element.focus(),
    setValue: (value) => list.setValue(words[value] ?? ''),
    setDisabled: list.setDisabled,
  };
}
