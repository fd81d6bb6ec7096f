import { fasterShare, gainText, pairedWords } from '../../../engine/analyze/pairedWords.ts';
import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { iterationTime } from '../../../engine/basics/quantities.ts';
import { element, setShare, setText } from '../../controls/dom.ts';
import { icon } from '../../controls/icon.ts';
import { iconButton } from '../../controls/iconButton.ts';
import { deltaWords, type Tone } from '../../session/raceWords.ts';
import type { RaceFigures } from '../../worker/messages.ts';
import type { Standing, Standings } from '../../session/standings.ts';
import { raceStrip } from './raceStrip.ts';
import { smallShare } from '../../session/smallShare.ts';

export interface RaceRowActions {
  /** Differences are to this one from now on. */
  baseline(id: number): void;
  /** Writes it into the file. */
  adopt(id: number): void;
  /** Takes it out of the comparison. */
  leaveOut(id: number): void;
}

/** One timeline of a comparison: name, strip, figures with their differences, and a button that writes it into the file. */
export function raceRow(id: number, actions: RaceRowActions) {
  const name = element('button', { type: 'button', class: 'race-name' });
  const cup = icon('cup');
  const note = element('span', { class: 'race-note' });
  const strip = raceStrip();
  const iteration = figure();
  const sure = element('span', { class: 'race-sure' });
  const bubble = figure();
  const peak = figure();
  const bar = element('span', { class: 'race-bar' }, element('span', { class: 'race-fill' }));
  const adopt = element('button', { type: 'button', class: 'race-adopt' });
  const leave = iconButton('close', 'Leave out', () => actions.leaveOut(id));
  const reason = element('span', { class: 'race-reason' });
  name.addEventListener('click', () => actions.baseline(id));
  adopt.addEventListener('click', () => actions.adopt(id));
  const cell = (kind: string, ...children: Node[]) => element('div', { role: 'cell', class: kind }, ...children);
  const row = element(
    'div',
    { role: 'row', class: 'race-row', 'data-runner': String(id) },
    element(
      'div',
      { role: 'rowheader', class: 'race-head' },
      name,
      element('span', { class: 'race-under' }, cup, note),
    ),
    cell('race-strip', strip.element, reason),
    cell('race-figure', iteration.value, iteration.delta, sure),
    cell('race-figure', bubble.value, bubble.delta),
    cell('race-figure race-peak', bar, peak.value, peak.delta),
    cell('race-end', adopt, leave),
  );

  return {
    element: row,
    strip,
    update(standing: Standing, { baseline }: Standings): void {
      const { runner, figures, deltas, winner } = standing;
      const isBaseline = baseline?.runner.id === id;
      setText(name, [runner.name, ...(runner.equal ?? [])].join(' = '));
      name.setAttribute('aria-pressed', String(isBaseline));
      const differences = isBaseline ? 'Differences are to this one' : `Show differences to ${runner.name}`;
      name.title = runner.equal === undefined ? differences : `${differences}. All figures of these are equal.`;
      strip.element.setAttribute('aria-label', `Timeline of ${runner.name}`);
      row.classList.toggle('winner', winner);
      row.classList.toggle('over', figures?.fits === false);
      cup.classList.toggle('gone', !winner);
      const parts = [
        winner ? 'shortest that fits' : '',
        figures?.fits === false ? 'does not fit' : '',
        isBaseline ? 'baseline' : '',
        runner.note,
        figures === undefined ? '' : drawnWords(figures),
        figures?.runsOn ?? '',
      ];
      setText(note, parts.filter((part) => part !== '').join(' · '));
      const waiting = figures === undefined && standing.reason === undefined;
      setText(reason, waiting ? 'Simulating …' : (standing.reason ?? ''));
      strip.element.hidden = figures === undefined;
      reason.hidden = figures !== undefined;
      adopt.hidden = runner.adopt === undefined || figures === undefined;
      // The file's own row and the one that differences are to always stay.
      leave.hidden = isBaseline || runner.own === true;
      leave.title = `Leave out ${runner.name}`;
      leave.setAttribute('aria-label', leave.title);
      setText(adopt, 'Use in the file');
      adopt.setAttribute('aria-label', `Use in the file: ${runner.name}`);
      setText(iteration.value, figures === undefined ? '' : iterationTime(figures.iteration));
      setText(bubble.value, figures === undefined ? '' : smallShare(figures.bubble));
      setText(peak.value, figures === undefined ? '' : peakWords(figures));
      peak.value.title = figures === undefined ? '' : `on ${figures.fullest}`;
      bar.classList.toggle('gone', figures === undefined);
      if (figures !== undefined && figures.capacity > 0) {
        // The limit is drawn at 85 % of the bar, so that what is over it shows.
        setShare(bar, (figures.peak / figures.capacity) * 0.85);
        bar.classList.toggle('near', figures.fits && figures.peak > 0.9 * figures.capacity);
      }
      const words =
        deltas === undefined ? undefined : deltaWords(deltas, baseline?.figures?.peak ?? 0, figures?.unitTimes);
      const none = isBaseline && figures !== undefined ? '—' : '';
      tell(iteration.delta, words?.iteration ?? none, words?.tones.iteration);
      const paired = deltas?.paired;
      setText(
        sure,
        paired === undefined ? '' : `faster in ${fasterShare(paired.faster)}\ngain ${gainText(paired.gain)}`,
      );
      sure.title = paired === undefined ? '' : `${pairedWords(paired)} (${paired.draws} draws)`;
      tell(bubble.delta, words?.bubble ?? none, words?.tones.bubble);
      tell(peak.delta, words?.peak ?? none, words?.tones.peak);
    },
  };
}

/** Iterations that follow each other are drawn with their fill: the strip is longer than the figure says. */
function drawnWords({ makespan, iteration }: RaceFigures): string {
  const drawn = Math.round(makespan / iteration);
  return drawn > 1 ? `${drawn} periods drawn` : '';
}

/** `10.3 GiB of 16 GiB`, `4 of 8 activations`. */
function peakWords({ peak, capacity, unitTimes }: RaceFigures): string {
  const most = memoryAmount(capacity, unitTimes);
  return unitTimes === true
    ? `${Number(peak.toPrecision(4))} of ${most}`
    : `${memoryAmount(peak, unitTimes)} of ${most}`;
}

function figure() {
  return { value: element('span', { class: 'value' }), delta: element('span', { class: 'delta' }) };
}

function tell(node: HTMLElement, text: string, tone: Tone = 'same'): void {
  setText(node, text);
  node.dataset.tone = tone;
}
