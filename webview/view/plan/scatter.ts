import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import { bytes } from '../../../engine/basics/quantities.ts';
import { element } from '../../controls/dom.ts';
import type { PlanSearchState } from '../../session/planFound.ts';
import { onMeasureChange } from '../onMeasureChange.ts';
import { hatch, type Ink } from '../paint/canvas.ts';
import { mix, type Rgb } from '../scene/colour.ts';
import { css, font, type Theme } from '../scene/theme.ts';
import {
  type Frame,
  frameOf,
  isInside,
  iterationTicks,
  memoryTicks,
  type Plot,
  scalesOf,
  type Scales,
} from './frame.ts';
import { frontLine } from './frontLine.ts';
import { labelPlaces, overlap, type Rectangle } from './labelPlaces.ts';
import { hueOf, hueOrder, type Looks, shapeOf } from './looks.ts';
import { shortLabels } from './shortLabels.ts';
import { cornersOf, drawMarks, maskOf, shapes } from './marks.ts';
import { fileFigures, figureWords, pointWords, settingWords } from './words.ts';

export interface ScatterState {
  readonly search: PlanSearchState;
  readonly looks: Looks;
  readonly theme: Theme;
  /** Row that the card shows. */
  readonly selected: number | undefined;
}

export interface ScatterActions {
  select(row: number): void;
  /** Enter on the selected row. */
  write(row: number): void;
}

const margin = { left: 64, right: 14, top: 10, bottom: 26 };
/** Sizes of marks in CSS pixels: of the front, of others, of others in a crowd. */
const sizes = { front: 11, other: 8, crowded: 5 };
const crowd = 2_000;
/** A pointer this near to a mark means it; CSS pixels. */
const reach = 9;
const mostLabels = 14;
const lineHeight = 13;
/** How much of its colour a mark has that is not on the front, and one that misses a limit. */
const strength = { other: 0.5, misses: 0.4, highContrast: 0.65 };

/** Time against memory of all rows: the front, the limit, and this file. */
export function scatter(actions: ScatterActions) {
  const canvas = element('canvas', { 'aria-hidden': 'true' });
  const options = element('div', { class: 'unseen' });
  const tip = element('div', { class: 'plan-tip', hidden: '' });
  const box = element('div', { class: 'plan-plot', tabindex: '0', 'aria-label': 'Front' }, canvas, tip, options);
  let state: ScatterState | undefined;
  let drawn: { readonly frame: Frame; readonly scales: Scales } | undefined;
  let layer: OffscreenCanvas | undefined;
  let layerKey = '';
  let hovered: FoundPoint | undefined;
  let optionsOf: readonly FoundPoint[] = [];
  let outside = 0;

  onMeasureChange(box, () => paint());
  box.addEventListener('pointermove', (event) => point(event));
  box.addEventListener('pointerleave', () => hover(undefined));
  box.addEventListener('click', (event) => {
    const found = at(event);
    if (found !== undefined) actions.select(found.row);
  });
  box.addEventListener('focus', () => {
    const front = state?.search.front ?? [];
    if (state?.selected === undefined && front.length > 0) actions.select(front[0].row);
    paint();
  });
  box.addEventListener('blur', () => paint());
  box.addEventListener('keydown', (event) => {
    const { front = [] } = state?.search ?? {};
    if (front.length === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const now = front.findIndex(({ row }) => row === state?.selected);
    // Fastest first: to the right there is more memory, and less time.
    const next: Readonly<Record<string, number>> = {
      ArrowRight: Math.max(0, now - 1),
      ArrowDown: Math.max(0, now - 1),
      ArrowLeft: Math.min(front.length - 1, now + 1),
      ArrowUp: Math.min(front.length - 1, now + 1),
      Home: front.length - 1,
      End: 0,
    };
    if (event.key === 'Enter' && state?.selected !== undefined) actions.write(state.selected);
    const index = next[event.key];
    if (index === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (index !== undefined) actions.select(front[index].row);
  });

  const plot = (): Plot => ({
    left: margin.left,
    top: margin.top,
    width: Math.max(1, box.clientWidth - margin.left - margin.right),
    height: Math.max(1, box.clientHeight - margin.top - margin.bottom),
  });

  /** The mark under the pointer; of several, one of the front. */
  function at({ clientX, clientY }: MouseEvent): FoundPoint | undefined {
    if (state === undefined || drawn === undefined) return undefined;
    const { left, top } = box.getBoundingClientRect();
    const { scales, frame } = drawn;
    const nearest = (points: readonly FoundPoint[]): FoundPoint | undefined => {
      let [best, least]: [FoundPoint | undefined, number] = [undefined, reach];
      for (const each of points) {
        const distance = Math.hypot(scales.x(each.peak) + left - clientX, scales.y(each.iteration) + top - clientY);
        if (distance < least && isInside(frame, each)) [best, least] = [each, distance];
      }
      return best;
    };
    return nearest(state.search.front) ?? nearest(state.search.points);
  }

  function point(event: PointerEvent): void {
    hover(at(event));
  }

  function hover(next: FoundPoint | undefined): void {
    if (next === hovered) return;
    hovered = next;
    box.style.cursor = next === undefined ? '' : 'pointer';
    showTip();
    paint();
  }

  function showTip(): void {
    tip.hidden = hovered === undefined || drawn === undefined;
    if (hovered === undefined || drawn === undefined) return;
    tip.replaceChildren(element('strong', {}, figureWords(hovered)), element('span', {}, settingWords(hovered)));
    const [x, y] = [drawn.scales.x(hovered.peak), drawn.scales.y(hovered.iteration)];
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = `${Math.max(2, Math.min(box.clientWidth - width - 2, x + 14 + width > box.clientWidth ? x - 14 - width : x + 14))}px`;
    tip.style.top = `${Math.max(2, Math.min(box.clientHeight - height - 2, y - height / 2))}px`;
  }

  /** The front as a list, for keys and screen readers. */
  function list(): void {
    if (state === undefined) return;
    const { front } = state.search;
    if (front !== optionsOf) {
      optionsOf = front;
      options.replaceChildren(
        ...front.map((each) => element('div', { role: 'option', id: `plan-row-${each.row}` }, pointWords(each))),
      );
    }
    for (const option of options.children)
      option.setAttribute('aria-selected', String(option.id === `plan-row-${state.selected}`));
    // A list without options is no list.
    if (front.length > 0) box.setAttribute('role', 'listbox');
    else box.setAttribute('role', 'img');
    const isListed = front.some(({ row }) => row === state?.selected);
    if (isListed) box.setAttribute('aria-activedescendant', `plan-row-${state.selected}`);
    else box.removeAttribute('aria-activedescendant');
  }

  function limitOf({ head }: PlanSearchState): { readonly bytes: number; readonly text: string } | undefined {
    const { capacity, peakLimit } = head ?? {};
    if (peakLimit !== undefined && (capacity === undefined || peakLimit.bytes < capacity))
      return { bytes: peakLimit.bytes, text: peakLimit.text };
    return capacity === undefined ? undefined : { bytes: capacity, text: `limit ${bytes(capacity)}` };
  }

  function paint(): void {
    if (state === undefined || box.clientWidth === 0 || box.clientHeight === 0) return;
    const { search, theme, looks } = state;
    const dpr = devicePixelRatio;
    const [width, height] = [Math.round(box.clientWidth * dpr), Math.round(box.clientHeight * dpr)];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const ink = canvas.getContext('2d');
    if (ink === null) return;
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.clearRect(0, 0, width, height);
    const written = fileFigures(search);
    const limit = limitOf(search);
    const matters = [...search.front, ...(written === undefined ? [] : [written])];
    const frame = frameOf(search.points, matters, limit?.bytes);
    const area = plot();
    if (frame === undefined) {
      drawn = undefined;
      return;
    }
    const scales = scalesOf(frame, area);
    drawn = { frame, scales };
    ink.setTransform(dpr, 0, 0, dpr, 0, 0);
    paintAxes(ink, theme, frame, scales, area);
    const limitX = limit === undefined ? undefined : scales.x(limit.bytes);
    const hasLimit = limitX !== undefined && limitX < area.left + area.width;
    if (hasLimit) paintBeyond(ink, theme, limitX, area, dpr);
    paintOthers(ink, state, frame, scales, { width, height, dpr });
    if (hasLimit) paintLimit(ink, theme, limitX, area);
    paintFront(ink, theme, search, scales, area, frame);
    const inFrame = search.front.filter((each) => isInside(frame, each));
    for (const each of inFrame) paintMark(ink, theme, looks, each, scales);
    const half = sizes.front / 2 + 1;
    const marks = [...inFrame, ...(written === undefined ? [] : [written])].map(({ peak, iteration }) => ({
      left: scales.x(peak) - half,
      top: scales.y(iteration) - half,
      width: 2 * half,
      height: 2 * half,
    }));
    const labels =
      limit !== undefined && hasLimit ? [paintLimitLabel(ink, theme, limit.text, limitX, area, marks)] : [];
    paintLabels(ink, state, inFrame, written, scales, area, [...marks, ...labels]);
    const selected = search.points.find(({ row }) => row === state?.selected);
    for (const each of [selected, hovered])
      if (each !== undefined && isInside(frame, each)) paintRing(ink, theme, each, scales, each === selected);
  }

  /** All points but the front, as pixels that are kept until something about them changes. */
  function paintOthers(
    ink: Ink,
    { search, looks, theme }: ScatterState,
    frame: Frame,
    scales: Scales,
    { width, height, dpr }: { readonly width: number; readonly height: number; readonly dpr: number },
  ): void {
    const { points, front } = search;
    const key = JSON.stringify([points.length, front.map(({ row }) => row), frame, width, height, dpr, theme, looks]);
    if (key !== layerKey || layer === undefined) {
      layerKey = key;
      const onFront = new Set(front);
      const others = points.filter((each) => !onFront.has(each) && isInside(frame, each));
      outside = points.length - others.length - front.filter((each) => isInside(frame, each)).length;
      // Those that miss a limit lie under the others.
      const sorted = [...others.filter(({ meets }) => !meets), ...others.filter(({ meets }) => meets)];
      const hues = hueOrder.map((number) => colourOf(theme, looks, number));
      const faded = (share: number) =>
        hues.map((each) => mix(theme.background, each, theme.highContrast ? strength.highContrast : share));
      const size = Math.round((points.length > crowd ? sizes.crowded : sizes.other) * dpr);
      const image = new ImageData(width, height);
      const [shape, hue] = [shapeOf(looks), hueOf(looks)];
      drawMarks(
        image,
        {
          x: Float32Array.from(sorted, ({ peak }) => scales.x(peak) * dpr),
          y: Float32Array.from(sorted, ({ iteration }) => scales.y(iteration) * dpr),
          shape: Uint8Array.from(sorted, shape),
          colour: Uint8Array.from(sorted, (each) => hue(each) + (each.meets ? hues.length : 0)),
        },
        shapes.map((shape) => maskOf(shape, size)),
        [...faded(strength.misses), ...faded(strength.other)],
      );
      layer = new OffscreenCanvas(width, height);
      layer.getContext('2d')?.putImageData(image, 0, 0);
    }
    ink.save();
    ink.setTransform(1, 0, 0, 1, 0, 0);
    ink.drawImage(layer, 0, 0);
    ink.restore();
  }

  function paintLabels(
    ink: Ink,
    { search, theme, looks }: ScatterState,
    front: readonly FoundPoint[],
    written: { readonly iteration: number; readonly peak: number } | undefined,
    scales: Scales,
    area: Plot,
    taken: readonly Rectangle[],
  ): void {
    ink.font = font(theme, 11);
    ink.textAlign = 'left';
    ink.textBaseline = 'middle';
    const text = shortLabels(
      search.front,
      [looks.shape, looks.colour].flatMap((scheme) => scheme?.key ?? []),
    );
    const label = (words: string, { peak, iteration }: { readonly peak: number; readonly iteration: number }) => ({
      words,
      x: scales.x(peak),
      y: scales.y(iteration),
      width: ink.measureText(words).width,
      height: lineHeight,
    });
    const wanted = [
      ...(written === undefined ? [] : [label('this file', written)]),
      ...important(front, search.figures?.best).map((each) => label(text(each), each)),
    ].filter(({ words }) => words !== '');
    const places = labelPlaces(wanted, taken, area);
    if (written !== undefined) paintFile(ink, theme, scales.x(written.peak), scales.y(written.iteration));
    for (const [index, place] of places.entries()) {
      if (place === undefined) continue;
      ink.fillStyle = css(theme.background, theme.highContrast ? 1 : 0.75);
      ink.fillRect(place.left - 1, place.top, place.width + 2, place.height);
      ink.fillStyle = css(theme.foreground);
      ink.fillText(wanted[index].words, place.left, place.top + place.height / 2);
    }
  }

  return {
    element: box,
    update(next: ScatterState): void {
      state = next;
      if (hovered !== undefined && !next.search.points.includes(hovered)) hovered = undefined;
      list();
      paint();
      showTip();
    },
    describe: (sentence: string): void => box.setAttribute('aria-label', sentence),
    /** Points that the frame leaves out. */
    outside: () => outside,
    focus: () => box.focus(),
  };
}

/** Front points in the order in which their labels get room: the best, both ends, then every other one. */
function important(front: readonly FoundPoint[], best: number | undefined): readonly FoundPoint[] {
  const found = new Set<FoundPoint>();
  const first = front.find(({ row }) => row === best);
  if (first !== undefined) found.add(first);
  for (const end of [front.at(0), front.at(-1)]) if (end !== undefined) found.add(end);
  for (let step = front.length; step >= 1 && found.size < mostLabels; step = Math.floor(step / 2))
    for (let index = step; index < front.length && found.size < mostLabels; index += step) found.add(front[index]);
  return [...found];
}

/** Without a scheme of colours, all points have the ink of the page. */
export const colourOf = (theme: Theme, { colour }: Looks, hue: number): Rgb =>
  colour === undefined ? theme.hues[hueOrder[0]] : theme.hues[hue];

function paintAxes(ink: Ink, theme: Theme, frame: Frame, { x, y }: Scales, area: Plot): void {
  ink.font = font(theme, 11);
  ink.lineWidth = 1;
  ink.strokeStyle = css(theme.line);
  ink.fillStyle = css(theme.dim);
  ink.textBaseline = 'middle';
  ink.textAlign = 'right';
  for (const { at, text } of iterationTicks(frame.time, area.height)) {
    const place = Math.round(y(at)) + 0.5;
    if (place < area.top || place > area.top + area.height) continue;
    stroke(ink, [[area.left, place], [area.left + area.width, place]]); // prettier-ignore
    ink.fillText(text, area.left - 8, place);
  }
  ink.textAlign = 'center';
  for (const { at, text } of memoryTicks(frame.memory, area.width)) {
    const place = Math.round(x(at)) + 0.5;
    if (place < area.left || place > area.left + area.width) continue;
    stroke(ink, [[place, area.top], [place, area.top + area.height]]); // prettier-ignore
    const half = ink.measureText(text).width / 2;
    ink.fillText(text, Math.min(place, area.left + area.width + margin.right - half - 1), area.top + area.height + 14);
  }
}

function paintBeyond(ink: Ink, theme: Theme, limit: number, area: Plot, dpr: number): void {
  const left = Math.max(area.left, limit);
  ink.fillStyle = css(theme.error, theme.highContrast ? 0 : 0.07);
  ink.fillRect(left, area.top, area.left + area.width - left, area.height);
  ink.fillStyle = hatch(ink, theme.error, theme.highContrast ? 0.6 : 0.22, 8, 1, dpr);
  ink.fillRect(left, area.top, area.left + area.width - left, area.height);
}

function paintLimit(ink: Ink, theme: Theme, limit: number, area: Plot): void {
  if (limit < area.left) return;
  ink.strokeStyle = css(theme.error);
  ink.lineWidth = 1.5;
  ink.setLineDash([4, 3]);
  stroke(ink, [[limit, area.top], [limit, area.top + area.height]]); // prettier-ignore
  ink.setLineDash([]);
}

/** At the foot of the limit, on the side that has room for it, or at its top, if it would cover marks that matter. Its rectangle is returned. */
function paintLimitLabel(
  ink: Ink,
  theme: Theme,
  text: string,
  limit: number,
  area: Plot,
  marks: readonly Rectangle[],
): Rectangle {
  ink.font = font(theme, 11);
  ink.textBaseline = 'middle';
  ink.textAlign = 'left';
  const width = ink.measureText(text).width + 4;
  const [behind, before] = [Math.max(area.left, limit) + 4, Math.max(area.left, limit - 8 - width)];
  const sides = behind + width <= area.left + area.width ? [behind, before] : [before];
  const places = [area.top + area.height - 18, area.top + 3].flatMap((top) =>
    sides.map((left) => ({ left, top, width, height: 15 })),
  );
  const place = places.find((each) => !marks.some((mark) => overlap(each, mark))) ?? places[0];
  ink.fillStyle = css(theme.background, 0.85);
  ink.fillRect(place.left, place.top, place.width, place.height);
  ink.fillStyle = css(theme.highContrast ? theme.foreground : mix(theme.foreground, theme.error, 0.5));
  ink.fillText(text, place.left + 2, place.top + place.height / 2);
  return place;
}

function paintFront(
  ink: Ink,
  theme: Theme,
  { front, beyond }: PlanSearchState,
  { x, y }: Scales,
  area: Plot,
  { memory }: Frame,
): void {
  const spot = ({ peak, iteration }: FoundPoint) => ({ x: x(Math.min(peak, memory[1])), y: y(iteration) });
  ink.save();
  ink.beginPath();
  ink.rect(area.left, area.top, area.width, area.height);
  ink.clip();
  const trace = (points: readonly FoundPoint[]): void =>
    stroke(
      ink,
      frontLine(points.map(spot)).map((corner) => [corner.x, corner.y] as const),
    );
  ink.lineJoin = 'round';
  if (beyond.length > 0) {
    ink.strokeStyle = css(theme.dim, theme.highContrast ? 1 : 0.7);
    ink.lineWidth = 1;
    ink.setLineDash([3, 3]);
    trace([...beyond, ...front.slice(0, 1)]);
    ink.setLineDash([]);
  }
  ink.strokeStyle = css(theme.foreground);
  ink.lineWidth = 1.5;
  trace(front);
  ink.restore();
}

function paintMark(ink: Ink, theme: Theme, looks: Looks, point: FoundPoint, { x, y }: Scales): void {
  const [left, top, half] = [x(point.peak), y(point.iteration), sizes.front / 2];
  ink.beginPath();
  const corners = cornersOf(shapes[shapeOf(looks)(point)]);
  if (corners === undefined) ink.arc(left, top, half * 0.95, 0, 2 * Math.PI);
  else for (const [across, down] of corners) ink.lineTo(left + across * half, top + down * half);
  ink.closePath();
  ink.lineWidth = 2.5;
  ink.strokeStyle = css(theme.background);
  ink.stroke();
  ink.fillStyle = css(colourOf(theme, looks, hueOrder[hueOf(looks)(point)]));
  ink.fill();
  if (!theme.highContrast) return;
  ink.lineWidth = 1;
  ink.strokeStyle = css(theme.foreground);
  ink.stroke();
}

/** This file: a ring with a cross, which no row looks like. */
function paintFile(ink: Ink, theme: Theme, x: number, y: number): void {
  for (const [colour, width] of [
    [theme.background, 4],
    [theme.foreground, 1.5],
  ] as const) {
    ink.strokeStyle = css(colour);
    ink.lineWidth = width;
    ink.beginPath();
    ink.arc(x, y, 6, 0, 2 * Math.PI);
    for (const [across, down] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ]) {
      // prettier-ignore
      ink.moveTo(x + across * 6, y + down * 6);
      ink.lineTo(x + across * 10, y + down * 10);
    }
    ink.stroke();
  }
}

function paintRing(ink: Ink, theme: Theme, { peak, iteration }: FoundPoint, { x, y }: Scales, strong: boolean): void {
  for (const [colour, width] of strong
    ? ([
        [theme.background, 5],
        [theme.ring, 2],
      ] as const)
    : ([[theme.foreground, 1]] as const)) {
    ink.strokeStyle = css(colour);
    ink.lineWidth = width;
    ink.beginPath();
    ink.arc(x(peak), y(iteration), sizes.front / 2 + 4.5, 0, 2 * Math.PI);
    ink.stroke();
  }
}

function stroke(ink: Ink, corners: readonly (readonly [x: number, y: number])[]): void {
  ink.beginPath();
  for (const [x, y] of corners) ink.lineTo(x, y);
  ink.stroke();
}
