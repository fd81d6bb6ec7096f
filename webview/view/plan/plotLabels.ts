import type { FoundPoint } from '../../../engine/sweep/answer.ts';
import type { PlanSearchState } from '../../session/planFound.ts';
import type { Ink } from '../paint/canvas.ts';
import { css, font, type Theme } from '../scene/theme.ts';
import type { Plot, Scales } from './frame.ts';
import { labelPlaces, type Rectangle } from './labelPlaces.ts';
import type { Looks } from './looks.ts';
import { paintFile } from './plotPaint.ts';
import { shortLabels } from './shortLabels.ts';

const mostLabels = 14;
const lineHeight = 13;

/** Names of what matters, where they cover neither marks nor each other. */
export function paintLabels(
  ink: Ink,
  { search, theme, looks }: { readonly search: PlanSearchState; readonly theme: Theme; readonly looks: Looks },
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
