import { element, setText } from '../../controls/dom.ts';
import { banner } from './banner.ts';

const simulating = 'Simulating…';

/** Says why there is no picture yet, or why the picture is older than the text. */
export function notices(place: HTMLElement) {
  const bar = banner();
  const empty = element('p', { class: 'empty' }, simulating);
  return {
    banner: bar.element,
    /** Takes the place of the picture while there is none. */
    empty,
    /** `kept`: the last good picture stays on show. */
    broken(message: string, kept: boolean): void {
      place.classList.toggle('stale', kept);
      bar.show(kept ? `${message} Showing the last valid timeline.` : message);
      if (!kept) setText(empty, 'Nothing to draw yet.');
    },
    whole(): void {
      bar.hide();
      place.classList.remove('stale');
    },
    /** There is a picture. */
    shown(): void {
      empty.hidden = true;
      place.classList.remove('blank');
    },
    /** There is none, of this file. */
    waiting(): void {
      place.classList.add('blank');
      setText(empty, simulating);
      empty.hidden = false;
    },
  };
}
