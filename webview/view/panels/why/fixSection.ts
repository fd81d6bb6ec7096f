import { bytes, share, time } from '../../../../engine/quantities.ts';
import { element } from '../../../controls/dom.ts';
import type { ShownFix } from '../../../protocol/messages.ts';

/** Fixes that the server found; undefined while it looks for them. */
export interface Fixes {
  readonly heading: string;
  readonly list: readonly ShownFix[] | undefined;
  /** Index of the fix whose result is on show; −1 for none. */
  readonly tried: number;
}

export interface FixActions {
  /** Shows what a fix gives; −1: the file as it is. */
  tryFix(index: number): void;
  applyFix(index: number): void;
}

/** Fixes with their simulated effect: those that fit first, by iteration. One that does not fit has no "Apply". */
export function fixSection({ heading, list, tried }: Fixes, { tryFix, applyFix }: FixActions): HTMLElement {
  const entries = (list ?? []).map((fix, index) => ({ fix, index }));
  entries.sort(
    (a, b) => Number(b.fix.effect.fits) - Number(a.fix.effect.fits) || a.fix.effect.iteration - b.fix.effect.iteration,
  );
  const cards = entries.map(({ fix, index }) => {
    const { effect } = fix;
    const show = act(tried === index ? 'Back' : 'Show', `${tried === index ? 'Stop showing' : 'Show'}: ${fix.title}`, () =>
      tryFix(tried === index ? -1 : index),
    );
    show.setAttribute('aria-pressed', String(tried === index));
    return element(
      'li',
      { class: effect.fits ? 'fix' : 'fix over' },
      element('p', { class: 'title' }, fix.title),
      element('p', { class: 'figures' }, ...figures(fix)),
      element(
        'p',
        { class: 'actions' },
        ...(effect.fits ? [act('Apply', `Apply: ${fix.title}`, () => applyFix(index), 'primary')] : []),
        show,
      ),
    );
  });
  const state = list === undefined ? 'Simulating fixes …' : cards.length === 0 ? 'No fix is known.' : '';
  return element(
    'section',
    { class: 'fixes', 'aria-label': heading, 'aria-busy': String(list === undefined) },
    element('h3', {}, heading),
    ...(state === '' ? [] : [element('p', { class: 'dim' }, state)]),
    ...(cards.length === 0 ? [] : [element('ul', {}, ...cards)]),
  );
}

/** `547 ms (−19.5 %)`, `bubble 21 %`, `15 GiB of 16 GiB`, or what it is over. */
function figures({ effect, before }: ShownFix): readonly HTMLElement[] {
  const change = before === undefined || before.iteration === 0 ? 0 : effect.iteration / before.iteration - 1;
  const tone = Math.abs(change) < 0.005 ? '' : change < 0 ? 'better' : 'worse';
  const delta = tone === '' ? '' : ` (${share(change, true)})`;
  const over = effect.peak - effect.capacity;
  return [
    element('span', { class: tone }, `${time(effect.iteration)}${delta}`),
    element('span', {}, `bubble ${share(effect.bubble)}`),
    effect.fits
      ? element('span', {}, `${bytes(effect.peak)} of ${bytes(effect.capacity)}`)
      : element('span', { class: 'worse' }, over > 0 ? `${bytes(effect.peak)}: ${bytes(over)} too much` : 'does not fit'),
  ];
}

function act(label: string, name: string, run: () => void, className = 'secondary'): HTMLButtonElement {
  const made = element('button', { type: 'button', class: `act ${className}`, 'aria-label': name }, label);
  made.addEventListener('click', run);
  return made;
}
