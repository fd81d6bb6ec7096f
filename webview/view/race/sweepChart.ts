import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { amount, iterationTime } from '../../../engine/basics/quantities.ts';
import { element, setText } from '../../controls/dom.ts';
import type { RaceFigures } from '../../worker/messages.ts';
import { isResized } from '../../session/perSample.ts';
import { smallShare } from '../../session/smallShare.ts';

/** A value of the param, and what it gives. */
export interface SweepPoint {
  /** In the unit shown. */
  readonly value: number;
  /** Absent while it is simulated. */
  readonly result?: RaceFigures | { readonly reason: string };
}

export interface SweepState {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly SweepPoint[];
  /** The value on show. */
  readonly current: number;
}

const svg = 'http://www.w3.org/2000/svg';
/** `isUnit`: memory counts activations. */
interface Figure {
  readonly name: string;
  of(result: RaceFigures): number;
  words(value: number, isUnit: boolean | undefined): string;
}
const figures: readonly Figure[] = [
  { name: 'Iteration', of: (result: RaceFigures) => result.iteration, words: (value: number) => iterationTime(value) },
  {
    name: 'Throughput',
    of: (result: RaceFigures) => result.throughput,
    words: (rate: number) => `${amount(rate)} samples/s`,
  },
  { name: 'Bubble', of: (result: RaceFigures) => result.bubble, words: (value: number) => smallShare(value) },
  { name: 'Peak', of: (result: RaceFigures) => result.peak, words: memoryAmount },
];
/** Of a chart, in units of its view box. */
const size = { width: 300, height: 56, margin: 5 };

/** Iteration, throughput if the batch changes, bubble and peak over the range of a param. A point is a button that turns the slider to its value. */
export function sweepChart(choose: (value: number) => void) {
  const charts = figures.map(({ name }) => {
    const plot = document.createElementNS(svg, 'svg');
    plot.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    plot.setAttribute('preserveAspectRatio', 'none');
    plot.setAttribute('aria-hidden', 'true');
    const range = element('span', { class: 'dim' });
    const title = element('div', { class: 'sweep-title' }, element('strong', {}, name), range);
    return { element: element('div', { class: 'sweep-plot' }, title, plot), plot, range };
  });
  const buttons = element('div', { class: 'sweep-values', role: 'group' });
  const note = element('p', { class: 'sweep-note', role: 'status' });
  const box = element('div', { class: 'sweep' }, ...charts.map((chart) => chart.element), buttons, note);

  return {
    element: box,
    update({ name, unit, points, current }: SweepState): void {
      const label = (value: number) => `${value}${unit === '' ? '' : ` ${unit}`}`;
      const runs = points.map(({ result }) => (result === undefined || 'reason' in result ? undefined : result));
      const now = points.findIndex(({ value }) => value === current);
      const [first, ...others] = runs.flatMap((run) => run ?? []);
      const isUnit = first?.unitTimes;
      // With one batch it says what the iteration says.
      const shown = figures.filter(
        ({ name: figure }) => figure !== 'Throughput' || others.some((run) => isResized(run, first)),
      );
      for (const [index, figure] of figures.entries()) {
        const { name: what, of, words } = figure;
        charts[index].element.hidden = !shown.includes(figure);
        const values = runs.map((run) => (run === undefined ? undefined : of(run)));
        const known = values.flatMap((value) => value ?? []);
        const limit = what === 'Peak' ? runs.find((run) => run !== undefined)?.capacity : undefined;
        setText(
          charts[index].range,
          known.length === 0 ? '' : `${words(Math.min(...known), isUnit)} to ${words(Math.max(...known), isUnit)}`,
        );
        plot(
          charts[index].plot,
          values,
          runs.map((run) => run?.fits === false),
          now,
          limit,
        );
      }
      buttons.setAttribute('aria-label', `Values of ${name}`);
      const wanted = points.map(({ value }) => String(value)).join();
      if (buttons.dataset.values !== wanted) {
        buttons.dataset.values = wanted;
        buttons.replaceChildren(
          ...points.map(({ value }) => {
            const made = element('button', { type: 'button' }, String(value));
            made.addEventListener('click', () => choose(value));
            return made;
          }),
        );
      }
      for (const [index, { value, result }] of points.entries()) {
        const button = buttons.children[index];
        const run = runs[index];
        const reason = result !== undefined && 'reason' in result ? result.reason : 'is being simulated';
        const says =
          run === undefined
            ? reason
            : `${shown.map(({ name: figure, of, words }) => `${figure.toLowerCase()} ${words(of(run), isUnit)}`).join(', ')}${run.fits ? '' : ', does not fit'}`;
        button.setAttribute('aria-label', `${name} ${label(value)}: ${says}`);
        button.setAttribute('title', `${label(value)}: ${says}`);
        button.setAttribute('aria-pressed', String(index === now));
        button.classList.toggle('over', run?.fits === false);
        button.classList.toggle('none', run === undefined);
      }
      const left = points.filter(({ result }) => result === undefined).length;
      const fails = points.filter(({ result }) => result !== undefined && 'reason' in result).length;
      setText(
        note,
        left > 0
          ? `${points.length - left} of ${points.length} simulated`
          : fails > 0
            ? `${fails} of ${points.length} values cannot run`
            : '',
      );
    },
  };
}

/** A line through the known values, a dot on each, gaps where there is none. */
function plot(
  into: SVGSVGElement,
  values: readonly (number | undefined)[],
  over: readonly boolean[],
  now: number,
  limit: number | undefined,
): void {
  const known = values.flatMap((value) => value ?? []);
  const shown =
    limit === undefined || known.length === 0 ? known : [...known, Math.min(limit, 1.3 * Math.max(...known))];
  const [low, high] = [Math.min(0, ...shown), Math.max(...shown, 0)];
  const { width, height, margin } = size;
  const x = (index: number) => margin + ((width - 2 * margin) * (index + 0.5)) / Math.max(1, values.length);
  const y = (value: number) =>
    height - margin - ((height - 2 * margin) * (value - low)) / (high > low ? high - low : 1);
  const parts: SVGElement[] = [];
  const add = (tag: string, attributes: Readonly<Record<string, string | number>>) => {
    const made = document.createElementNS(svg, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
    parts.push(made);
  };
  if (limit !== undefined && limit <= high)
    add('line', { class: 'sweep-limit', x1: 0, x2: width, y1: y(limit), y2: y(limit) });
  if (now >= 0) add('line', { class: 'sweep-now', x1: x(now), x2: x(now), y1: 0, y2: height });
  let path = '';
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    const start = path === '' || values[index - 1] === undefined;
    path += `${start ? 'M' : 'L'}${x(index).toFixed(2)} ${y(value).toFixed(2)}`;
  }
  add('path', { class: 'sweep-line', d: path });
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue;
    const kind = `sweep-dot${over[index] ? ' over' : ''}${index === now ? ' now' : ''}`;
    add('ellipse', {
      class: kind,
      cx: x(index),
      cy: y(value),
      rx: index === now ? 4 : 2.5,
      ry: index === now ? 4 : 2.5,
    });
  }
  into.replaceChildren(...parts);
}
