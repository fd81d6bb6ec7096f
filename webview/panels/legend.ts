import { cividis, css } from '../colour.ts';
import { element } from '../dom.ts';
import { type Theme, chunkColour } from '../theme.ts';
import type { ColourBy } from '../worker/draw.ts';

const entries = [
  ['Forward', 0, 'block'],
  ['Backward, input', 1, 'block'],
  ['Backward, weight', 2, 'block'],
  ['Recompute', 3, 'striped'],
  ['Transfer', 4, 'lane'],
  ['Gradient sync', 5, 'striped'],
  ['Optimizer', 6, 'block'],
] as const;

/** What colours and patterns mean, in the colouring that is chosen. */
export function legend() {
  const bar = element('footer', { class: 'legend', 'aria-label': 'Legend' });
  const entry = (label: string, shape: string, background?: string) => {
    const swatch = element('i', { class: shape });
    if (background !== undefined) swatch.style.background = background;
    return element('span', {}, swatch, label);
  };
  function update(theme: Theme, by: ColourBy, microbatches: number): void {
    const ramp = [0, 0.25, 0.5, 0.75, 1].map((share) => css(cividis(share)));
    const ofKinds = entries
      .filter(([, kind]) => by !== 'microbatch' || kind >= 4)
      .map(([label, kind, shape]) => {
        const made = entry(label, shape);
        const swatch = made.firstElementChild;
        if (swatch instanceof HTMLElement) swatch.style.backgroundColor = css(theme.kinds[kind]);
        return made;
      });
    const ofMicrobatches = [
      entry(`Microbatch 0 to ${Math.max(0, microbatches - 1)}`, 'block', `linear-gradient(90deg, ${ramp.join()})`),
      entry('Weight gradient: lower half', 'half'),
    ];
    const shades = [0, 1, 2].map((chunk) => css(chunkColour(theme, 0, chunk)));
    const ofChunks = [entry('Later chunk: paler', 'block', `linear-gradient(90deg, ${shades.join()})`)];
    bar.replaceChildren(
      ...(by === 'microbatch' ? ofMicrobatches : []),
      ...ofKinds,
      ...(by === 'chunk' ? ofChunks : []),
      entry('Bubble', 'idle'),
      entry('Critical path', 'path'),
      entry('Over limit', 'over'),
    );
  }
  return { element: bar, update };
}
