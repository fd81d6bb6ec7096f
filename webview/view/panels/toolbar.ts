import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { element, setText } from '../../controls/dom.ts';
import { iconButton } from '../../controls/iconButton.ts';
import { opensPopover } from '../../controls/popover.ts';
import { dropdown } from '../../controls/toolkit.ts';
import type { Settings } from '../../session/settings.ts';
import { colourChoice } from './colourings.ts';
import { errorNotice } from './errorNotice.ts';
import { type MenuActions, moreMenu } from './moreMenu.ts';
import { type SearchActions, searchBox } from './searchBox.ts';
import { shapeText, symbolsText } from './shape.ts';
import { missingNotice } from './missingNotice.ts';
import { trialNotice } from './trialNotice.ts';

export interface ToolbarActions extends MenuActions {
  readonly search: SearchActions;
  fit(): void;
  /** Leads to the values that can be tried. */
  params(anchor: HTMLElement): void;
  pipeline(name: string): void;
  /** There is no editor that makes other schedules. */
  readonly alone: boolean;
}

/** Why a button has nothing to act on while something else takes the place of the timeline. */
const idleFind: Readonly<Record<string, string>> = {
  compare: 'Find looks for blocks of the timeline. Close the comparison first (Esc).',
  beside: 'Find looks for blocks of the timeline. Close the comparison first (Esc).',
  plan: 'Find looks for blocks of the timeline. Close the search for plans first (Esc).',
  workers: 'Find looks for blocks of the timeline. Close the workers first (Esc).',
  unplanned: 'Find looks for blocks of a timeline. This shape has none.',
};
const idleFit: Readonly<Record<string, string>> = {
  compare: 'The comparison always shows everything.',
  plan: 'The search for plans always shows everything.',
  stall: 'The deadlock is shown as a whole.',
  unplanned: 'This shape has no timeline.',
};

const allOf = (count: number): string => `All (${count})`;

/** The top line: what is shown, what can be done with it, and what is wrong with the text. */
export function toolbar(actions: ToolbarActions) {
  let chosen = '';

  const chooser = dropdown('Pipeline', (name) => {
    if (!name.startsWith('All (')) return actions.pipeline(name);
    chooser.setValue(chosen);
    actions.compare(true);
  });
  chooser.element.hidden = true;
  const title = element('h1', {}, 'Pipeline preview');
  const policy = element('button', { type: 'button', class: 'policy', hidden: '' });
  policy.addEventListener('click', actions.openSource);
  const shape = element('span', { class: 'shape dim' });
  // Where figures have no room.
  const iteration = element('strong', { class: 'iteration' });
  const colours = colourChoice(actions.colourBy);
  const error = errorNotice();
  const trial = trialNotice();
  const missing = missingNotice();
  const search = searchBox({
    ...actions.search,
    leave: () => {
      open(false);
      actions.search.leave();
    },
  });
  const find = iconButton('find', 'Find', () => focusSearch(), '/');
  const params = iconButton('params', 'Params', () => actions.params(params));
  const compare = iconButton('compare', 'Compare', () => actions.compare(false), 'X');
  compare.hidden = actions.alone;
  const fit = iconButton('fit', 'Show everything', actions.fit, '0');
  const idle = [
    [find, idleFind, find.title],
    [fit, idleFit, fit.title],
  ] as const;
  const more = iconButton('more', 'More', () => undefined);
  let shown: { readonly settings: Settings; readonly versions: boolean } | undefined;
  opensPopover(more, 'More', () => moreMenu(actions, shown));
  const tools = element(
    'div',
    { class: 'tools', role: 'toolbar', 'aria-label': 'Timeline' },
    colours.element,
    find,
    params,
    compare,
    fit,
    more,
  );
  const bar = element(
    'header',
    {},
    element('div', { class: 'identity' }, chooser.element, title, policy, shape, iteration),
    error.element,
    trial.element,
    missing.element,
    search.element,
    tools,
  );
  let hasVersions = false;

  function open(finding: boolean): void {
    bar.classList.toggle('finding', finding);
  }
  function focusSearch(): void {
    open(true);
    search.focus();
  }
  function showColours(settings: Settings): void {
    colours.show(settings.colourBy, hasVersions);
    shown = { settings, versions: hasVersions };
  }

  return {
    element: bar,
    /** Something takes the place of the timeline: `name` of what it is, undefined if the timeline is in sight. */
    covered(name: string | undefined): void {
      for (const [control, reasons, title] of idle) {
        const reason = name === undefined ? undefined : reasons[name];
        control.disabled = reason !== undefined;
        control.title = reason ?? title;
      }
    },
    /** There is no pipeline: its name goes. */
    nameless(): void {
      setText(title, 'Pipeline preview');
      title.classList.remove('unseen');
    },
    /** What is wrong with the text, at the right. */
    notice: error.show,
    /** A fix is on show that the file does not have. */
    trial: trial.show,
    /** Operations are drawn that the text lacks. */
    missing: missing.show,
    focusSearch,
    /** Shows what is searched for; the focus stays where it is. */
    showSearch(text: string): void {
      open(true);
      search.setText(text);
    },
    clearSearch(): void {
      search.clear();
      open(false);
    },
    showFound: search.show,
    /** Whether operations use different versions of the weights. */
    setVersions(has: boolean): void {
      hasVersions = has;
      if (shown !== undefined) showColours(shown.settings);
    },
    setIteration: (text: string) => setText(iteration, text),
    /** A new timeline is being made. */
    setBusy: (busy: boolean) => void bar.classList.toggle('busy', busy),
    /** What can be chosen; `comparable`: how many of these the comparison of all has. */
    choose(names: readonly string[], name: string, comparable: number): void {
      chooser.element.hidden = names.length < 2;
      // The chooser says the same.
      title.classList.toggle('unseen', names.length >= 2);
      chooser.setOptions(comparable < 2 ? names : [...names, allOf(comparable)]);
      chosen = name;
      chooser.setValue(name);
    },
    update(file: string, plan: PipelinePlan, hasParams: boolean, settings: Settings): void {
      setText(title, plan.name);
      policy.hidden = false;
      setText(policy, plan.schedule.name);
      policy.setAttribute('aria-label', `Policy, ${plan.schedule.name}`);
      policy.title = `${plan.schedule.name}: open ${file} at the schedule`;
      setText(shape, shapeText(plan));
      shape.title = symbolsText(plan);
      params.hidden = !hasParams;
      showColours(settings);
    },
  };
}
