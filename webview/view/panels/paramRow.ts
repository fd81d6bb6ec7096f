import type { ParamPlan } from '../../../engine/values/plan.ts';
import { element } from '../../controls/dom.ts';
import { iconButton } from '../../controls/iconButton.ts';
import { popover } from '../../controls/popover.ts';
import { rounded, sliderRange } from '../../controls/sliderRange.ts';
import { button, slider } from '../../controls/toolkit.ts';
import { wordChoice } from '../../controls/wordChoice.ts';

export interface ParamActions {
  turn(name: string, value: number): void;
  apply(name: string, value: number): void;
  reset(name: string): void;
  /** The chart over the values of a param. */
  chart(param: ParamPlan): HTMLElement;
  closeChart(): void;
}

/**
 * One param, or one argument of the pipeline's schedule: its slider or list of words, and its number. While another value is tried,
 * Apply and Reset take the place of the number.
 */
export function paramRow({ name, unit, argument, words }: ParamPlan, actions: ParamActions) {
  let scale = 1;
  let value = 0;
  let tried = false;
  const label = argument === undefined ? name : argument.parameter;
  // Arguments and params may have one name.
  const whole = argument === undefined ? name : `${label} of ${argument.schedule}`;
  const turn = (shown: number): void => {
    value = shown * scale;
    actions.turn(name, value);
  };
  const control = words === undefined ? slider(whole, unit, turn) : wordRow(whole, words, turn);
  const apply = button('Apply', () => actions.apply(name, value), `Apply: write ${whole} into the file`, 'primary');
  const reset = button('Reset', () => actions.reset(name), `Reset ${whole} to its value in the file`);
  let shown: ParamPlan | undefined;
  const chart = iconButton('chart', `Chart over ${whole}`, () => {
    if (shown !== undefined) popover(chart, `Chart over ${whole}`, actions.chart(shown), actions.closeChart);
  });
  chart.hidden = words !== undefined;
  const buttons = element('span', { class: 'param-buttons' }, apply.element, reset.element);
  const place = element('span', { class: 'param-place' }, control.exact, buttons);
  const row = element(
    'div',
    { class: 'param', 'data-param': name },
    element(
      'span',
      { class: 'name' },
      label,
      ...(argument === undefined || argument.shape === true
        ? []
        : [element('span', { class: 'dim' }, ` ${argument.schedule}`)]),
    ),
    control.element,
    chart,
    place,
  );
  // The number that is being typed stays under the fingers.
  place.addEventListener('focusout', () => setTimeout(show));
  place.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !control.exact.contains(document.activeElement) || !tried) return;
    // The same key would press the button that gets the focus, and so change the file.
    event.preventDefault();
    (document.activeElement as HTMLElement).blur();
    show();
    apply.element.focus();
  });

  function show(): void {
    const typing = control.exact.contains(document.activeElement);
    const held = buttons.contains(document.activeElement);
    const writable = tried && argument?.shape !== true;
    buttons.hidden = !writable || typing;
    control.exact.hidden = writable && !typing;
    if (held && buttons.hidden) control.focus();
  }

  return {
    element: row,
    focus: control.focus,
    /** For a summary: `microbatches 8`. */
    text: (): string => `${label} ${words?.[value] ?? `${rounded(value / scale)}${unit === '' ? '' : ` ${unit}`}`}`,
    update(param: ParamPlan, override: number | undefined): void {
      shown = param;
      scale = param.scale;
      value = override ?? param.value;
      control.setRange(sliderRange(param));
      control.setValue(rounded(value / scale));
      tried = override !== undefined && override !== param.default;
      row.classList.toggle('tried', tried && argument?.shape !== true);
      apply.setDisabled(!param.local);
      row.title = [
        argument === undefined || argument.shape === true ? '' : `Parameter of the schedule ${argument.schedule}.`,
        param.doc ?? '',
      ]
        .filter((text) => text !== '')
        .join(' ');
      show();
    },
    isTried: (): boolean => tried,
  };
}

/** A list of words where others have a slider; it shows no number. */
function wordRow(name: string, words: readonly string[], turn: (value: number) => void) {
  return { ...wordChoice(name, words, turn), exact: element('span', { class: 'exact' }), setRange: () => undefined };
}
