import { css } from '../scene/colour.ts';
import { bucketOf, type PieceRow } from '../../picture/lanes.ts';
import type { Scene } from '../scene/scene.ts';
import type { Theme } from '../scene/theme.ts';

/** Colour of a kind of work, under the marks of those declared operations whose colour another one has too. */
export function paintSwatch(swatch: HTMLElement, theme: Theme, kind: number, marks: number): void {
  swatch.style.backgroundColor = css(theme.kinds[kind]);
  swatch.style.setProperty('--mark', css(theme.labels[kind], 0.6));
  swatch.classList.toggle('strokes', marks > 0);
  swatch.classList.toggle('crossed', marks > 1);
}

/** Colour of the layer nearest to the front in a piece. */
export function paintPieceSwatch(
  swatch: HTMLElement,
  { theme, picture }: Pick<Scene, 'theme' | 'picture'>,
  piece: PieceRow,
) {
  const { lanes } = picture;
  if (lanes === undefined) return;
  const front = lanes.all[piece.lane].buckets.front[bucketOf(lanes, piece)];
  swatch.style.backgroundColor = css(theme.hues[front % theme.hues.length]);
  swatch.classList.remove('idle', 'strokes', 'crossed');
}

/** No colour at all. */
export function clearSwatch(swatch: HTMLElement): void {
  swatch.style.backgroundColor = '';
  swatch.classList.remove('strokes', 'crossed');
}
