import { moment, time } from '../../../engine/basics/quantities.ts';
import { deviceOf, lastNeed, microbatchOf, stageOf, typeOf } from '../../picture/blocks.ts';
import { choice } from '../../controls/toolkit.ts';
import { element } from '../../controls/dom.ts';
import { columnMeasure } from './columnWidths.ts';
import { ownMemory, ownMemoryWords } from '../../picture/ownMemory.ts';
import type { Scene } from '../scene/scene.ts';
import { type DeviceOrder, deviceColumns, devicesInOrder } from './deviceColumns.ts';

type Mode = 'blocks' | 'devices';
const rowHeight = 24;
/** Browsers end scrolling at some ten million pixels: above this the bar stands for more than it scrolls. */
const tallest = 4_000_000;

const headings: Readonly<Record<Mode, readonly string[]>> = {
  blocks: ['Device', 'Stage', 'Operation', 'Microbatch', 'Start', 'Duration', 'Slack', 'Memory', 'Ready'],
  devices: deviceColumns.map(({ name }) => name),
};

export interface TableActions {
  block(block: number): void;
  device(device: number): void;
  nothing(): void;
  /** Shows the timeline again. */
  close(): void;
}

/** Every block, or every device, as text. Devices can be sorted. Only the rows in sight are in the document. */
export function table(select: TableActions) {
  let mode: Mode = 'blocks';
  let scene: Scene | undefined;
  let cursor = 0;
  let sorted: DeviceOrder | undefined;
  let order: readonly number[] = [];
  let orderKey = '';
  const tall = element('div', { class: 'tall' });
  const body = element('div', { class: 'lines', role: 'rowgroup' });
  const scroller = element('div', { class: 'scroller' }, tall, body);
  const head = element('div', { role: 'rowgroup' });
  const box = element('div', { class: 'cells', role: 'grid', 'aria-label': 'Table' }, head, scroller);
  const modes = choice<Mode>(
    'Table of',
    [
      ['blocks', 'Blocks'],
      ['devices', 'Devices'],
    ],
    (value) => {
      mode = value;
      cursor = 0;
      scroller.scrollTop = 0;
      render();
    },
  );
  modes.setValue(mode);
  const whole = element(
    'section',
    { class: 'table', 'aria-label': 'Table of the timeline', hidden: '' },
    modes.element,
    box,
  );
  closesByKey(whole, select.close);
  scroller.addEventListener('scroll', () => render());
  box.addEventListener('keydown', (event) => {
    const page = Math.max(1, visible() - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -cursor,
      End: total(),
    };
    if (event.target instanceof HTMLButtonElement && event.key !== 'Escape') return;
    if (event.key === 'Enter') choose(cursor);
    if (event.key === 'Escape') select.nothing();
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    cursor = Math.max(0, Math.min(total() - 1, cursor + step));
    const first = firstRow();
    if (cursor < first || cursor >= first + visible() - 1) scrollTo(cursor);
    render();
    focus();
  });
  const choose = (at: number) => (mode === 'blocks' ? select.block(at) : select.device(order[at]));
  /** Once for each timeline and column: scrolling shows the same order. */
  function reorder(of: Scene): void {
    const key = `${of.picture.generation} ${sorted?.column} ${sorted?.descending}`;
    if (key === orderKey) return;
    orderKey = key;
    order = devicesInOrder(of, sorted);
  }
  const measure = measured(box);
  /** A click sorts by the column, the largest first where it has figures; another click turns the order round. */
  function sortHeader(name: string, column: number): HTMLElement {
    const isSorted = sorted?.column === column;
    const direction = !isSorted ? 'none' : sorted?.descending === true ? 'descending' : 'ascending';
    const sign = direction === 'none' ? '' : direction === 'descending' ? ' ↓' : ' ↑';
    const made = element('button', { type: 'button', class: 'sort', title: `Sort by ${name.toLowerCase()}` }, name);
    made.append(element('span', { 'aria-hidden': 'true' }, sign));
    made.addEventListener('click', () => {
      sorted = { column, descending: isSorted ? sorted?.descending !== true : deviceColumns[column].isFigure };
      render();
    });
    return element('div', { role: 'columnheader', 'aria-sort': direction }, made);
  }
  const total = () =>
    scene === undefined ? 0 : mode === 'blocks' ? scene.picture.columns.word.length : scene.plan.devices.length;
  const visible = () => Math.max(1, Math.ceil(scroller.clientHeight / rowHeight));
  const height = () => Math.min(tallest, total() * rowHeight);
  const range = () => Math.max(1, height() - scroller.clientHeight);
  const firstRow = () => Math.round((scroller.scrollTop / range()) * Math.max(0, total() - visible() + 1));
  const scrollTo = (row: number) =>
    void (scroller.scrollTop = (Math.max(0, row - 2) / Math.max(1, total() - visible() + 1)) * range());
  const focus = () => body.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });

  function render(): void {
    if (scene === undefined || whole.hidden) return;
    const names = headings[mode];
    if (mode === 'devices') reorder(scene);
    measure(scene, mode, total());
    const focused = body.contains(document.activeElement);
    const headFocus = Array.from(head.querySelectorAll('button')).indexOf(document.activeElement as HTMLButtonElement);
    head.replaceChildren(
      element(
        'div',
        { role: 'row', 'aria-rowindex': '1' },
        ...names.map((name, column) =>
          mode === 'blocks' ? element('div', { role: 'columnheader' }, name) : sortHeader(name, column),
        ),
      ),
    );
    if (headFocus >= 0) head.querySelectorAll('button').item(headFocus)?.focus();
    box.setAttribute('aria-rowcount', String(total() + 1));
    box.setAttribute('aria-colcount', String(names.length));
    tall.style.height = `${height()}px`;
    const first = Math.min(firstRow(), Math.max(0, total() - 1));
    const lines: HTMLElement[] = [];
    cursor = Math.min(cursor, Math.max(0, total() - 1));
    const anchor = cursor >= first && cursor < first + visible() ? cursor : first;
    for (let at = first; at < Math.min(total(), first + visible()); at += 1) {
      const texts = mode === 'blocks' ? blockTexts(scene, at) : deviceTexts(scene, order[at]);
      const line = element(
        'div',
        { role: 'row', 'aria-rowindex': String(at + 2), tabindex: at === anchor ? '0' : '-1' },
        ...texts.map((text) => element('div', { role: 'gridcell' }, text)),
      );
      line.addEventListener('click', () => choose(at));
      lines.push(line);
    }
    body.replaceChildren(...lines);
    body.style.transform = `translateY(${scroller.scrollTop}px)`;
    if (focused) focus();
  }
  return {
    element: whole,
    update(next: Scene): void {
      scene = next;
      render();
    },
    toggle(): boolean {
      whole.hidden = !whole.hidden;
      render();
      if (!whole.hidden) focus();
      return !whole.hidden;
    },
    isOpen: () => !whole.hidden,
  };
}

/** Gives the table the columns of its texts, once for each timeline: nothing moves while it is scrolled or sorted. */
function measured(box: HTMLElement) {
  const measure = columnMeasure(box);
  return (scene: Scene, mode: Mode, rows: number): void => {
    // Room for the sign of the order.
    const names = headings[mode].map((name) => (mode === 'devices' ? `${name} ↓` : name));
    const texts = mode === 'blocks' ? blockTexts : deviceTexts;
    measure(`${scene.picture.generation} ${mode}`, names, rows, (row) => texts(scene, row));
  };
}

/** The key that opens it closes it, from wherever in it the focus is. */
function closesByKey(table: HTMLElement, close: () => void): void {
  table.addEventListener('keydown', (event) => {
    if (event.key !== 't' || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
}

function blockTexts({ plan, picture }: Scene, block: number): string[] {
  const { columns, slack } = picture;
  const own = ownMemory(plan, picture, block);
  const device = deviceOf(picture, block);
  const stage = stageOf(picture, block);
  const microbatch = microbatchOf(picture, block);
  const need = lastNeed(picture, block);
  return [
    plan.devices[device].name,
    stage < 0 ? '' : plan.stages[stage].name,
    typeOf(picture, block),
    microbatch < 0 ? '' : String(microbatch),
    moment(columns.start[block]),
    time(columns.end[block] - columns.start[block]),
    slack === undefined ? '' : time(slack[block]),
    own === undefined ? '' : ownMemoryWords(own, plan.unitTimes),
    need === undefined ? '' : moment(need.arrival),
  ];
}

const deviceTexts = (scene: Scene, device: number): string[] => deviceColumns.map(({ text }) => text(scene, device));
