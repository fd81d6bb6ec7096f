import { element, setText } from '../../controls/dom.ts';
import { iconButton } from '../../controls/iconButton.ts';
import { choice } from '../../controls/toolkit.ts';
import type { RaceAgainst } from '../../protocol/messages.ts';
import type { RaceOrder } from '../../session/standings.ts';

export type RaceTab = 'policies' | 'pipelines' | 'versions' | 'plan';

export interface RaceControlActions {
  tab(tab: RaceTab): void;
  /** A version, or another file, joins. */
  against(against: Exclude<RaceAgainst, 'policies'>): void;
  order(order: RaceOrder): void;
  align(align: 'start' | 'end'): void;
  /** Brings back what was left out. */
  showAll(): void;
  close(): void;
}

export interface RaceControlState {
  readonly title: string;
  readonly tab: RaceTab;
  readonly order: RaceOrder;
  /** More pipelines than one are in the file. */
  readonly several: boolean;
  /** A plan of a search is compared. */
  readonly hasPlan: boolean;
  /** Schedules that were left out. */
  readonly leftOut: number;
}

/** Over a comparison: what is compared, in which order, and where the timelines meet. */
export function raceControls(actions: RaceControlActions) {
  const heading = element('h2');
  const tabs = choice<RaceTab>(
    'Compare with',
    [
      ['policies', 'Policies'],
      ['pipelines', 'Pipelines'],
      ['versions', 'Versions'],
      ['plan', 'Plan'],
    ],
    actions.tab,
  );
  const order = choice<RaceOrder>(
    'Sort by',
    [
      ['iteration', 'Iteration'],
      ['bubble', 'Bubble'],
      ['peak', 'Peak'],
    ],
    actions.order,
  );
  const align = choice<'start' | 'end'>(
    'Align',
    [
      ['start', 'Start'],
      ['end', 'End'],
    ],
    actions.align,
  );
  align.setValue('start');
  const versionButton = (label: string, against: Exclude<RaceAgainst, 'policies'>): HTMLButtonElement => {
    const made = element('button', { type: 'button', class: 'race-version' }, label);
    made.addEventListener('click', () => actions.against(against));
    return made;
  };
  const saved = versionButton('Last saved', 'saved');
  const committed = versionButton('Last commit', 'committed');
  const file = versionButton('Another file…', 'file');
  const versions = element('div', { class: 'race-versions' }, saved, committed, file);
  const all = element('button', { type: 'button', class: 'race-version' });
  all.addEventListener('click', actions.showAll);
  const bar = element(
    'div',
    { class: 'race-bar-top' },
    heading,
    iconButton('close', 'Back to the timeline (Esc)', actions.close),
    tabs.element,
    labelled('sort by', order.element),
    labelled('align', align.element),
    all,
  );
  return {
    bar,
    /** What joins a comparison of versions. */
    versions,
    update({ title, tab, order: by, several, hasPlan, leftOut }: RaceControlState): void {
      setText(heading, `Compare ${title}`);
      tabs.setValue(tab);
      tabs.setShown('pipelines', several);
      tabs.setShown('plan', hasPlan);
      order.setValue(by);
      versions.hidden = tab !== 'versions';
      all.hidden = leftOut === 0;
      setText(all, `Show ${leftOut} more`);
    },
  };
}

const labelled = (text: string, control: HTMLElement): HTMLElement =>
  element('span', { class: 'race-label' }, element('span', { class: 'dim', 'aria-hidden': 'true' }, text), control);
