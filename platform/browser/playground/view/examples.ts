/** The list of examples in the bar. */
import type { Listed } from '../examples.ts';

const groupOf = (name: string): string => (name.includes('/') ? name.slice(0, name.indexOf('/')) : 'examples');

/** `own`: what the list says while the text is the reader's. */
export function exampleList(list: HTMLSelectElement, { files }: Listed, open: (name: string) => void) {
  const own = document.createElement('option');
  own.value = '';
  own.append('your text');
  list.append(own);
  const groups = new Map<string, HTMLOptGroupElement>();
  for (const { name, about } of files) {
    if (!name.endsWith('.pipe')) continue;
    const label = groupOf(name);
    const group = groups.get(label) ?? document.createElement('optgroup');
    if (!groups.has(label)) {
      group.label = label;
      groups.set(label, group);
      list.append(group);
    }
    const option = document.createElement('option');
    option.value = name;
    option.title = about;
    option.append(name.slice(name.lastIndexOf('/') + 1, -'.pipe'.length));
    group.append(option);
  }
  list.addEventListener('change', () => {
    if (list.value !== '') open(list.value);
  });
  return {
    /** The example on show, or none. */
    show(name: string | undefined): void {
      list.value = name ?? '';
    },
  };
}
