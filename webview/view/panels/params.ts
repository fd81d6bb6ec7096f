import type { ParamPlan } from '../../../engine/values/plan.ts';
import { element, setText } from '../../controls/dom.ts';
import { icon } from '../../controls/icon.ts';
import { type Popover, popover } from '../../controls/popover.ts';
import { type ParamActions, paramRow } from './paramRow.ts';

/** A slider for each param: a single one is in the bar, two or more open over the figures. Only Apply changes the file. */
export function params(actions: ParamActions) {
  const label = element('span');
  const values = element('span', { class: 'param-values dim' });
  const opener = element('button', { type: 'button', class: 'params-opener' }, label, values, icon('down'));
  const bar = element('section', { class: 'params', 'aria-label': 'Params' });
  const list = element('div', { class: 'param-list' });
  const rows = new Map<string, ReturnType<typeof paramRow>>();
  let order = '';
  let opened: Popover | undefined;

  opener.setAttribute('aria-haspopup', 'dialog');
  opener.setAttribute('aria-expanded', 'false');
  opener.addEventListener('click', () => openList(opener));

  function openList(anchor: HTMLElement): void {
    if (opened !== undefined) return opened.close();
    place(list);
    opened = popover(anchor, 'Params', list, () => {
      opened = undefined;
      if (rows.size === 1) place(bar);
    });
  }
  const place = (into: HTMLElement) => into.replaceChildren(...Array.from(rows.values(), (made) => made.element));

  function update(all: readonly ParamPlan[], overrides: Readonly<Record<string, number>>): void {
    const wanted = JSON.stringify(
      all.map(({ name, unit, argument, words }) => [name, unit, argument?.schedule, words]),
    );
    if (wanted !== order) {
      order = wanted;
      opened?.close();
      rows.clear();
      for (const param of all) rows.set(param.name, paramRow(param, actions));
      if (all.length === 1) place(bar);
      else bar.replaceChildren(opener);
    }
    for (const param of all) rows.get(param.name)?.update(param, overrides[param.name]);
    setText(label, `Params (${all.length})`);
    setText(values, Array.from(rows.values(), (made) => made.text()).join(' · '));
    opener.classList.toggle(
      'tried',
      Array.from(rows.values()).some((made) => made.isTried()),
    );
  }

  return {
    element: bar,
    update,
    count: () => rows.size,
    /** To the slider in the bar, or to all of them. */
    open(anchor: HTMLElement): void {
      const [single] = rows.values();
      if (rows.size === 1 && bar.offsetParent !== null) single?.focus();
      else openList(anchor);
    },
  };
}
