import type { Axis } from '../../../engine/definitions/search.ts';
import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import { rowName } from '../../../engine/sweep/rowName.ts';
import { share } from '../../../engine/basics/quantities.ts';
import { element, setText } from '../../controls/dom.ts';
import { button } from '../../controls/toolkit.ts';
import type { PlanSearchState } from '../../session/planFound.ts';
import { againstFile, bestWords, figureWords, fileFigures, missWords, roomWords, rowCounts } from './words.ts';

export interface CardActions {
  /** Writes a row into the file. */
  write(row: number): void;
  /** Shows what a row gives, without writing it. */
  show(row: number): void;
  /** Shows a row next to the file, on one axis. */
  compare(row: number): void;
}

/** Reasons that are listed; the terminal lists all. */
const mostReasons = 10;

/** The selected plan with its settings, what can be done with it, and what became of all rows. */
export function planCard(actions: CardActions) {
  const title = element('h3');
  const state = element('p', { class: 'plan-state' });
  const settings = element('dl', { class: 'plan-settings' });
  let shown = -1;
  const write = button('Write this plan', () => actions.write(shown), 'Write this plan into the file', 'primary');
  const show = button('Show it', () => actions.show(shown), 'Show it: the timeline of this plan, without writing it');
  const compare = button(
    'Compare with the file',
    () => actions.compare(shown),
    'Compare with the file: both timelines on one axis',
  );
  const buttons = element('div', { class: 'plan-actions' }, write.element, show.element, compare.element);
  const changes = element('div', { class: 'plan-changes' });
  const plan = element(
    'section',
    { class: 'plan-card', 'aria-label': 'Selected plan' },
    title,
    state,
    buttons,
    settings,
    changes,
  );
  const counts = element('dl', { class: 'plan-counts' });
  const rows = element('details', { class: 'plan-rows' }, element('summary', {}, 'What became of the rows'), counts);
  const box = element('aside', { class: 'plan-side', 'aria-label': 'Plan' }, plan, rows);

  return {
    element: box,
    update(search: PlanSearchState, point: FoundPoint | undefined): void {
      const { figures, outdated, fileRow } = search;
      plan.hidden = point === undefined;
      rows.hidden = figures === undefined;
      box.hidden = plan.hidden && rows.hidden;
      if (point !== undefined) {
        shown = point.row;
        const isBest = figures?.best === point.row;
        setText(title, figureWords(point));
        const lines = [
          search.front.length === 0 && point === search.smallest ? 'Needs least memory of all rows' : '',
          isBest ? bestWords(figures) : '',
          missWords(point),
          roomWords(point),
          point.row === fileRow ? 'this file is this plan' : againstFile(point, fileFigures(search)),
        ];
        const words = lines.filter((line) => line !== '').join('; ');
        setText(state, words.slice(0, 1).toUpperCase() + words.slice(1));
        state.classList.toggle('over', !point.meets);
        settings.replaceChildren(...pairs(settingsOf(point, search.head?.axes ?? [])));
        // The server says what the best row changes; of other rows, their settings say it.
        // They are changes of the file as it was searched.
        const found = isBest && fileRow === undefined && !outdated ? (figures.changes ?? []) : [];
        changes.hidden = found.length === 0;
        changes.replaceChildren(
          element('h4', {}, 'Changes in the file'),
          element('dl', {}, ...pairs(found.map(({ key, from, to }) => [key, `${from} → ${to}`] as const))),
        );
      }
      write.setDisabled(outdated || (point !== undefined && point.row === fileRow));
      show.setDisabled(outdated);
      compare.setDisabled(outdated || (point !== undefined && point.row === fileRow));
      if (figures === undefined) return;
      const all = rowCounts(figures);
      const rest = all.slice(mostReasons).reduce((sum, [number]) => sum + number, 0);
      const listed = [
        ...all.slice(0, mostReasons),
        ...(rest === 0 ? [] : [[rest, 'cannot be for other reasons'] as const]),
      ];
      counts.replaceChildren(
        ...pairs(listed.map(([number, words]) => [number.toLocaleString('en-US'), words] as const)),
      );
      // Nothing to look at but the reasons.
      if (search.points.length === 0) rows.open = true;
    },
  };
}

const settingsOf = (point: FoundPoint, axes: readonly Axis[]): readonly (readonly [string, string])[] => [
  ['row', rowName(axes, point.row)],
  ...Object.entries({ ...point.settings, pipeline: String(point.pipeline), data: String(point.data) }),
  ['microbatches', String(point.microbatches)],
  ['bubble', share(point.bubble)],
  ['samples/s', point.throughput.toPrecision(4)],
];

const pairs = (all: readonly (readonly [string, string])[]): readonly HTMLElement[] =>
  all.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]);
