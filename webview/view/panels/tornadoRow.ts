import type { TornadoRow } from '../../../engine/analyze/tornado.ts';
import { element, setText } from '../../controls/dom.ts';
import type { BarSpan, TornadoBar } from '../../session/tornadoBars.ts';

/** A row of a tornado: a name, a bar to either side, and a figure at the end of each. */
export function tornadoRow(choose: (row: TornadoRow) => void) {
  const name = element('span', { class: 'name' });
  const [shorter, longer] = (['shorter', 'longer'] as const).map((kind) => element('i', { class: kind }));
  const [low, high] = (['low', 'high'] as const).map((side) => element('span', { class: `figure-text ${side}` }));
  const track = element('span', { class: 'track' }, shorter, longer, low, ' ', high);
  const button = element('button', { type: 'button' }, name, ' ', track);
  let shown: TornadoBar | undefined;
  button.addEventListener('click', () => {
    if (shown !== undefined) choose(shown.row);
  });
  return {
    element: element('li', {}, button),
    update(bar: TornadoBar): void {
      shown = bar;
      const { row, words } = bar;
      // Both to the same side: one above the other.
      track.classList.toggle('crossed', bar.shorter.from < bar.longer.to && bar.longer.from < bar.shorter.to);
      const isUsual = bar.shorter.from <= bar.longer.from;
      setText(name, row.name);
      place(shorter, bar.shorter);
      place(longer, bar.longer);
      setText(low, isUsual ? bar.shorterText : bar.longerText);
      setText(high, isUsual ? bar.longerText : bar.shorterText);
      low.style.setProperty('--at', String(Math.min(bar.shorter.from, bar.longer.from)));
      high.style.setProperty('--at', String(Math.max(bar.shorter.to, bar.longer.to)));
      // What is seen is in the name.
      button.setAttribute('aria-label', `${row.name} ${low.textContent} ${high.textContent}. ${words}`);
      button.title = words;
      button.dataset.row = row.name;
    },
  };
}

function place(bar: HTMLElement, { from, to }: BarSpan): void {
  bar.style.setProperty('--from', String(from));
  bar.style.setProperty('--length', String(to - from));
}
