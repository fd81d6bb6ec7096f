import { element, setShare, setText } from '../../controls/dom.ts';
import { iconButton } from '../../controls/iconButton.ts';
import { menuItem } from '../../controls/menu.ts';
import { opensPopover } from '../../controls/popover.ts';
import type { PlanSearchState } from '../../session/planFound.ts';
import { progressWords } from './words.ts';

export interface SearchControlActions {
  stop(): void;
  /** Goes on with a search that was stopped. */
  longer(): void;
  again(): void;
  save(format: 'csv' | 'json'): void;
  close(): void;
}

/** Over the plans of a search: how far it is, and what can be done with it. `turnTable`: shows the table, or the drawing again. */
export function searchControls(actions: SearchControlActions, turnTable: () => void) {
  const heading = element('h2');
  const progress = element('span', { class: 'plan-progress dim' });
  const stop = searchButton('Stop', actions.stop);
  const longer = searchButton('Search longer', actions.longer);
  const again = searchButton('Search again', actions.again);
  const table = searchButton('Table', turnTable);
  table.setAttribute('aria-pressed', 'false');
  const save = element('button', { type: 'button', class: 'race-version' }, 'Save…');
  opensPopover(save, 'Save', () =>
    element(
      'div',
      { class: 'menu' },
      menuItem('CSV, one line for each row', '', () => actions.save('csv')),
      menuItem('JSON, all that the terminal writes', '', () => actions.save('json')),
    ),
  );
  const line = element('div', {
    class: 'plan-line',
    role: 'progressbar',
    'aria-label': 'Rows of the search',
    'aria-valuemin': '0',
    'aria-valuemax': '100',
  });
  const bar = element(
    'div',
    { class: 'race-bar-top' },
    heading,
    iconButton('close', 'Back to the timeline (Esc)', actions.close),
    progress,
    stop,
    longer,
    again,
    table,
    save,
  );
  return {
    bar,
    /** How many of the rows are decided. */
    line,
    /** Those that lead on, the most useful first. */
    buttons: [stop, longer, again, table] as const,
    showTable: (shown: boolean): void => table.setAttribute('aria-pressed', String(shown)),
    update(search: PlanSearchState): void {
      const { head, status, figures, points, outdated } = search;
      setText(heading, head === undefined ? 'Plan' : `Plan of ${head.pipeline}`);
      setText(progress, progressWords(search));
      const isRunning = status === 'running';
      stop.hidden = !isRunning;
      longer.hidden = isRunning || outdated || (figures?.unsearched ?? 0) === 0;
      again.hidden = isRunning || !(outdated || status === 'failed');
      save.hidden = isRunning || outdated || figures === undefined;
      table.hidden = points.length === 0;
      line.hidden = !isRunning;
      const part = search.total === 0 ? 0 : search.looked / search.total;
      setShare(line, part);
      line.setAttribute('aria-valuenow', String(Math.round(part * 100)));
    },
  };
}

export function searchButton(label: string, run: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'race-version' }, label);
  made.addEventListener('click', run);
  return made;
}
