/** What an empty file shows: examples to begin with. */
import { iterationTime } from '../../../engine/basics/quantities.ts';
import { element } from '../../controls/dom.ts';
import { svg } from '../../controls/svg.ts';
import { kindForward, kindInput, kindOptimizer, kindWeight } from '../../picture/columns.ts';
import type { ExampleCard } from '../../session/exampleCards.ts';
import { css, mix } from '../scene/colour.ts';
import type { Theme } from '../scene/theme.ts';
import { smallShare } from '../../session/smallShare.ts';

export interface EmptyActions {
  insert(name: string): void;
  importSchedule(): void;
  openExamples(): void;
  openGuide(): void;
}

export const emptyTitle = 'This file has no pipeline yet';

const rowHeight = 15;
const pitch = 18;
const laneHeight = 5;
const lanePitch = 8;
const pageWidth = 292;

export function emptyPanel(cards: readonly ExampleCard[], actions: EmptyActions) {
  const pictures = cards.map((card) => ({ card, place: element('span', { class: 'example-picture' }) }));
  const imported = element('span', { class: 'example-picture' });
  const examples = pictures.map(({ card, place }) => {
    const { name, title, text, lines, iteration, bubble, notes } = card;
    const figures = [`${lines} lines`, iterationTime(iteration), `bubble ${smallShare(bubble)}`, ...notes];
    return exampleCard(title, text, place, element('span', { class: 'dim figures' }, ...figures.map(span)), () =>
      actions.insert(name),
    );
  });
  const importing = exampleCard(
    'Import a PyTorch schedule',
    'A CSV of pipeline actions, one row per rank; also profiles and configurations.',
    imported,
    element('span', { class: 'link-like' }, 'Choose a file…'),
    actions.importSchedule,
  );
  return {
    element: element(
      'section',
      { class: 'empty-file', 'aria-label': emptyTitle },
      element('h2', {}, emptyTitle),
      element(
        'p',
        { class: 'dim' },
        'Write one and its timeline appears here as you type, or start from an example. The text is inserted at the cursor; one undo removes it.',
      ),
      element('div', { class: 'examples' }, ...examples, importing),
      element(
        'div',
        { class: 'empty-links' },
        link('All examples', actions.openExamples),
        link('Language guide', actions.openGuide),
        element('span', { class: 'dim' }, element('kbd', {}, 'Tab'), ' and ', element('kbd', {}, 'Enter'), ' choose'),
      ),
    ),
    update(theme: Theme): void {
      for (const { card, place } of pictures) place.replaceChildren(timelineOf(card, theme, 0));
      const [first] = cards;
      if (first !== undefined) imported.replaceChildren(importOf(first, theme));
    },
  };
}

const span = (text: string): HTMLElement => element('span', {}, text);

function exampleCard(
  title: string,
  text: string,
  picture: HTMLElement,
  foot: HTMLElement,
  run: () => void,
): HTMLElement {
  const made = element(
    'button',
    { type: 'button', class: 'example' },
    picture,
    element('span', { class: 'example-text' }, element('strong', {}, title), span(text), foot),
  );
  made.addEventListener('click', run);
  return made;
}

function link(label: string, run: () => void): HTMLElement {
  const made = element('button', { type: 'button', class: 'link' }, label);
  made.addEventListener('click', run);
  return made;
}

const kinds: Readonly<Record<string, number>> = { F: kindForward, I: kindInput, W: kindWeight };

/** The rows of an example's simulation from `left` on; idle time is tinted. */
function timelineOf({ rows, lanes }: ExampleCard, theme: Theme, left: number): SVGElement {
  const each = lanes === undefined ? pitch : pitch + lanePitch;
  const height = rows.length * each - (pitch - rowHeight);
  const drawing = svg('svg', {
    viewBox: `0 0 ${pageWidth} ${height}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  rows.forEach((row, index) => drawing.append(...rowOf(row, index * each, theme, left)));
  lanes?.forEach((lane, index) => drawing.append(...laneOf(lane, index * each + pitch, theme, left)));
  return drawing;
}

/** What is sent, in the colours of layers. */
function laneOf(lane: string, y: number, theme: Theme, left: number): SVGElement[] {
  const cell = (pageWidth - left) / lane.length;
  return [...lane.matchAll(/(\d)\1*/g)].map(({ 0: run, index }) =>
    svg('rect', {
      x: left + index * cell,
      y,
      width: run.length * cell,
      height: laneHeight,
      fill: css(theme.hues[Number(run[0])]),
    }),
  );
}

function rowOf(row: string, y: number, theme: Theme, left: number): SVGElement[] {
  const cell = (pageWidth - left) / row.length;
  const idle = css(mix(theme.background, theme.foreground, 0.1));
  const drawn: SVGElement[] = [svg('rect', { x: left, y, width: pageWidth - left, height: rowHeight, fill: idle })];
  for (let from = 0; from < row.length;) {
    const kind = row[from].toUpperCase();
    let to = from + 1;
    while (to < row.length && row[to] === kind) to += 1;
    if (kind !== ' ') {
      const begins = row[from] !== kind && to - from > 2 ? 0.8 : 0;
      const [x, width] = [left + from * cell + begins, (to - from) * cell - begins];
      drawn.push(svg('rect', { x, y, width, height: rowHeight, fill: css(theme.kinds[kinds[kind] ?? kindOptimizer]) }));
    }
    from = to;
  }
  return drawn;
}

/** The first cells of a schedule as PyTorch writes them, and its timeline. */
function importOf(card: ExampleCard, theme: Theme): SVGElement {
  const drawing = timelineOf(card, theme, 136);
  drawing.append(
    svg('rect', {
      x: 0,
      y: 0,
      width: 112,
      height: card.rows.length * pitch - 3,
      rx: 3,
      fill: css(mix(theme.background, theme.foreground, 0.1)),
    }),
    ...card.csv.map((cells, index) =>
      svg(
        'text',
        { x: 6, y: index * pitch + 12, 'font-size': 9, 'font-family': 'monospace', fill: css(theme.dim) },
        `${cells},`,
      ),
    ),
    svg('path', { d: 'M116 36 h12 M124 32 l5 4 l-5 4', fill: 'none', stroke: css(theme.dim), 'stroke-width': 1.4 }),
  );
  return drawing;
}
