import type { PipelinePlan } from '../../../engine/plan.ts';
import { cutStages } from '../../../engine/stages.ts';
import { count } from '../../../engine/quantities.ts';
import { button, choice, dropdown, toggle } from '../../controls/toolkit.ts';
import { element, setText } from '../../controls/dom.ts';
import { type SearchActions, searchBox } from './searchBox.ts';
import type { ColourBy } from '../../protocol/messages.ts';
import type { Settings } from '../../session/settings.ts';

export interface HeaderActions {
  colourBy(colourBy: ColourBy): void;
  criticalPath(shown: boolean): void;
  readonly search: SearchActions;
  fit(): void;
  table(): void;
  help(): void;
  openSource(): void;
  pipeline(name: string): void;
}

/** Name of the schedule, its shape, where it is written, and what can be done with the picture. */
export function header(actions: HeaderActions) {
  const title = element('h1', {}, 'Pipeline preview');
  const shape = element('span', { class: 'dim' });
  const link = element('button', { type: 'button', class: 'link', title: 'Open the source' });
  link.addEventListener('click', actions.openSource);
  const chooser = dropdown('Pipeline', actions.pipeline);
  const colours = choice<ColourBy>(
    'Colour by',
    [
      ['operation', 'Operation'],
      ['microbatch', 'Microbatch'],
      ['chunk', 'Chunk'],
      ['version', 'Version'],
    ],
    actions.colourBy,
  );
  const critical = toggle('Critical path', actions.criticalPath, 'Show one critical path (C)');
  const search = searchBox(actions.search);
  const bar = element(
    'header',
    {},
    element('div', { class: 'identity' }, title, shape, chooser.element, link),
    element(
      'div',
      { class: 'tools', role: 'toolbar', 'aria-label': 'Timeline' },
      colours.element,
      critical.element,
      search.element,
    ),
    element(
      'div',
      { class: 'actions' },
      button('Fit', actions.fit, 'Fit all (0)').element,
      button('Table', actions.table, 'Table of all blocks (T)').element,
      button('?', actions.help, 'Keyboard shortcuts (?)').element,
    ),
  );
  let hasVersions = false;
  let shownColours: ColourBy = 'operation';
  function showColours(): void {
    colours.setShown('version', hasVersions);
    colours.setValue(shownColours === 'version' && !hasVersions ? 'operation' : shownColours);
  }
  showColours();
  return {
    element: bar,
    focusSearch: search.focus,
    clearSearch: search.clear,
    showFound: search.show,
    /** Whether operations use different versions of the weights. */
    setVersions(shown: boolean): void {
      hasVersions = shown;
      showColours();
    },
    update(file: string, plan: PipelinePlan, names: readonly string[], settings: Settings): void {
      setText(title, plan.schedule.name);
      setText(shape, shapeText(plan));
      shape.title = symbolsText(plan);
      setText(link, file);
      chooser.element.hidden = names.length < 2;
      chooser.setOptions(names);
      chooser.setValue(plan.name);
      shownColours = settings.colourBy;
      showColours();
      critical.setValue(settings.criticalPath);
    },
  };
}

/** `4 devices · 8 microbatches × 3 iterations · 2 chunks per device`. */
function shapeText(plan: PipelinePlan): string {
  const iterations = plan.iterations > 1 ? ` × ${plan.iterations} iterations` : '';
  return [
    count(plan.devices.length, 'device', 'devices'),
    `${count(plan.microbatches, 'microbatch', 'microbatches')}${iterations}`,
    cutText(plan),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** The same in the symbols of papers, for the tooltip. */
function symbolsText(plan: PipelinePlan): string {
  const iterations = plan.iterations > 1 ? `, ${plan.iterations} iterations back to back` : '';
  return `p = ${plan.devices.length}, m = ${plan.microbatches}${iterations}`;
}

/** How the model is cut; empty for one stage per device. `2 chunks per device`, `8 stages × 2 copies`, `4 stages × 4 segments`. */
function cutText(plan: PipelinePlan): string {
  const stages = cutStages(plan).length;
  const segments = plan.stages[0]?.copy?.segments ?? 1;
  if (segments > 1) return `${count(stages, 'stage', 'stages')} × ${segments} segments`;
  if (plan.stages.length === 2 * stages && plan.stages.every(({ copy }) => copy !== undefined))
    return `${count(stages, 'stage', 'stages')} × 2 copies`;
  const chunks = plan.devices.length === 0 ? 0 : plan.stages.length / plan.devices.length;
  if (chunks === 1 && plan.stages.length === stages) return '';
  return plan.stages.length === stages && Number.isInteger(chunks)
    ? `${count(chunks, 'chunk', 'chunks')} per device`
    : count(stages, 'stage', 'stages');
}
