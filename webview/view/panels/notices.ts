import { element, setText } from '../../controls/dom.ts';
import { banner } from './banner.ts';

const simulating = 'Simulating…';

/** Says what stands between the file and its picture: not simulated yet, or not what the text says now. */
export function notices(place: HTMLElement) {
  const bar = banner();
  const empty = element('p', { class: 'empty' }, simulating);
  return {
    banner: bar.element,
    /** Stands in for the picture while there is none. */
    empty,
    /** `kept`: the last good picture stays on show. */
    broken(message: string, kept: boolean): void {
      place.classList.toggle('stale', kept);
      bar.show(kept ? `${message} Below is the last timeline that could be simulated.` : message);
      if (!kept) setText(empty, 'There is nothing to show yet.');
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
