import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import { bytes, iterationTime, share } from '../../../engine/basics/quantities.ts';
import { element } from '../../controls/dom.ts';
import type { PlanSearchState } from '../../session/planFound.ts';

export interface TableActions {
  select(row: number): void;
  /** Enter on a row that is selected. */
  write(row: number): void;
}

interface Column {
  readonly name: string;
  text(point: FoundPoint): string;
  /** What it is sorted by. */
  value(point: FoundPoint): number | string;
}

const rowHeight = 24;
/** Browsers end scrolling at some ten million pixels. */
const tallest = 8_000_000;
/** Letters of a column, pixels of a letter, and pixels of a cell without letters. */
const [narrowest, widest, letter, padding] = [7, 26, 7.2, 18];
/** Letters of bold names, and the arrow of the column that sorts. */
const headerRoom = 2;
/** Rows whose texts say how wide columns are. */
const measured = 200;

const column = (
  name: string,
  value: Column['value'],
  text: Column['text'] = (point) => String(value(point)),
): Column => ({
  name,
  text,
  value,
});

/** Numbers sort as numbers. */
const settingValue = (text: string | undefined): number | string =>
  text === undefined ? '' : text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;

function columnsOf({ head, points, front, fileRow }: PlanSearchState): readonly Column[] {
  const keys = (head?.axes ?? []).map(({ key }) => key).filter((key) => key !== 'pipeline' && key !== 'data');
  const onFront = new Set(front.map(({ row }) => row));
  const hasMfu = points.some(({ mfu }) => mfu !== undefined);
  return [
    column('row', ({ row }) => row),
    column(
      'state',
      (point) => (onFront.has(point.row) ? 0 : point.meets ? 1 : 2),
      (point) =>
        `${onFront.has(point.row) ? 'front' : point.meets ? 'fits' : missesAny(point)}${point.row === fileRow ? ', this file' : ''}`,
    ),
    column(
      'iteration',
      ({ iteration }) => iteration,
      ({ iteration }) => iterationTime(iteration),
    ),
    column(
      'peak memory',
      ({ peak }) => peak,
      ({ peak }) => bytes(peak),
    ),
    ...(hasMfu
      ? [
          column(
            'MFU',
            ({ mfu = 0 }) => mfu,
            ({ mfu }) => (mfu === undefined ? '–' : share(mfu)),
          ),
        ]
      : []),
    column(
      'bubble',
      ({ bubble }) => bubble,
      ({ bubble }) => share(bubble),
    ),
    column('pipeline', ({ pipeline }) => pipeline),
    column('data', ({ data }) => data),
    ...keys.map((key) =>
      column(
        key,
        ({ settings }) => settingValue(settings[key]),
        ({ settings }) => settings[key] ?? '–',
      ),
    ),
  ];
}

/** In few words: the card has the limit and the figure. */
const missesAny = ({ missed }: FoundPoint): string => (missed === undefined ? 'does not fit' : 'misses a limit');

/** All rows that were simulated, as text. A click on a header sorts. Only the rows in sight are in the document. */
export function planTable(actions: TableActions) {
  let search: PlanSearchState | undefined;
  let selected: number | undefined;
  let order: readonly FoundPoint[] = [];
  let columns: readonly Column[] = [];
  let sorted = { column: 1, descending: false };
  /** Letters of each column. */
  let widths: readonly number[] = [];
  let cursor = 0;
  const tall = element('div', { class: 'tall' });
  const body = element('div', { class: 'lines', role: 'rowgroup' });
  const scroller = element('div', { class: 'scroller' }, tall, body);
  const head = element('div', { role: 'rowgroup' });
  const cells = element('div', { class: 'cells', role: 'grid', 'aria-label': 'Rows of the search' }, head, scroller);
  const box = element('div', { class: 'plan-table', hidden: '' }, cells);
  scroller.addEventListener('scroll', () => render());
  cells.addEventListener('keydown', (event) => {
    if (event.target instanceof HTMLButtonElement) return;
    const page = Math.max(1, visible() - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -cursor,
      End: order.length,
    };
    if (event.key === 'Enter' && order[cursor] !== undefined) {
      const { row } = order[cursor];
      if (row === selected) actions.write(row);
      else actions.select(row);
    }
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    cursor = Math.max(0, Math.min(order.length - 1, cursor + step));
    const first = firstRow();
    if (cursor < first || cursor >= first + visible() - 1)
      scroller.scrollTop = (Math.max(0, cursor - 1) / last()) * range();
    render();
    body.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  });

  const visible = (): number => Math.max(1, Math.ceil(scroller.clientHeight / rowHeight));
  const height = (): number => Math.min(tallest, order.length * rowHeight);
  const range = (): number => Math.max(1, height() - scroller.clientHeight);
  const last = (): number => Math.max(1, order.length - visible() + 1);
  const firstRow = (): number => Math.round((scroller.scrollTop / range()) * last());

  function sort(): void {
    if (search === undefined) return;
    columns = columnsOf(search);
    const { value } = columns[Math.min(sorted.column, columns.length - 1)];
    const sign = sorted.descending ? -1 : 1;
    order = search.points
      .map((point) => ({ point, key: value(point) }))
      .toSorted(
        (a, b) => sign * compare(a.key, b.key) || a.point.iteration - b.point.iteration || a.point.row - b.point.row,
      )
      .map(({ point }) => point);
    const letters = columns.map(({ name, text }) =>
      order.slice(0, measured).reduce((most, point) => Math.max(most, text(point).length), name.length + headerRoom),
    );
    widths = letters.map((count) => Math.min(widest, Math.max(narrowest, count)));
    cells.style.setProperty('--wide', `${widths.reduce((sum, width) => sum + width * letter + padding, 0)}px`);
  }

  /** A cell as wide as its column. */
  function sized(cell: HTMLElement, index: number): HTMLElement {
    cell.style.flexGrow = String(widths[index]);
    return cell;
  }

  function header(name: string, index: number): HTMLElement {
    const isSorted = sorted.column === index;
    const direction = !isSorted ? 'none' : sorted.descending ? 'descending' : 'ascending';
    const made = element('button', { type: 'button', class: 'sort', title: `Sort by ${name}` }, name);
    made.append(element('span', { 'aria-hidden': 'true' }, !isSorted ? '' : sorted.descending ? ' ↓' : ' ↑'));
    made.addEventListener('click', () => {
      sorted = { column: index, descending: isSorted && !sorted.descending };
      sort();
      render();
      head.querySelectorAll('button').item(index).focus();
    });
    return sized(element('div', { role: 'columnheader', 'aria-sort': direction }, made), index);
  }

  function render(): void {
    if (box.hidden || search === undefined) return;
    const hadFocus = body.contains(document.activeElement);
    head.replaceChildren(
      element('div', { role: 'row', 'aria-rowindex': '1' }, ...columns.map(({ name }, index) => header(name, index))),
    );
    cells.setAttribute('aria-rowcount', String(order.length + 1));
    tall.style.height = `${height()}px`;
    const first = Math.min(firstRow(), Math.max(0, order.length - 1));
    cursor = Math.min(cursor, Math.max(0, order.length - 1));
    const end = Math.min(order.length, first + visible());
    const anchor = cursor >= first && cursor < end ? cursor : first;
    const onFront = new Set(search.front);
    body.replaceChildren(
      ...order.slice(first, end).map((point, index) => {
        const line = element(
          'div',
          {
            role: 'row',
            'aria-rowindex': String(first + index + 2),
            'aria-selected': String(point.row === selected),
            tabindex: first + index === anchor ? '0' : '-1',
            class: `${onFront.has(point) ? 'front' : ''}${point.meets ? '' : ' over'}`,
          },
          ...columns.map(({ text }, place) => sized(element('div', { role: 'gridcell' }, text(point)), place)),
        );
        line.addEventListener('click', () => {
          cursor = first + index;
          actions.select(point.row);
        });
        return line;
      }),
    );
    body.style.transform = `translateY(${scroller.scrollTop}px)`;
    if (hadFocus) body.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  return {
    element: box,
    update(next: PlanSearchState, row: number | undefined): void {
      search = next;
      selected = row;
      if (box.hidden) return;
      sort();
      render();
    },
    show(shown: boolean): void {
      box.hidden = !shown;
      sort();
      render();
      if (shown) body.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
    },
    isShown: (): boolean => !box.hidden,
  };
}

const compare = (a: number | string, b: number | string): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
