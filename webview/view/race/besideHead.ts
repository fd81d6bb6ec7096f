import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { iterationTime } from '../../../engine/basics/quantities.ts';
import { element, setText } from '../../controls/dom.ts';
import { type Side, sides } from '../../picture/drift.ts';
import { deltaWords, type Tone } from '../../session/raceWords.ts';
import { smallShare } from '../../session/smallShare.ts';
import type { Standing } from '../../session/standings.ts';
import type { RaceFigures } from '../../worker/messages.ts';

/** What is said of one of two timelines. */
export interface BesideSide {
  readonly name: string;
  /** What its text is, if it does not change. */
  readonly note: string;
  /** Absent while it is simulated, and without a timeline. */
  readonly standing?: BesideStanding;
  /** Why there is no timeline, or why it is older than the text. */
  readonly problem?: string;
  /** Its timeline is older than the text. */
  readonly stale: boolean;
}

/** A recorded run has no memory: its profiler counts none. */
export interface BesideStanding extends Pick<Standing, 'deltas'> {
  readonly figures?: Pick<RaceFigures, 'iteration' | 'makespan' | 'bubble' | 'unitTimes'> &
    Partial<Pick<RaceFigures, 'peak'>>;
}

const places: Readonly<Record<Side, string>> = { upper: 'above', lower: 'below' };

/** Names and figures of two timelines, one line each, with the differences of the lower one. */
export function besideHead() {
  const lines = { upper: line('upper'), lower: line('lower') };
  const columns = ['timeline', 'iteration', 'bubble', 'peak memory'].map((name) =>
    element('span', { role: 'columnheader' }, name),
  );
  const table = element(
    'div',
    { role: 'table', class: 'beside-head', 'aria-label': 'Figures of both' },
    element('div', { role: 'row', class: 'beside-columns' }, ...columns),
    ...sides.map((side) => lines[side].element),
  );
  return {
    element: table,
    update(of: Readonly<Record<Side, BesideSide>>): void {
      const peak = of.upper.standing?.figures?.peak ?? 0;
      table.classList.toggle(
        'run',
        sides.every((side) => of[side].standing?.figures?.peak === undefined),
      );
      for (const side of sides) lines[side].update(of[side], peak);
    },
  };
}

function line(side: Side) {
  const name = element('strong');
  const note = element('span', { class: 'dim' });
  const problem = element('span', { class: 'beside-problem' });
  const figures = Array.from({ length: 3 }, () => ({
    value: element('span'),
    delta: element('span', { class: 'delta' }),
  }));
  const head = element(
    'div',
    { role: 'rowheader', class: 'beside-name' },
    element('span', { class: `beside-key ${side}`, 'aria-hidden': 'true' }),
    element('span', { class: 'dim' }, places[side]),
    name,
    note,
    problem,
  );
  const cells = figures.map(({ value, delta }) => element('div', { role: 'cell' }, value, delta));
  const row = element('div', { role: 'row', class: 'beside-line' }, head, ...cells);

  return {
    element: row,
    update({ name: called, note: said, standing, problem: wrong, stale }: BesideSide, peak: number): void {
      setText(name, called);
      setText(note, said);
      const waits = standing?.figures === undefined && wrong === undefined;
      setText(problem, waits ? 'Simulating …' : (wrong ?? ''));
      problem.classList.toggle('wrong', wrong !== undefined);
      row.classList.toggle('outdated', stale);
      const { figures: shown, deltas } = standing ?? {};
      const words = deltas === undefined ? undefined : deltaWords(deltas, peak, shown?.unitTimes);
      const texts = [
        [shown === undefined ? '' : iterationTime(shown.iteration), words?.iteration, words?.tones.iteration],
        [shown === undefined ? '' : smallShare(shown.bubble), words?.bubble, words?.tones.bubble],
        [
          shown?.peak === undefined ? '' : memoryAmount(shown.peak, shown.unitTimes),
          shown?.peak === undefined ? '' : words?.peak,
          words?.tones.peak,
        ],
      ] as const;
      for (const [index, [value, delta, tone]] of texts.entries()) {
        setText(figures[index].value, value);
        setText(figures[index].delta, delta ?? '');
        figures[index].delta.dataset.tone = (tone ?? 'same') satisfies Tone;
      }
    },
  };
}
