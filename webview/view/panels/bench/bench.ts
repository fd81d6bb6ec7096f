/** What a schedule that is shown without a pipeline has between the bars and the timeline: its shape, and the shapes of its test. */
import type { ParamPlan } from '../../../../engine/values/plan.ts';
import { count } from '../../../../engine/basics/quantities.ts';
import { element, setText } from '../../../controls/dom.ts';
import { icon } from '../../../controls/icon.ts';
import type { ShownSchedule } from '../../../session/fileNames.ts';
import { testedTable, type TestedTable } from '../../../../engine/grid/testedTable.ts';
import { kindForward, kindInput, kindWeight } from '../../../picture/columns.ts';
import { css } from '../../scene/colour.ts';
import type { Theme } from '../../scene/theme.ts';
import { type ParamActions, paramRow } from '../paramRow.ts';
import { shapeGrid } from './shapeGrid.ts';
import { stamp, type StampActions } from './stamp.ts';

export interface BenchActions extends ParamActions, StampActions {
  turnAll(values: Readonly<Record<string, number>>): void;
}

const paintedKinds = [
  ['forward', kindForward],
  ['input', kindInput],
  ['weight', kindWeight],
] as const;

const assumption =
  'Equal stages: F = I = W = 1 s and B = 2 s, one activation for each microbatch in flight, free transfers.';

export interface BenchHost {
  /** It has another height. */
  resized(): void;
  /** The reader has opened or closed it. */
  turned(open: boolean): void;
}

export function bench(actions: BenchActions, { resized, turned }: BenchHost) {
  const sliders = element('div', { class: 'bench-sliders' });
  const summary = element('span', { class: 'bench-summary' });
  const opener = element(
    'button',
    { type: 'button', class: 'bench-opener', 'aria-expanded': 'true', title: assumption },
    icon('down'),
    summary,
  );
  let name = '';
  const grid = shapeGrid((devices, microbatches) =>
    actions.turnAll({ [`${name}.devices`]: devices, [`${name}.microbatches`]: microbatches }),
  );
  const stampBoard = stamp(actions);
  const content = element(
    'div',
    { class: 'bench-content' },
    grid.element,
    element('p', { class: 'dim' }, assumption),
    stampBoard.element,
  );
  const section = element(
    'section',
    { class: 'bench', 'aria-label': 'Shape of the schedule', hidden: '' },
    element('div', { class: 'bench-head' }, opener, sliders),
    content,
  );
  const rows = new Map<string, ReturnType<typeof paramRow>>();
  /** The last finished test: while the next one runs, its cells stay. */
  let tested: { readonly axes: string; readonly table: TestedTable } | undefined;
  let open = true;

  function setOpen(next: boolean): void {
    open = next;
    show();
    resized();
  }
  opener.addEventListener('click', () => {
    setOpen(!open);
    turned(open);
  });
  function show(): void {
    content.hidden = !open;
    opener.setAttribute('aria-expanded', String(open));
  }

  function tableOf(schedule: ShownSchedule): TestedTable | undefined {
    const axes = JSON.stringify([schedule.name, schedule.axes]);
    if (schedule.verdicts === '' && tested?.axes === axes) return tested.table;
    const table = testedTable(schedule);
    tested = table === undefined ? undefined : { axes, table };
    return table;
  }

  return {
    element: section,
    /** A low page has no room for it. */
    isOpen: () => content.checkVisibility(),
    setOpen,
    /** The answer to a move of the building block. */
    slotMoved: stampBoard.moved,
    recolour({ kinds, labels }: Theme): void {
      for (const [name, kind] of paintedKinds) {
        section.style.setProperty(`--kind-${name}`, css(kinds[kind]));
        section.style.setProperty(`--label-${name}`, css(labels[kind]));
      }
      section.style.setProperty('--pass', css(kinds[kindWeight]));
    },
    /** `params`: all of the schedule on show; undefined for a pipeline. */
    update(
      schedule: ShownSchedule | undefined,
      params: readonly ParamPlan[],
      overrides: Readonly<Record<string, number>>,
    ) {
      const was = section.hidden;
      section.hidden = schedule === undefined;
      if (was !== section.hidden) resized();
      if (schedule === undefined) return;
      const shape = params.filter(({ argument }) => argument?.shape === true);
      if (schedule.name !== name) {
        name = schedule.name;
        rows.clear();
      }
      for (const param of shape) {
        const row = rows.get(param.name) ?? paramRow(param, actions);
        rows.set(param.name, row);
        row.update(param, overrides[param.name]);
      }
      const shown = Array.from(rows.values(), (row) => row.element);
      if (shown.some((row, index) => sliders.children[index] !== row) || sliders.childElementCount !== shown.length)
        sliders.replaceChildren(...shown);
      const numbers = Object.fromEntries(
        params.map(({ name: full, value, argument }) => [argument?.parameter ?? full, overrides[full] ?? value]),
      );
      const { devices = 0, microbatches = 0, ...args } = numbers;
      const table = tableOf(schedule);
      grid.element.hidden = table === undefined;
      if (table !== undefined) grid.update(table, { devices, microbatches }, args);
      setText(summary, table === undefined ? 'Not tested' : summaryOf(table));
      section.classList.toggle('failing', (table?.counts.failed ?? 0) > 0);
      section.classList.toggle('unplanned', schedule.problem !== undefined);
      stampBoard.update(schedule);
      show();
    },
  };
}

/** `84 shapes: 80 ✓, 3 ✕, 1 refused`. */
function summaryOf({ devices, microbatches, counts }: TestedTable): string {
  const { passed, failed, refused } = counts;
  const all = passed + failed + refused;
  if (all === 0) return `Testing ${count(devices.length * microbatches.length, 'shape', 'shapes')}…`;
  const parts = [
    `${passed} pass`,
    ...(failed === 0 ? [] : [`${failed} fail`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ];
  return `${count(all, 'shape', 'shapes')}: ${parts.join(', ')}`;
}
