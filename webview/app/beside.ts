import type { FromPage } from '../protocol/messages.ts';
import type { DriftedBlock } from '../picture/drift.ts';
import { type DriftWordsOf, pairedBlockWords, tolerances } from '../session/driftWords.ts';
import { racing } from '../session/racing.ts';
import { blockPath } from '../session/source.ts';
import { besideView } from '../view/race/besideView.ts';
import { paletteFrom, type Theme } from '../view/scene/theme.ts';
import { batched } from './batched.ts';
import { besidePairs } from './besidePairs.ts';
import { besideRun } from './besideRun.ts';
import type { Other, OwnTimeline } from './compared.ts';
import { comparedRun } from './comparedRun.ts';
import { comparedTexts } from './comparedTexts.ts';

export interface BesideHost {
  post(message: FromPage): void;
  theme(): Theme;
  own(): OwnTimeline;
  show(content: HTMLElement): void;
  close(): void;
}

/** Shows the file on show and another one side by side, and follows both. */
export function beside(host: BesideHost) {
  let other: Other | undefined;
  let late = false;
  let tolerance: number = tolerances[1];
  /** Which of the pipelines of a run is shown. */
  let replica = 0;
  let words: DriftWordsOf | undefined;

  const race = racing({
    palette: () => paletteFrom(host.theme(), 'operation', new Uint8Array(0)),
    changed: batched(() => update(), queueMicrotask),
    strip: (image) => view.image(image),
    failed: (message) => host.post({ type: 'error', message }),
    paired(message) {
      if (pairs.receive(message)) update();
    },
    ran(message) {
      run.ran(message);
      update();
    },
  });
  const pairs = besidePairs(race);
  const run = besideRun(race);
  const texts = comparedTexts(race, pairs);
  const view = besideView({
    close,
    choose: () => host.post({ type: 'chooseBeside' }),
    tolerance(share) {
      tolerance = share;
      update();
    },
    replica(index) {
      replica = Math.max(0, index);
      update();
    },
    calibrate() {
      const pipeline = host.own().plan?.name;
      if (pipeline !== undefined) host.post({ type: 'calibrate', pipeline, replica });
    },
    draw: race.draw,
    words(at) {
      const pair = pairs.pair();
      return pair === undefined || words === undefined ? '' : pairedBlockWords(pair, at, words);
    },
    source,
  });

  function source({ side, block }: DriftedBlock): void {
    const pair = pairs.pair();
    if (pair === undefined || words === undefined) return;
    const path = blockPath(words.plans[side], { columns: pair.columns[side] }, block);
    // A run has no text; what it ran is the plan's.
    if (side === 'upper' || other?.run !== undefined) host.post({ type: 'reveal', path, preserveFocus: false });
    // The text of a version is not open anywhere.
    else if (other?.note === undefined) host.post({ type: 'revealBeside', path });
  }

  function update(): void {
    if (other === undefined) return;
    const own = host.own();
    const compared =
      other.isRun === true
        ? comparedRun({ own, other, replica }, run, pairs)
        : texts.compare({ own, other, late, tolerance });
    ({ words } = compared);
    view.update({ ...compared.state, theme: host.theme() });
  }

  function forget(): void {
    race.reset();
    run.forget();
    texts.forget();
    pairs.forget();
    replica = 0;
    late = false;
    view.forget();
  }

  function close(): void {
    if (other === undefined) return;
    host.post({ type: 'endBeside', pair: other.pair });
    other = undefined;
    forget();
    host.close();
  }

  return {
    close,
    /** What is below has been chosen, or has another timeline. */
    receive(message: Other): void {
      const isNew = other?.pair !== message.pair;
      if (isNew) {
        forget();
        host.show(view.element);
      }
      other = message;
      update();
      if (isNew) view.focus();
    },
    late(next: boolean): void {
      late = next;
      update();
    },
    /** The file on show has another plan, or none. */
    changed: update,
    /** Shows the whole of both; false if nothing is side by side. */
    showAll(): boolean {
      if (other !== undefined) view.showAll();
      return other !== undefined;
    },
    recolour(): void {
      race.recolour();
      update();
    },
  };
}
