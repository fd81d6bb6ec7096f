import { deviceOf } from '../../picture/blocks.ts';
import { blockSentence } from '../../picture/describe.ts';
import { element } from '../../controls/dom.ts';
import { groupOf, isOpen } from '../scene/rowMap.ts';
import type { Scene } from '../scene/scene.ts';

const around = 2;

/** What the name of a row can do: it names the group of its device. */
export interface HeaderActions {
  select(device: number): void;
  /** Opens the group of the selected device, or closes it. */
  turnGroup(): void;
}

/**
 * The timeline for keyboards and screen readers: a grid with one row a device and one cell a block, of which only those around
 * the cursor are in the document. The cell of the cursor has the real focus. Left of the first block of a device in a group is the
 * group's name, where Enter opens and closes it.
 */
export function grid(onKey: (event: KeyboardEvent) => void, actions: HeaderActions) {
  const box = element('div', { class: 'grid', role: 'grid', 'aria-label': 'Timeline' });
  let shown = '';
  let at = -1;

  const header = (): HTMLElement | null => box.querySelector<HTMLElement>('[role="rowheader"]');
  const atHeader = (): boolean => document.activeElement !== null && document.activeElement === header();

  function headerKey(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const first = document.activeElement?.getAttribute('aria-colindex') === '2';
    if (event.key === 'ArrowLeft' && first && header() !== null) {
      header()?.focus({ preventScroll: true });
      actions.select(at);
    } else if (event.key === 'ArrowRight' && atHeader()) focus();
    else if (event.key === 'Enter' && atHeader()) actions.turnGroup();
    else return event.key === 'ArrowLeft' && atHeader();
    return true;
  }
  box.addEventListener('keydown', (event) => {
    if (!headerKey(event)) return onKey(event);
    event.preventDefault();
    event.stopPropagation();
  });

  function update(scene: Scene, cursor: number): void {
    const { picture, plan, layout } = scene;
    const { offsets, rows, word } = picture.columns;
    if (word.length === 0) return;
    const device = deviceOf(picture, cursor);
    const group = groupOf(layout.map, device);
    const open = group !== undefined && isOpen(layout.map, group);
    const selected = scene.selection?.kind === 'block';
    const key = `${picture.generation} ${cursor} ${group?.name} ${open} ${selected}`;
    if (key === shown) return;
    shown = key;
    at = device;
    const focused = box.contains(document.activeElement);
    const wasHeader = atHeader() && !selected;
    let columns = 1;
    for (let row = 0; row < rows; row += 1) columns = Math.max(columns, offsets[row + 1] - offsets[row]);
    box.setAttribute('aria-rowcount', String(rows));
    // The first column has the names.
    box.setAttribute('aria-colcount', String(columns + 1));
    const line = element('div', { role: 'row', 'aria-rowindex': String(device + 1) });
    if (group !== undefined) {
      const words = `${group.name}, ${group.to - group.from} devices`;
      const name = element(
        'div',
        { role: 'rowheader', tabindex: '-1', 'aria-colindex': '1', 'aria-expanded': String(open) },
        words,
      );
      line.setAttribute('aria-label', `${plan.devices[device].name}, in ${words}, ${open ? 'open' : 'closed'}`);
      line.append(name);
    }
    for (
      let block = Math.max(offsets[device], cursor - around);
      block < Math.min(offsets[device + 1], cursor + around + 1);
      block += 1
    ) {
      const cell = element('div', {
        role: 'gridcell',
        tabindex: block === cursor ? '0' : '-1',
        'aria-colindex': String(block - offsets[device] + 2),
        'aria-selected': String(block === cursor && selected),
      });
      cell.textContent = blockSentence(plan, picture, block);
      line.append(cell);
    }
    box.replaceChildren(line);
    if (!focused) return;
    if (wasHeader) header()?.focus({ preventScroll: true });
    else focus();
  }
  const focus = () => box.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  return { element: box, update, focus };
}
