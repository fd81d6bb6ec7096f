import { element, setShare, setText } from '../../controls/dom.ts';
import { memoryHead, memoryNotes, memoryRows, memoryTitle } from '../../../engine/measured/memoryBeside.ts';
import type { RunFigures } from '../../picture/runFigures.ts';
import {
  driftHead,
  driftNote,
  driftRows,
  rankRows,
  shareRows,
  stragglerRows,
  timeParts,
} from '../../session/runWords.ts';

export interface RunPanelState {
  readonly figures: RunFigures;
  /** Names of the plan's devices. */
  readonly devices: readonly string[];
  /** What the files lack, and steps that were left out. */
  readonly remarks: readonly string[];
}

/** What a recorded run says next to its plan: causes, drifted operations, time and memory of each rank, stragglers. */
export function runPanel() {
  const causes = section('Why it differs');
  const drifts = section('Drifted operations');
  const ranks = section('Time of each rank');
  const memory = section('Peak memory');
  const stragglers = section('Stragglers');
  const remarks = section('Left out');
  const box = element(
    'div',
    { class: 'run-panel', role: 'region', 'aria-label': 'The run in figures', tabindex: '0', hidden: '' },
    ...[causes, drifts, ranks, memory, stragglers, remarks].map((each) => each.element),
  );
  let shown: RunPanelState | undefined;
  return {
    element: box,
    update(state: RunPanelState | undefined): void {
      box.hidden = state === undefined;
      if (state === undefined || state === shown) return;
      if (state.figures === shown?.figures && state.remarks === shown.remarks) return;
      shown = state;
      const { figures, devices } = state;
      causes.show(
        grid('Shares of the difference', shareRows(figures), { head: undefined, sum: true }),
        note(`Order: ${figures.order}`),
      );
      const rows = driftRows(figures);
      drifts.show(
        ...(rows.length === 0
          ? [note('Every operation takes what was planned, within its interval.')]
          : [grid('Drifted operations', rows, { head: driftHead })]),
        note(driftNote(figures)),
      );
      ranks.show(note('The parts add up to the iteration.'), ...rankBars(figures, devices));
      memory.element.hidden = figures.memory.length === 0;
      memory.show(
        grid(memoryTitle, memoryRows(figures.memory, devices), { head: memoryHead }),
        note(`${memoryTitle}.`),
        ...memoryNotes(figures.memory).map(note),
      );
      stragglers.show(
        element(
          'dl',
          {},
          ...stragglerRows(figures, devices).flatMap(([symbol, value, meaning]) => [
            element('dt', {}, symbol),
            element('dd', {}, element('strong', {}, value), ` ${meaning}`),
          ]),
        ),
      );
      const left = [figures.replicas, ...state.remarks].filter((text) => text !== '');
      remarks.element.hidden = left.length === 0;
      remarks.show(...left.map(note));
    },
  };
}

function section(title: string) {
  const body = element('div');
  const made = element('section', {}, element('h3', {}, title), body);
  return {
    element: made,
    show: (...content: readonly HTMLElement[]): void => body.replaceChildren(...content.filter((one) => !one.hidden)),
  };
}

function note(text: string): HTMLElement {
  const made = element('p', { class: 'dim' }, text);
  made.hidden = text === '';
  return made;
}

/** Text in columns; all but the first are figures. */
function grid(
  name: string,
  rows: readonly (readonly string[])[],
  { head, sum = false }: { readonly head?: readonly string[] | undefined; readonly sum?: boolean },
): HTMLElement {
  const table = element('table', { 'aria-label': name });
  if (head !== undefined) {
    const cells = head.map((text) => element('th', { scope: 'col' }, text));
    table.append(element('thead', {}, element('tr', {}, ...cells)));
  }
  const body = rows.map((row, at) =>
    element(
      'tr',
      sum && at === rows.length - 1 ? { class: 'sum' } : {},
      ...row.map((text, column) => (column === 0 ? element('th', { scope: 'row' }, text) : element('td', {}, text))),
    ),
  );
  table.append(element('tbody', {}, ...body));
  return table;
}

/** Most ranks with a bar: of more, the table of the command line has all. */
const mostBars = 64;

function rankBars(figures: RunFigures, devices: readonly string[]): readonly HTMLElement[] {
  const legend = element(
    'p',
    { class: 'run-parts' },
    ...timeParts.map(([kind, words]) =>
      element('span', {}, element('span', { class: `run-part part-${kind}`, 'aria-hidden': 'true' }), words),
    ),
  );
  const rows = rankRows(figures, devices);
  const bars = rows.slice(0, mostBars).map(({ name, parts, seconds, beyond }) => {
    const words = timeParts.map(([, what], part) => `${what} ${seconds[part]}`).join(', ');
    const bar = element('div', { class: 'run-bar', role: 'img', 'aria-label': `${name}: ${words}`, title: words });
    for (const [part, [kind]] of timeParts.entries()) {
      const piece = element('span', { class: `run-part part-${kind}` });
      setShare(piece, parts[part]);
      bar.append(piece);
    }
    const more = element('span', { class: 'dim' });
    setText(more, `idle beyond the simulation: ${beyond}`);
    return element('div', { class: 'run-rank' }, element('strong', {}, name), bar, more);
  });
  return [legend, ...bars, ...(rows.length > mostBars ? [note(`And ${rows.length - mostBars} more ranks.`)] : [])];
}
