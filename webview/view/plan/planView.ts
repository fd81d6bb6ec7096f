import { element, setText } from '../../controls/dom.ts';
import { list } from '../../../engine/basics/quantities.ts';
import type { PlanSearchState } from '../../session/planFound.ts';
import type { Theme } from '../scene/theme.ts';
import { type CardActions, planCard } from './card.ts';
import { leftOutLine } from './leftOut.ts';
import { planLegend } from './legend.ts';
import { looksOf } from './looks.ts';
import { scatter } from './scatter.ts';
import { searchButton, searchControls, type SearchControlActions } from './searchControls.ts';
import { sliderNotice, type Sliders } from './sliders.ts';
import { planTable } from './table.ts';

export interface PlanViewActions extends CardActions, SearchControlActions {
  /** Searches with the values of the sliders as they are; if no slider differs, with the values of the file. */
  withSliders(): void;
  select(row: number): void;
  /** Shows what is wrong in the text. */
  goto(): void;
}

export interface PlanViewState {
  readonly search: PlanSearchState;
  readonly theme: Theme;
  readonly selected: number | undefined;
  readonly sliders: Sliders;
}

/** The search for the fastest plan: its scatter, or its table, the selected plan, and how sure the answer is. */
export function planView(actions: PlanViewActions) {
  const controls = searchControls(actions, () => turnTable());
  const [stop, longer, again] = controls.buttons;
  const chart = scatter({ select: actions.select, write: actions.write });
  const legend = planLegend();
  const axes = element(
    'div',
    { class: 'plan-axes' },
    element('span', {}, element('strong', {}, 'Iteration'), element('span', { class: 'dim' }, ' lower left is better')),
    element('span', { class: 'dim' }, 'peak memory of the fullest device →'),
  );
  const message = element('div', { class: 'plan-message', hidden: '' });
  const drawing = element('div', { class: 'plan-chart' }, axes, chart.element, message, legend.element);
  const rows = planTable({ select: actions.select, write: actions.write });
  const card = planCard(actions);
  const body = element('div', { class: 'plan-body' }, drawing, rows.element, card.element);
  const sliderWords = element('span');
  const withSliders = searchButton('', actions.withSliders);
  const values = element('p', { class: 'plan-values', hidden: '' }, sliderWords, withSliders);
  const sentence = element('p', { class: 'plan-certificate', role: 'status' });
  const note = element('p', { class: 'plan-note' });
  const leftOut = leftOutLine();
  const box = element(
    'section',
    { class: 'plan', 'aria-label': 'Plan' },
    controls.bar,
    controls.line,
    values,
    body,
    sentence,
    note,
    leftOut.element,
  );
  let state: PlanViewState | undefined;

  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    actions.close();
  });

  function turnTable(): void {
    const shown = !rows.isShown();
    drawing.hidden = shown;
    controls.showTable(shown);
    rows.show(shown);
    if (!shown) update();
  }

  function update(): void {
    if (state === undefined) return;
    const { search, theme, selected, sliders } = state;
    const { head, figures, points, outdated, problem } = search;
    const focused = document.activeElement;
    const hadFocus = [stop, longer, again, withSliders].some((each) => each === focused);
    controls.update(search);
    if (points.length === 0 && rows.isShown()) turnTable();
    box.classList.toggle('outdated', outdated);
    const looks = looksOf(points, head ?? { axes: [] });
    legend.update(looks, theme);
    if (!drawing.hidden) chart.update({ search, looks, theme, selected });
    chart.describe(describe(search));
    rows.update(search, selected);
    card.update(
      search,
      points.find(({ row }) => row === selected),
    );
    showMessage(search);
    const notice = sliderNotice(search, sliders);
    values.hidden = notice === undefined;
    withSliders.hidden = notice?.button === undefined;
    setText(sliderWords, notice?.words ?? '');
    setText(withSliders, notice?.button ?? '');
    setText(
      sentence,
      outdated
        ? 'The file has been edited since this search: its figures are of the text before. Undo the edit, or search again.'
        : // In place of the drawing, unless there is one.
          message.hidden
          ? (problem ?? figures?.certificate ?? '')
          : (figures?.certificate ?? ''),
    );
    sentence.hidden = sentence.textContent === '';
    setText(note, notes(search, chart.outside()).join(' '));
    leftOut.update(outdated ? [] : (figures?.left_out ?? []));
    if (hadFocus && !isSeen(focused)) focus();
  }

  function showMessage({ status, points, figures, problem, range }: PlanSearchState): void {
    const text =
      problem !== undefined
        ? problem
        : points.length > 0
          ? ''
          : figures !== undefined
            ? 'No row could be simulated.'
            : status === 'running'
              ? 'Searching…'
              : '';
    message.hidden = text === '' || status === 'idle';
    chart.element.hidden = !message.hidden;
    axes.hidden = !message.hidden;
    if (message.hidden) return;
    const parts: (HTMLElement | string)[] = [element('p', {}, text)];
    if (range !== undefined) parts.push(searchButton(`Go to line ${range.start.line + 1}`, actions.goto));
    message.replaceChildren(...parts);
  }

  const isSeen = (node: Element | null): boolean => node instanceof HTMLElement && node.checkVisibility();

  /** To what the reader acts on: the points, otherwise the first button in sight. */
  function focus(): void {
    if (isSeen(chart.element)) return chart.focus();
    controls.buttons.find(isSeen)?.focus();
  }

  return {
    element: box,
    update(next: PlanViewState): void {
      state = next;
      update();
    },
    focus,
  };
}

function describe({ front, points, figures }: PlanSearchState): string {
  if (points.length === 0) return 'No plan yet';
  const many = `${points.length} plans, ${front.length} of them on the front of time and memory`;
  return figures === undefined ? many : `${many}. ${figures.certificate}`;
}

/** What the reader should know about the drawing. */
function notes({ head, note }: PlanSearchState, outside: number): readonly string[] {
  if (head === undefined) return [note].filter((text) => text !== '');
  const keys = list(head.axes.map(({ key, values }) => `${key} ${values.join(', ')}`));
  return [
    note,
    head.isDefault
      ? `The file has no search for this pipeline. These are usual values: ${keys}. Write a search block to choose others.`
      : '',
    outside === 0
      ? ''
      : `${outside.toLocaleString('en-US')} ${outside === 1 ? 'row lies' : 'rows lie'} outside the frame; the table has all.`,
  ].filter((text) => text !== '');
}
