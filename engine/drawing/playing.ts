/** What makes a figure play: a window that opens along the axis of time, and a head at its end. */
import { darkRules } from './onScreen.ts';
import type { Sheet } from './sheet.ts';
import { points } from './xml.ts';

/** How long the viewer sees one iteration play. */
export interface Playing {
  readonly seconds: number;
}

/** `usual`: at speed 1 of the preview. */
export const playingSeconds = { least: 1, most: 600, usual: 8 } as const;

/** Seconds for which the whole run is shown before it plays again. */
const pause = 2;

/**
 * The window moves and what is in it moves back by as much, so it does not move. Only transforms are animated, which all browsers do in
 * an image. If the viewer wants no motion, nothing is moved: the figure is whole, and the head is not seen.
 */
export function playingStyle(sheet: Sheet, height: number, { seconds }: Playing): string {
  const way = points(sheet.right - sheet.left);
  const timing = `${points(seconds + pause)}s linear infinite`;
  const end = `${points((100 * seconds) / (seconds + pause))}%,to`;
  return `<style>
@keyframes opens{from{transform:translateX(-${way}px)}${end}{transform:none}}
@keyframes stays{from{transform:translateX(${way}px)}${end}{transform:none}}
@media (prefers-reduced-motion:no-preference){.opens{animation:opens ${timing}}.stays{animation:stays ${timing}}.head{opacity:1}}
${darkRules}</style>
<clipPath id="played"><rect width="${points(sheet.right + 0.25)}" height="${points(height)}"/></clipPath>
`;
}

/** Parts that are seen once the head has passed them; without `playing` they are always seen. */
export function* asPlayed(playing: Playing | undefined, parts: Iterable<string>): Generator<string> {
  if (playing === undefined) return yield* parts;
  yield '<g class="opens" clip-path="url(#played)"><g class="stays">\n';
  yield* parts;
  yield '</g></g>\n';
}

/** The head where it ends, over rows and chart. */
export function playHead({ right, top }: Sheet, bottom: number): string {
  const x = points(right);
  return `<path class="opens head" opacity="0" d="M${x} ${points(top)}V${points(bottom)}M${x} ${points(top)}l-2.5 -3.5h5z" fill="#000000" stroke="#000000" stroke-width="0.9"/>\n`;
}
