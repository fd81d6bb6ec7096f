import { element } from '../../controls/dom.ts';
import { svg } from '../../controls/svg.ts';
import { css, type Theme } from '../scene/theme.ts';
import { hueOrder, type Looks } from './looks.ts';
import { colourOf } from './plotPaint.ts';
import { cornersOf, type Shape, shapes } from './marks.ts';

/** What shapes and colours of the scatter mean. */
export function planLegend() {
  const box = element('div', { class: 'plan-legend' });
  return {
    element: box,
    update(looks: Looks, theme: Theme): void {
      const ink = css(theme.foreground);
      const shown: HTMLElement[] = [];
      const { shape, colour } = looks;
      if (shape !== undefined)
        shown.push(group(shape.key, namesOf(shape.values, shapes.length), (index) => sign(shapes[index], ink)));
      if (colour !== undefined)
        shown.push(
          group(colour.key, namesOf(colour.values, hueOrder.length), (index) =>
            sign('circle', css(colourOf(theme, looks, hueOrder[index]))),
          ),
        );
      box.replaceChildren(...shown);
    },
  };
}

/** Names of looks; the last one is for all further values. */
const namesOf = (values: readonly string[], most: number): readonly string[] =>
  values.length <= most ? values : [...values.slice(0, most - 1), 'others'];

const group = (key: string, names: readonly string[], signOf: (index: number) => SVGElement): HTMLElement =>
  element(
    'div',
    { class: 'plan-group', role: 'list', 'aria-label': key },
    element('span', { class: 'dim', role: 'presentation' }, key),
    ...names.map((name, index) => element('span', { class: 'plan-look', role: 'listitem' }, signOf(index), name)),
  );

function sign(shape: Shape, colour: string): SVGElement {
  const corners = cornersOf(shape);
  const mark =
    corners === undefined
      ? svg('circle', { r: 0.95, fill: colour })
      : svg('polygon', { points: corners.map((corner) => corner.join(',')).join(' '), fill: colour });
  return svg('svg', { viewBox: '-1.2 -1.2 2.4 2.4', 'aria-hidden': 'true' }, mark);
}
