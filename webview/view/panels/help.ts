import { button } from '../../controls/toolkit.ts';
import { element } from '../../controls/dom.ts';
import { shortcuts } from '../../protocol/shortcuts.ts';

/** All keyboard shortcuts, as a dialog. */
export function help() {
  const list = element('dl');
  for (const [key, text] of shortcuts) list.append(element('dt', {}, key), element('dd', {}, text));
  const box = element(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    element('h2', { id: 'help-title' }, 'Keyboard shortcuts'),
    list,
  );
  box.append(button('Close', () => box.close(), 'Close').element);
  return { element: box, open: () => box.showModal() };
}
