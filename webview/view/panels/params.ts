import type { ParamPlan } from '../../../engine/plan.ts';
import { button, slider } from '../../controls/toolkit.ts';
import { element, setText } from '../../controls/dom.ts';
import { rounded, sliderRange } from '../../controls/sliderRange.ts';

export interface ParamActions {
  turn(name: string, value: number): void;
  apply(name: string, value: number): void;
  reset(name: string): void;
}

/** A slider for each param. The page shows which value it tries. Only Apply changes the file. */
export function params(actions: ParamActions) {
  const bar = element('section', { class: 'params', 'aria-label': 'Params' });
  const rows = new Map<string, ReturnType<typeof row>>();
  let order = '';

  function update(all: readonly ParamPlan[], overrides: Readonly<Record<string, number>>): void {
    const wanted = JSON.stringify(all.map(({ name, unit }) => [name, unit]));
    if (wanted !== order) {
      order = wanted;
      rows.clear();
      for (const { name, unit } of all) rows.set(name, row(name, unit, actions));
      bar.replaceChildren(...Array.from(rows.values(), (made) => made.element));
    }
    for (const param of all) rows.get(param.name)?.update(param, overrides[param.name]);
    bar.hidden = all.length === 0;
  }
  return { element: bar, update };
}

function row(name: string, unit: string, actions: ParamActions) {
  let scale = 1;
  let value = 0;
  const control = slider(name, unit, (shown) => {
    value = shown * scale;
    actions.turn(name, value);
  });
  const trying = element('span', { class: 'trying' });
  const apply = button('Apply', () => actions.apply(name, value), `Apply: write ${name} into the file`, 'primary');
  const reset = button('Reset', () => actions.reset(name), `Reset ${name} to its value in the file`);
  const whole = element(
    'div',
    { class: 'param', 'data-param': name },
    element('span', { class: 'name' }, name),
    control.element,
    trying,
    apply.element,
    reset.element,
  );
  function update(param: ParamPlan, override: number | undefined): void {
    scale = param.scale;
    value = override ?? param.value;
    const shown = rounded(value / scale);
    control.setRange(sliderRange(param));
    control.setValue(shown);
    const tried = override !== undefined && override !== param.default;
    setText(trying, tried ? `trying ${name} = ${shown}${unit === '' ? '' : ` ${unit}`}` : '');
    for (const action of [apply, reset]) action.element.hidden = !tried;
    apply.setDisabled(!param.local);
    whole.title = param.doc ?? '';
  }
  return { element: whole, update };
}
