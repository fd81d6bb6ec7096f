/** A deadlock drawn: what ran to scale, a line at the stall, and boxes of what never runs, with the circle of waiting as arrows. */
import { operationName } from '../../../../engine/values/program.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { moment } from '../../../../engine/basics/quantities.ts';
import type { Stall } from '../../../../engine/flow/stall.ts';
import { svg } from '../../../controls/svg.ts';
import { type Circle, type RanBlock, ranBlocks } from '../../../picture/stalledRows.ts';
import { stallSentence } from '../../../picture/stallSentences.ts';
import { css, labelOn, mix } from '../../scene/colour.ts';
import type { Theme } from '../../scene/theme.ts';
import {
  type Arrow,
  type Box,
  deviceOfPosition,
  letter,
  type RestBox,
  stallLayout,
  type StallLayout,
  type StallRow,
} from './stallLayout.ts';

/** Stretches of what a device ran: finer than the page shows. */
const mostBlocks = 400;

/** Operations that a search found, by position, and the one that it is at (−1 for none). All others fade. */
export interface StallMarks {
  readonly found: ReadonlySet<number>;
  readonly current: number;
}
export const noMarks: StallMarks = { found: new Set(), current: -1 };
const fade = { plain: 0.25, highContrast: 0.6 };

export function stallDrawing(
  stall: Stall,
  plan: PipelinePlan,
  circle: Circle,
  width: number,
  theme: Theme,
  marks: StallMarks = noMarks,
): SVGElement {
  const names = plan.devices.map(({ name }) => name);
  const layout = stallLayout(stall, names, circle, width, marks.current);
  const drawing = svg('svg', {
    class: 'stall-drawing',
    role: 'img',
    'aria-label': stallSentence(stall),
    width: layout.width,
    height: layout.height,
    viewBox: `0 0 ${layout.width} ${layout.height}`,
  });
  drawing.append(hatching(theme), ...axis(stall, layout, theme));
  for (const row of layout.rows) drawing.append(...rowOf(stall, plan, circle, row, layout, theme, marks));
  const stop = layout.ran.x + layout.ran.width;
  drawing.append(
    svg('line', {
      x1: stop + 1,
      x2: stop + 1,
      y1: layout.top - 6,
      y2: layout.height - 4,
      stroke: css(theme.error),
      'stroke-width': 2,
    }),
    ...layout.arrows.flatMap((arrow) => drawnArrow(arrow, theme)),
    ...layout.arrows.map((arrow) => badge(arrow, theme)),
  );
  return drawing;
}

function hatching(theme: Theme): SVGElement {
  const stroke = css(mix(theme.background, theme.foreground, theme.highContrast ? 0.6 : 0.25));
  return svg(
    'defs',
    {},
    svg(
      'pattern',
      { id: 'stall-idle', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      svg('line', { x1: 0, x2: 0, y1: 0, y2: 6, stroke, 'stroke-width': 1 }),
    ),
  );
}

function axis(stall: Stall, { ran, rest, top, crowded }: StallLayout, theme: Theme): SVGElement[] {
  const stop = ran.x + ran.width;
  const label = (x: number, text: string, anchor: string, colour: string, weight = 400) =>
    svg('text', { x, y: top - 12, 'text-anchor': anchor, fill: colour, 'font-weight': weight, 'font-size': 11 }, text);
  return [
    ...(ran.width > 70 ? [label(ran.x, '0', 'start', css(theme.dim))] : []),
    label(
      stop + 1,
      moment(stall.seconds),
      ran.width > 0 ? 'end' : 'start',
      css(mix(theme.error, theme.foreground, 0.4)),
      700,
    ),
    svg(
      'text',
      { x: rest, y: crowded ? top - 26 : top - 12, fill: css(theme.dim), 'font-size': 11 },
      leftText(crowded),
    ),
  ];
}

const leftText = (crowded: boolean): string =>
  crowded ? 'still to run (not to scale)' : 'still to run, in the order of each row (not to scale)';

function rowOf(
  stall: Stall,
  plan: PipelinePlan,
  circle: Circle,
  { device, y, boxes }: StallRow,
  { ran, rest, barHeight, width, gutter }: StallLayout,
  theme: Theme,
  marks: StallMarks,
): SVGElement[] {
  const { program, stuck, waits, seconds } = stall;
  const opacityOf = (position: number): number =>
    marks.found.size === 0 || marks.found.has(position) ? 1 : theme.highContrast ? fade.highContrast : fade.plain;
  const from = program.offsets[device];
  const all = program.offsets[device + 1] - from;
  const text = (attributes: Readonly<Record<string, string | number>>, value: string) =>
    svg('text', { 'font-size': 11, ...attributes }, value);
  const drawn: SVGElement[] = [
    text(
      { x: 12, y: y + 14, fill: css(theme.foreground), 'font-weight': 700 },
      fitted(plan.devices[device].name, gutter),
    ),
    text(
      { x: 12, y: y + 29, fill: css(theme.dim), 'font-size': 10 },
      `${stuck[device] - from} of ${all}${gutter < 100 ? '' : ' ran'}`,
    ),
    svg('line', { x1: 0, x2: width, y1: y + barHeight + 30, y2: y + barHeight + 30, stroke: css(theme.line) }),
  ];
  if (ran.width > 0) {
    drawn.push(
      svg('rect', {
        x: ran.x,
        y,
        width: ran.width,
        height: barHeight,
        fill: 'url(#stall-idle)',
        stroke: css(theme.line),
      }),
    );
    for (const block of ranBlocks(stall, device, mostBlocks)) {
      const x = ran.x + (block.start / seconds) * ran.width;
      const wide = ((block.end - block.start) / seconds) * ran.width;
      const colour = theme.kinds[block.kind];
      drawn.push(
        svg('rect', {
          x,
          y,
          width: Math.max(0.5, wide - (wide > 4 ? 1 : 0)),
          height: barHeight,
          fill: css(colour),
          opacity: opacityOf(block.position),
        }),
      );
      if (isCurrent(stall, block, device, marks.current))
        drawn.push(ring({ x, y, width: Math.max(3, wide), height: barHeight }, theme));
      const label = block.position < 0 ? '' : String(program.order[block.position] & ((1 << program.shift) - 1));
      if (label !== '' && wide > label.length * 7 + 6)
        drawn.push(centred({ x, y, width: wide, height: barHeight }, label, css(labelOn(colour)), 700));
    }
  }
  for (const box of boxes) {
    const parts = restBox(box, theme);
    for (const part of parts) part.setAttribute('opacity', String(opacityOf(box.position)));
    drawn.push(...parts);
    if (box.position >= 0 && box.position === marks.current) drawn.push(ring(box, theme));
  }
  const inCircle = circle.some((step) => step.device === device);
  if (!inCircle && waits[device] >= 0) {
    const name = operationName(program, program.order[waits[device]]);
    drawn.push(
      text({ x: rest + 4, y: y + barHeight + 12, fill: css(theme.dim), 'font-size': 10 }, `waits for ${name}`),
    );
  }
  return drawn;
}

/** Whether a stretch of what a device ran is the operation that a search is at, or holds its start. */
const isCurrent = (stall: Stall, { start, end, position }: RanBlock, device: number, current: number): boolean =>
  position >= 0
    ? position === current
    : current >= 0 &&
      current < stall.stuck[device] &&
      deviceOfPosition(stall.program, current) === device &&
      start <= stall.start[current] &&
      stall.start[current] < end;

const ring = ({ x, y, width, height }: Box, theme: Theme): SVGElement =>
  svg('rect', {
    class: 'stall-current',
    x,
    y,
    width,
    height,
    fill: 'none',
    stroke: css(theme.ring),
    'stroke-width': 2,
  });

function restBox({ kind, label, inCircle, x, y, width, height }: RestBox, theme: Theme): SVGElement[] {
  const box = { x, y, width, height };
  if (kind < 0) return [centred(box, label, css(theme.dim))];
  const hue = theme.kinds[kind];
  const strong = inCircle || theme.highContrast;
  const rect = svg('rect', {
    ...box,
    rx: 2,
    fill: css(mix(theme.background, hue, theme.highContrast ? 0 : inCircle ? 0.38 : 0.16)),
    stroke: css(inCircle ? theme.error : mix(theme.background, hue, theme.highContrast ? 1 : 0.5)),
    'stroke-width': inCircle ? 2 : 1,
    ...(inCircle ? { class: 'in-circle' } : { 'stroke-dasharray': '3 2' }),
  });
  return [rect, centred(box, label, css(strong ? theme.foreground : theme.dim), inCircle ? 700 : 400)];
}

const centred = ({ x, y, width, height }: Box, label: string, fill: string, weight = 400): SVGElement =>
  svg(
    'text',
    { x: x + width / 2, y: y + height / 2 + 4, 'text-anchor': 'middle', fill, 'font-weight': weight, 'font-size': 11 },
    label,
  );

/** An arrow with a border in the colour of the ground, so that it differs from the boxes that it crosses. */
function drawnArrow(arrow: Arrow, theme: Theme): SVGElement[] {
  const { from, to, bend } = arrow;
  const line =
    bend === 0
      ? `M${from.join(' ')} L${to.join(' ')}`
      : `M${from.join(' ')} C${from[0]} ${from[1] + bend} ${to[0]} ${to[1] + bend} ${to.join(' ')}`;
  const angle = bend === 0 ? Math.atan2(to[1] - from[1], to[0] - from[0]) : bend < 0 ? Math.PI / 2 : -Math.PI / 2;
  const corner = (turn: number) => `${to[0] - 11 * Math.cos(angle + turn)} ${to[1] - 11 * Math.sin(angle + turn)}`;
  return [
    svg('path', { d: line, fill: 'none', stroke: css(theme.background), 'stroke-width': 5 }),
    svg('path', { d: line, fill: 'none', stroke: css(theme.error), 'stroke-width': 2, class: 'wait' }),
    svg('path', { d: `M${to.join(' ')} L${corner(0.45)} L${corner(-0.45)} Z`, fill: css(theme.error) }),
  ];
}

function badge({ from, to, bend, number }: Arrow, theme: Theme): SVGElement {
  // Arrows that cross do so in their middle: their numbers stand nearer to their start.
  const along = bend === 0 ? 0.24 : 0.5;
  const x = from[0] + (to[0] - from[0]) * along;
  const y = from[1] + (to[1] - from[1]) * along + bend * 0.75;
  const label = { x, y: y + 3.5, 'text-anchor': 'middle', 'font-size': 10, 'font-weight': 700 };
  return svg(
    'g',
    { class: 'badge' },
    svg('circle', { cx: x, cy: y, r: 9, fill: css(theme.error), stroke: css(theme.background), 'stroke-width': 1.5 }),
    svg('text', { ...label, fill: css(labelOn(theme.error)) }, String(number)),
  );
}

/** A name as far as it fits into the gutter. */
const fitted = (name: string, gutter: number): string => {
  const letters = Math.floor((gutter - 16) / letter);
  return name.length <= letters ? name : `…${name.slice(1 - letters)}`;
};
