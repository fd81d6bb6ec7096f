import { button } from '../../controls/toolkit.ts';
import { element } from '../../controls/dom.ts';

const keys: readonly (readonly [string, string])[] = [
  ['Wheel', 'scroll devices'],
  ['Shift + wheel', 'pan in time'],
  ['Ctrl + wheel', 'zoom at the pointer'],
  ['Ctrl + Alt + wheel', 'change the height of rows'],
  ['Drag', 'select a time range and devices'],
  ['Drag the selected block', 'move it in its row, if the file writes the row'],
  ['Alt + ← →', 'move the selected block in its row'],
  ['Shift + drag, middle drag', 'pan'],
  ['Double click', 'zoom to the block or bubble'],
  ['W S, + −', 'zoom'],
  ['A D', 'pan (Shift: five times as far)'],
  ['← →', 'previous, next block on the device'],
  ['↑ ↓', 'nearest block on the device above, below'],
  ['Home End', 'first, last block on the device'],
  ['G, Shift + G', 'open or close the group of the device, all groups'],
  ['Page Up, Page Down', 'up, down by a page of devices'],
  [', .', 'previous, next block of the same microbatch (Shift: on the critical path)'],
  ['F', 'centre the selection; press again to fit it'],
  ['0', 'show everything'],
  ['Enter', 'open the details; again: go to the line in the file (Alt: only show it)'],
  ['/', 'search: mb:5 kind:B dev:3 stage:1 layer:head dur>4ms bubble>10ms'],
  ['Enter, Shift + Enter', 'in the search: next, previous match'],
  ['N, Shift + N', 'next, previous match'],
  ['1 2 3 4', 'colour by operation, microbatch, chunk, version of the weights'],
  ['C B M T', 'show or hide critical path, bubbles, memory, table'],
  ['Y', 'explain the selected bubble, or the longest one'],
  ['[ ]', 'next longer, next shorter bubble'],
  ['K', 'show what fills the memory at its peak'],
  ['V', 'show what the iteration is sensitive to'],
  ['Space', 'play the iteration, pause; with reduced motion: step to the next event'],
  ['E', 'export a figure, a page or a trace'],
  ['I', 'show the memory and exchanges of the device'],
  ['J', 'go to the lane of the device, and back; ← → to the previous, next piece'],
  ['L', 'show or hide the legend'],
  ['Esc', 'clear the selection; again: end the search'],
];

/** All keyboard shortcuts, as a dialog. */
export function help() {
  const list = element('dl');
  for (const [key, text] of keys) list.append(element('dt', {}, key), element('dd', {}, text));
  const box = element(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    element('h2', { id: 'help-title' }, 'Keyboard shortcuts'),
    list,
  );
  box.append(button('Close', () => box.close(), 'Close').element);
  return { element: box, open: () => box.showModal() };
}
