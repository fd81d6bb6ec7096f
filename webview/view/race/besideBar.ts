import { element } from '../../controls/dom.ts';
import { iconButton } from '../../controls/iconButton.ts';
import { choice, dropdown } from '../../controls/toolkit.ts';
import { tolerances } from '../../session/driftWords.ts';
import type { BesideState } from './besideState.ts';

export interface BesideBarActions {
  close(): void;
  /** Chooses another text for below. */
  choose(): void;
  tolerance(share: number): void;
  /** Shows another of the pipelines of a run. */
  replica(index: number): void;
  /** Writes the times of the run into the file. */
  calibrate(): void;
}

/** What a reader chooses of two timelines. `step` goes from difference to difference. */
export function besideBar(actions: BesideBarActions, step: (direction: 1 | -1) => void) {
  let replicas: readonly string[] = [];
  const limits = choice<string>(
    'Differences over',
    tolerances.map((share) => [String(share), `${share * 100} %`] as const),
    (value) => actions.tolerance(Number(value)),
  );
  const previous = iconButton('up', 'Previous difference', () => step(-1), 'Shift+N');
  const following = iconButton('down', 'Next difference', () => step(1), 'N');
  const pipelines = dropdown('Pipeline that ran', (words) => actions.replica(replicas.indexOf(words)));
  const calibrating = element('button', { type: 'button', class: 'race-version', hidden: '' }, 'Calibrate …');
  calibrating.title = 'Write the times of the run into the file';
  calibrating.addEventListener('click', actions.calibrate);
  const another = element('button', { type: 'button', class: 'race-version' }, 'Choose another …');
  another.addEventListener('click', actions.choose);
  const limit = element(
    'span',
    { class: 'race-label' },
    element('span', { class: 'dim', 'aria-hidden': 'true' }, 'differences over'),
    limits.element,
  );
  const bar = element(
    'div',
    { class: 'beside-bar' },
    element('h2', {}, 'Side by side'),
    iconButton('close', 'Back to the timeline (Esc)', actions.close),
    limit,
    pipelines.element,
    element('span', { class: 'race-label' }, previous, following),
    calibrating,
    another,
  );

  return {
    element: bar,
    update({ tolerance, drifted, run }: BesideState): void {
      limits.setValue(String(tolerance));
      for (const button of [previous, following]) button.disabled = drifted.length === 0;
      limit.hidden = run !== undefined;
      calibrating.hidden = run?.panel === undefined;
      replicas = run?.replicas ?? [];
      pipelines.element.hidden = replicas.length < 2;
      pipelines.setOptions(replicas);
      pipelines.setValue(replicas[run?.replica ?? 0] ?? '');
    },
  };
}
