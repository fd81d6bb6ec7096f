import { scaleLinear } from 'd3-scale';
import { iterationTime, timeAtLeast } from '../../../engine/basics/quantities.ts';
import { svg } from '../../controls/svg.ts';
import { gapOf, gapWords, isShorter, newestPoint, orderSentence, type OrderSearch } from '../../session/orderWords.ts';
import { ticks } from '../paint/ruler.ts';

/** Pixels. */
const height = 176;
const plot = { left: 54, right: 6, top: 22, bottom: 34 };
/** Between the lines of two labels, and the least height of a gap that has its label inside. */
const lineHeight = 13;
const leastGap = 18;
/** Radius of a better order. */
const dot = 2.2;

interface Scales {
  x(work: number): number;
  y(seconds: number): number;
  readonly until: number;
}

/** What the best order takes over the work of the search, what is proven under it, and between them the gap. `width` in pixels. */
export function drawOrderChart(search: OrderSearch, width: number): SVGSVGElement {
  const { state, end } = search;
  const scale = scaleLinear([0, Math.max(state.points.at(-1)?.[0] ?? 0, 1e-6)], [plot.left, width - plot.right]);
  // While the search goes on, the right edge moves in few large steps.
  if (end === undefined) scale.nice(2);
  const vertical = scaleLinear(range(search), [height - plot.bottom, plot.top]);
  const inside = (y: number): number => Math.min(height - plot.bottom, Math.max(plot.top, y));
  const scales: Scales = {
    x: (work) => scale(work),
    y: (seconds) => inside(vertical(seconds)),
    until: scale(state.points.at(-1)?.[0] ?? 0),
  };
  const [low, high] = vertical.domain();
  const grid = ticks(low, high, (height - plot.top - plot.bottom) * 3).map(({ at, text }) => {
    const y = Math.round(vertical(at)) + 0.5;
    return svg(
      'g',
      {},
      svg('line', { class: 'order-grid', x1: plot.left, x2: width - plot.right, y1: y, y2: y }),
      svg('text', { class: 'order-tick', x: plot.left - 6, y: y + 3.5, 'text-anchor': 'end' }, text),
    );
  });
  const [unit, size] = unitOf(scale.domain()[1] * operationsOfWork);
  // The axis counts operations: a short search visits so few that they would be tiny parts of its effort.
  const counted = scaleLinear(
    scale.domain().map((work) => (work * operationsOfWork) / size),
    scale.range(),
  );
  const format = counted.tickFormat(4);
  const bottom = counted.ticks(4).map((number) => {
    const at = counted(number);
    // The last one stays inside.
    const isLast = at > width - plot.right - 16;
    const [place, anchor] = isLast ? [width - plot.right, 'end'] : [at, 'middle'];
    return svg(
      'text',
      { class: 'order-tick', x: place, y: height - plot.bottom + 14, 'text-anchor': anchor },
      format(number),
    );
  });
  const axis = svg(
    'text',
    { class: 'order-tick', x: (plot.left + width) / 2, y: height - 5, 'text-anchor': 'middle' },
    `${unit}operations visited; effort ${state.effort}`,
  );
  return svg(
    'svg',
    { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': described(search) },
    ...grid,
    ...bottom,
    axis,
    ...curves(search, scales, width),
    ...labels(search, scales, width),
  );
}

/** Operations that a search visits for each unit of its effort. */
const operationsOfWork = 20e6;

/** The unit of the axis. */
const unitOf = (operations: number): readonly [words: string, size: number] =>
  operations >= 2e6 ? ['million ', 1e6] : operations >= 2e3 ? ['thousand ', 1e3] : ['', 1];

/** Seconds from bottom to top. A bound far under the orders, and orders far over the file's, run along the edge. */
function range({ state }: OrderSearch): [number, number] {
  const [, first, lowest] = state.points[0] ?? [0, state.iteration, state.iteration];
  const [, best, bound] = state.points.at(-1) ?? [0, state.iteration, state.iteration];
  const top = Math.max(state.iteration, best);
  const spread = Math.max(top - bound, 0.002 * top);
  const low = Math.max(lowest, bound - 0.6 * spread);
  const high = Math.max(top, Math.min(first, top + 0.5 * spread));
  // Where all is one line, it is in the middle.
  return [low - 0.12 * spread, high + 0.06 * spread];
}

function curves({ state }: OrderSearch, { x, y, until }: Scales, width: number): SVGElement[] {
  const path = (at: 1 | 2): string =>
    state.points
      .map((point, index) => {
        const [px, py] = [x(point[0]).toFixed(1), y(point[at]).toFixed(1)];
        return index === 0 ? `M${px} ${py}` : `H${px}V${py}`;
      })
      .join('') + `H${until.toFixed(1)}`;
  // Back along the bound, from right to left.
  const under = state.points
    .map(([work], index) => `H${x(work).toFixed(1)}V${y(state.points[Math.max(0, index - 1)][2]).toFixed(1)}`)
    .toReversed()
    .join('');
  const file = Math.round(y(state.iteration)) + 0.5;
  const dots = state.points
    .filter(([, iteration], index) => index === 0 || iteration < state.points[index - 1][1])
    .map(([work, iteration]) => svg('circle', { class: 'order-dot', cx: x(work), cy: y(iteration), r: dot }));
  return [
    svg('path', { class: 'order-band', d: `${path(1)}V${y(state.points.at(-1)?.[2] ?? 0).toFixed(1)}${under}Z` }),
    svg('line', { class: 'order-file', x1: plot.left, x2: width - plot.right, y1: file, y2: file }),
    svg('path', { class: 'order-bound', d: path(2) }),
    svg('path', { class: 'order-found', d: path(1) }),
    ...dots,
  ];
}

function labels(search: OrderSearch, { x, y, until }: Scales, width: number): SVGElement[] {
  const newest = newestPoint(search);
  const gap = gapOf(search);
  if (newest === undefined) return [];
  const { state } = search;
  const right = width - plot.right;
  const text = (words: string, at: number, name: string): SVGElement =>
    svg('text', { class: `order-label ${name}`, x: right, y: at, 'text-anchor': 'end' }, words);
  const [file, found, bound] = [y(state.iteration), y(newest.iteration), y(newest.bound)];
  const inside = gap !== undefined && gap > 0 && bound - found >= leastGap;
  const words = gap === undefined || inside ? '' : `, ${gapWords(gap)}`;
  const better = isShorter(search);
  const same = !better && Math.abs(file - found) < 1;
  const foundAt = found - 5;
  const made = [
    text(
      `${state.schedule} ${iterationTime(state.iteration)}${same ? words : ''}`,
      same ? foundAt : Math.min(file - 5, foundAt - (better ? lineHeight : 0)),
      'file',
    ),
    text(`proven: no order under ${boundWords(newest)}`, bound + lineHeight, 'bound'),
  ];
  if (!same) made.push(text(`shortest found ${iterationTime(newest.iteration)}${words}`, foundAt, 'found'));
  if (!inside || gap === undefined) return made;
  const at = Math.min(until, right - 12) - 0.5;
  if (at - x(0) < 80) return made;
  const arrow = `M${at} ${found + 2}V${bound - 2}M${at - 3} ${found + 6}L${at} ${found + 2}L${at + 3} ${found + 6}M${at - 3} ${bound - 6}L${at} ${bound - 2}L${at + 3} ${bound - 6}`;
  return [
    ...made,
    svg('path', { class: 'order-arrow', d: arrow }),
    svg(
      'text',
      { class: 'order-label gap', x: at - 6, y: (found + bound) / 2 + 4, 'text-anchor': 'end' },
      gapWords(gap),
    ),
  ];
}

/** What the chart shows, for readers who do not see it. */
function described(search: OrderSearch): string {
  const newest = newestPoint(search);
  if (newest === undefined) return orderSentence(search);
  const { schedule, iteration } = search.state;
  return `${schedule} ${iterationTime(iteration)}. Shortest found ${iterationTime(newest.iteration)}. Proven: no order under ${boundWords(newest)}.`;
}

/** Rounded down, but read like the shortest order if that is proven to be the shortest. */
const boundWords = ({ iteration, bound }: { readonly iteration: number; readonly bound: number }): string =>
  bound < iteration ? timeAtLeast(bound, 4) : iterationTime(iteration);
