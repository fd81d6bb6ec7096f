import { button } from '../../controls/toolkit.ts';
import { element } from '../../controls/dom.ts';

const keys: readonly (readonly [string, string])[] = [
  ['Wheel', 'scroll devices'],
  ['Shift + wheel', 'pan in time'],
  ['Ctrl + wheel', 'zoom at the pointer'],
  ['Ctrl + Alt + wheel', 'height of rows'],
  ['Drag', 'select a stretch of time and devices'],
  ['Shift + drag, middle drag', 'pan'],
  ['Double click', 'fit the block or bubble'],
  ['W S, + −', 'zoom'],
  ['A D', 'pan (Shift: five times as far)'],
  ['← →', 'block before, block after on the device'],
  ['↑ ↓', 'nearest block on the next device'],
  ['Home End', 'first, last block of the device'],
  ['Page Up, Page Down', 'a page of devices'],
  [', .', 'block before, after of the same microbatch (Shift: along the critical path)'],
  ['F', 'centre the selection, again: fit it'],
  ['0', 'fit everything'],
  ['Enter', 'go to the source (Alt: only show it)'],
  ['/', 'search: mb:5 kind:B dev:3 stage:1 dur>4ms bubble>10ms'],
  ['N, Shift + N', 'next, previous hit'],
  ['C B M T', 'critical path, bubbles, memory, table'],
  ['I', 'the device: what fills its memory, what it exchanges'],
  ['Esc', 'clear the selection'],
];

/** All keys, as a dialog. */
export function help() {
  const list = element('dl');
  for (const [key, text] of keys) list.append(element('dt', {}, key), element('dd', {}, text));
  const box = element(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    element('h2', { id: 'help-title' }, 'Keys of the timeline'),
    list,
  );
  box.append(button('Close', () => box.close(), 'Close').element);
  return { element: box, open: () => box.showModal() };
}
