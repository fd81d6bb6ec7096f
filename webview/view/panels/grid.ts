import { deviceOf } from '../../picture/blocks.ts';
import { blockSentence } from '../../picture/describe.ts';
import { element } from '../../controls/dom.ts';
import type { Scene } from '../scene/scene.ts';

const around = 2;

/**
 * The timeline for keyboards and screen readers: a grid with one row a device and one cell a block, of which only those around
 * the cursor are in the document. The cell of the cursor has the real focus.
 */
export function grid(onKey: (event: KeyboardEvent) => void) {
  const box = element('div', { class: 'grid', role: 'grid', 'aria-label': 'Timeline' });
  box.addEventListener('keydown', onKey);
  let shown = '';

  function update(scene: Scene, cursor: number): void {
    const { picture, plan } = scene;
    const { offsets, rows, word } = picture.columns;
    const key = `${picture.generation} ${cursor}`;
    if (key === shown || word.length === 0) return;
    shown = key;
    const focused = box.contains(document.activeElement);
    const device = deviceOf(picture, cursor);
    let columns = 1;
    for (let row = 0; row < rows; row += 1) columns = Math.max(columns, offsets[row + 1] - offsets[row]);
    box.setAttribute('aria-rowcount', String(rows));
    box.setAttribute('aria-colcount', String(columns));
    const line = element('div', { role: 'row', 'aria-rowindex': String(device + 1) });
    for (
      let block = Math.max(offsets[device], cursor - around);
      block < Math.min(offsets[device + 1], cursor + around + 1);
      block += 1
    ) {
      const cell = element('div', {
        role: 'gridcell',
        tabindex: block === cursor ? '0' : '-1',
        'aria-colindex': String(block - offsets[device] + 1),
        'aria-selected': String(block === cursor && scene.selection?.kind === 'block'),
      });
      cell.textContent = blockSentence(plan, picture, block);
      line.append(cell);
    }
    box.replaceChildren(line);
    if (focused) focus();
  }
  const focus = () => box.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  return { element: box, update, focus };
}
