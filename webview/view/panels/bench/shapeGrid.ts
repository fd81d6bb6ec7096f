/** The table of tested shapes: a row for each number of devices, a column for each number of microbatches. */
import { count } from '../../../../engine/basics/quantities.ts';
import { element, setText } from '../../../controls/dom.ts';
import { type CellVerdict, type TestedTable, verdictSigns } from '../../../../engine/grid/testedTable.ts';

const words: Readonly<Record<CellVerdict, string>> = {
  passed: 'passes',
  failed: 'fails',
  refused: 'refused by the schedule',
  untested: 'not tested yet',
};
/** Larger tables show their first rows and columns. */
const most = 64;
const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface Cell {
  readonly row: number;
  readonly column: number;
  readonly button: HTMLButtonElement;
}

/** `choose`: shows the schedule for a shape. */
export function shapeGrid(choose: (devices: number, microbatches: number) => void) {
  const body = element('tbody');
  const head = element('tr');
  const table = element(
    'table',
    { class: 'shapes', 'aria-label': 'Tested shapes: devices by row, microbatches by column' },
    element('thead', {}, head),
    body,
  );
  const box = element('div', { class: 'shapes-box' }, table);
  let cells: readonly Cell[] = [];
  let drawn = '';
  let now: TestedTable | undefined;

  function build(tested: TestedTable): void {
    const devices = tested.devices.slice(0, most);
    const microbatches = tested.microbatches.slice(0, most);
    const corner = element('th', { scope: 'col', title: 'devices p, microbatches m' }, 'p \\ m');
    head.replaceChildren(corner, ...microbatches.map((m) => element('th', { scope: 'col' }, String(m))));
    const made: Cell[] = [];
    body.replaceChildren(
      ...devices.map((p, row) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, String(p)),
          ...microbatches.map((m, column) => {
            const button = element('button', { type: 'button', class: 'shape-cell', tabindex: '-1' });
            button.addEventListener('click', () => choose(p, m));
            made.push({ row, column, button });
            return element('td', {}, button);
          }),
        ),
      ),
    );
    cells = made;
  }

  function go(from: Cell, [down, right]: readonly [number, number]): void {
    const next = cells.find(({ row, column }) => row === from.row + down && column === from.column + right);
    if (next === undefined || now === undefined) return;
    next.button.focus();
    choose(now.devices[next.row], now.microbatches[next.column]);
  }

  table.addEventListener('keydown', (event) => {
    const from = cells.find(({ button }) => button === event.target);
    const step = steps[event.key];
    if (from === undefined || step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    go(from, step);
  });

  return {
    element: box,
    update(
      tested: TestedTable,
      shown: { readonly devices: number; readonly microbatches: number },
      args: Readonly<Record<string, number>>,
    ): void {
      const shape = JSON.stringify([tested.devices, tested.microbatches]);
      if (shape !== drawn) build(tested);
      drawn = shape;
      now = tested;
      let reachable: HTMLButtonElement | undefined;
      for (const { row, column, button } of cells) {
        const [p, m] = [tested.devices[row], tested.microbatches[column]];
        const verdict = tested.verdict(row, column, args);
        const current = p === shown.devices && m === shown.microbatches;
        setText(button, verdictSigns[verdict]);
        button.dataset.verdict = verdict;
        button.setAttribute('aria-pressed', String(current));
        button.setAttribute(
          'aria-label',
          `${count(p, 'device', 'devices')}, ${count(m, 'microbatch', 'microbatches')}: ${words[verdict]}`,
        );
        button.title = `p = ${p}, m = ${m}: ${words[verdict]}`;
        button.tabIndex = -1;
        if (current) reachable = button;
      }
      const entry = reachable ?? cells[0]?.button;
      if (entry !== undefined) entry.tabIndex = 0;
      const hidden = tested.devices.length > most || tested.microbatches.length > most;
      box.title = hidden ? `The first ${most} devices and microbatches are listed.` : '';
    },
  };
}
