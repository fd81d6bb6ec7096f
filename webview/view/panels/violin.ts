import type { Violin } from '../../session/violin.ts';

const svg = 'http://www.w3.org/2000/svg';
/** Height of the drawing; its width is 100. The page stretches both. */
const height = 20;

function part(tag: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const made = document.createElementNS(svg, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** The spread of the iterations as a shape of two mirrored halves, with lines at percentiles and bounds. */
export function violin({ outline, marks }: Violin): SVGElement {
  const half = height / 2;
  const point = (at: number, y: number): string => `${(at * 100).toFixed(2)} ${y.toFixed(2)}`;
  const upper = outline.map(([at, high]) => point(at, half - high * (half - 1)));
  const lower = outline.toReversed().map(([at, high]) => point(at, half + high * (half - 1)));
  const words = marks.map((mark) => mark.words).join(', ');
  const made = part('svg', {
    class: 'violin',
    viewBox: `0 0 100 ${height}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': `Spread of the iterations: ${words}`,
  });
  made.append(part('path', { class: 'body', d: `M${[...upper, ...lower].join('L')}Z` }));
  for (const { kind, at } of marks) {
    const x = (at * 100).toFixed(2);
    made.append(part('line', { class: `mark ${kind}`, x1: x, x2: x, y1: '0', y2: String(height) }));
  }
  return made;
}
