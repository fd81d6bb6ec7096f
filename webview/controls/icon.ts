/** Signs of buttons, as strokes in a square of 16. */
const strokes = {
  find: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9zM10.3 10.3L14 14',
  params: 'M2 4.5h5M11 4.5h3M2 11.5h3M9 11.5h5M9 2.5v4M7 9.5v4',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  down: 'M4 6l4 4l4-4',
  up: 'M4 10l4-4l4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  play: 'M5 3l8 5l-8 5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  step: 'M4 3l6.5 5L4 13zM12.5 3v10',
  compare: 'M2.5 3.5h8M2.5 6.5h5M2.5 9.5h11M2.5 12.5h7',
  cup: 'M5 2.5h6v4a3 3 0 0 1-6 0zM5 3.5H2.8v1a2 2 0 0 0 2.2 2M11 3.5h2.2v1a2 2 0 0 1-2.2 2M8 9.5v2.5M5.5 13.5h5',
  chart: 'M2.5 2.5v11h11M4.5 10.5l3-4 2.5 2 3-5',
  legend: 'M2.5 3h4v4h-4zM2.5 9.5h4v4h-4zM9 5h5M9 11.5h5',
} as const;
export type IconName = keyof typeof strokes;

const svg = 'http://www.w3.org/2000/svg';

export function icon(name: IconName): SVGSVGElement {
  const made = document.createElementNS(svg, 'svg');
  const path = document.createElementNS(svg, 'path');
  path.setAttribute('d', strokes[name]);
  const attributes = {
    'aria-hidden': 'true',
    class: 'icon-sign',
    viewBox: '0 0 16 16',
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': name === 'more' ? '2.2' : '1.4',
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
  };
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(path);
  return made;
}
