/** What the page shows of a schedule that never ends. */
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { count, moment } from '../../../../engine/basics/quantities.ts';
import type { Stall } from '../../../../engine/flow/stall.ts';
import { element, setText } from '../../../controls/dom.ts';
import { shownRows, stallFigures } from '../../../picture/stalledRows.ts';
import type { Theme } from '../../scene/theme.ts';
import { noMarks, stallDrawing, type StallMarks } from './stallDrawing.ts';
import { mostRows } from './stallLayout.ts';
import { type FixActions, stallFixes } from './stallFixes.ts';
import { stallSteps } from './stallSteps.ts';

export interface StallActions {
  /** Shows the text that a path comes from. */
  reveal(path: string): void;
  /** The panel links to the lines of these paths. */
  links(paths: readonly string[]): void;
  /** The panel shows a deadlock of this pipeline: fixes for it may be looked for. */
  seen(pipeline: string): void;
  readonly fixes: FixActions;
}

export interface ShownStall {
  readonly stall: Stall;
  readonly plan: PipelinePlan;
}

export function stallPanel(actions: StallActions) {
  const figures = element('p', { class: 'stall-figures' });
  const plot = element('div', {
    class: 'stall-plot',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Drawing of the deadlock',
  });
  const folded = element('p', { class: 'stall-folded dim' });
  const which = element('span');
  const previous = element('button', { type: 'button', class: 'toggle', 'aria-label': 'Previous circle' }, '‹');
  const next = element('button', { type: 'button', class: 'toggle', 'aria-label': 'Next circle' }, '›');
  const circles = element(
    'div',
    { class: 'stall-circles', role: 'group', 'aria-label': 'Circles of waiting' },
    previous,
    which,
    next,
  );
  const steps = stallSteps(actions.reveal);
  const fixes = stallFixes(actions.fixes);
  const panel = element(
    'section',
    { class: 'stall', 'aria-label': 'Deadlock', hidden: '' },
    figures,
    plot,
    folded,
    circles,
    steps.element,
    fixes.element,
  );
  let shown: ShownStall | undefined;
  let theme: Theme | undefined;
  let index = 0;
  let width = 0;
  let marks = noMarks;

  function draw(): void {
    if (shown === undefined || theme === undefined || width <= 0) return;
    const { stall, plan } = shown;
    plot.replaceChildren(stallDrawing(stall, plan, stall.circles[index].circle, width, theme, marks));
  }

  function showCircle(): void {
    if (shown === undefined) return;
    const { stall, plan } = shown;
    const { circle } = stall.circles[index];
    const { waiting, done } = shownRows(stall, circle, mostRows);
    setText(folded, foldedText(waiting, done));
    folded.hidden = waiting + done === 0;
    circles.hidden = stall.circles.length < 2;
    setText(which, `Circle ${index + 1} of ${stall.circles.length}`);
    draw();
    actions.links(steps.update(stall, plan, circle));
  }

  const turn = (by: number) => (): void => {
    if (shown === undefined) return;
    index = (index + by + shown.stall.circles.length) % shown.stall.circles.length;
    showCircle();
  };
  previous.addEventListener('click', turn(-1));
  next.addEventListener('click', turn(1));
  new ResizeObserver(() => {
    if (plot.clientWidth === width) return;
    width = plot.clientWidth;
    draw();
  }).observe(plot);

  return {
    element: panel,
    update(found: ShownStall, colours: Theme): void {
      shown = found;
      const { stall } = found;
      theme = colours;
      index = 0;
      marks = noMarks;
      panel.hidden = false;
      const { ran, operations, waiting } = stallFigures(stall);
      figures.replaceChildren(
        element(
          'span',
          {},
          element('strong', { class: 'alarm' }, 'Deadlock'),
          ' after ',
          element('strong', {}, moment(stall.seconds)),
        ),
        element('span', {}, `${ran.toLocaleString('en-US')} of ${count(operations, 'operation', 'operations')} ran`),
        element('span', {}, count(waiting, 'device waits', 'devices wait')),
      );
      width = plot.clientWidth;
      showCircle();
      fixes.update([]);
      actions.seen(found.plan.name);
    },
    /** Shows what a search found, and brings the operation that it is at into sight. */
    mark(found: StallMarks): void {
      marks = found;
      draw();
      plot.querySelector('.stall-current')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    },
    showFixes: fixes.update,
    /** The editor has another theme. */
    recolour(colours: Theme): void {
      theme = colours;
      draw();
    },
    showLines: steps.showLines,
  };
}

function foldedText(waiting: number, done: number): string {
  const parts = [
    ...(waiting > 0 ? [count(waiting, 'more device waits', 'more devices wait')] : []),
    ...(done > 0 ? [count(done, 'other device ran all its operations', 'other devices ran all their operations')] : []),
  ];
  return `${parts.join(', ')}.`;
}
