import { css } from '../scene/colour.ts';
import type { Theme } from '../scene/theme.ts';

/** Colour of a kind of work, under the marks of those declared operations whose colour another one has too. */
export function paintSwatch(swatch: HTMLElement, theme: Theme, kind: number, marks: number): void {
  swatch.style.backgroundColor = css(theme.kinds[kind]);
  swatch.style.setProperty('--mark', css(theme.labels[kind], 0.6));
  swatch.classList.toggle('strokes', marks > 0);
  swatch.classList.toggle('crossed', marks > 1);
}

/** No colour at all. */
export function clearSwatch(swatch: HTMLElement): void {
  swatch.style.backgroundColor = '';
  swatch.classList.remove('strokes', 'crossed');
}
