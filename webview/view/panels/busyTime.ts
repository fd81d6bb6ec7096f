import { element, setShare } from '../../controls/dom.ts';
import { iterationOf, paintKinds } from '../../picture/columns.ts';
import type { Picture } from '../../picture/picture.ts';
import { secondsByKind } from '../../picture/rangeFigures.ts';
import { css } from '../scene/colour.ts';
import type { Theme } from '../scene/theme.ts';

/** How the busy time of all devices divides among kinds of work, as parts of a bar. */
export function busyTime(bar: HTMLElement, picture: Picture, theme: Theme): void {
  const seconds = secondsByKind(picture);
  const whole = iterationOf(picture.columns) * Math.max(1, picture.columns.rows);
  const parts = paintKinds.flatMap((_, kind) => {
    if (!(seconds[kind] > 0)) return [];
    const part = element('i');
    part.style.background = css(theme.kinds[kind]);
    setShare(part, seconds[kind] / whole);
    return [part];
  });
  bar.replaceChildren(...parts);
}
