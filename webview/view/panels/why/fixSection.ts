import { ampleRoomText } from '../../../../engine/analyze/memoryWords.ts';
import { bytes, iterationTime, share } from '../../../../engine/basics/quantities.ts';
import type { DeviceReport } from '../../../../engine/values/report.ts';
import { element } from '../../../controls/dom.ts';
import type { ShownFix } from '../../../protocol/messages.ts';
import { secondsPerSample, throughputNote } from '../../../session/perSample.ts';
import { smallShare } from '../../../session/smallShare.ts';

/** Fixes that the server found; undefined while it looks for them. */
export interface Fixes {
  readonly about: 'bubble' | 'memory';
  readonly list: readonly ShownFix[] | undefined;
  /** Index of the fix whose result is on show; −1 for none. */
  readonly tried: number;
}

export interface FixActions {
  /** Shows what a fix gives; −1: the file as it is. */
  tryFix(index: number): void;
  applyFix(index: number): void;
}

const headings = { bubble: 'What would help', memory: 'What would make room' } as const;

/** Fixes with their simulated effect, in the order of the quick fixes in the text. One that does not fit has no "Apply". */
export function fixSection(
  { about, list, tried }: Fixes,
  { tryFix, applyFix }: FixActions,
  device: Pick<DeviceReport, 'name' | 'peak' | 'capacity'> | undefined,
): HTMLElement {
  const heading = headings[about];
  const cards = (list ?? []).map((fix, index) => {
    const { effect } = fix;
    const show = act(
      tried === index ? 'Back' : 'Show',
      `${tried === index ? 'Stop showing' : 'Show'}: ${fix.title}`,
      () => tryFix(tried === index ? -1 : index),
    );
    show.setAttribute('aria-pressed', String(tried === index));
    return element(
      'li',
      { class: effect.fits ? 'fix' : 'fix over' },
      element('p', { class: 'title' }, changeOf(fix.title)),
      element('p', { class: 'figures' }, ...figures(fix)),
      element(
        'p',
        { class: 'actions' },
        ...(effect.fits ? [act('Apply', `Apply: ${fix.title}`, () => applyFix(index), 'primary')] : []),
        show,
      ),
    );
  });
  // While a fix is on show, the device is as the fix leaves it: what the fixes start from is as the file says.
  const ample = device === undefined || about !== 'memory' ? '' : ampleRoomText({ ...device, ...list?.at(0)?.before });
  const state =
    list === undefined ? 'Simulating fixes …' : ample !== '' ? ample : cards.length === 0 ? 'No fix is known.' : '';
  return element(
    'section',
    { class: 'fixes', 'aria-label': heading, 'aria-busy': String(list === undefined) },
    element('h3', {}, heading),
    ...(state === '' ? [] : [element('p', { class: 'dim' }, state)]),
    ...(cards.length === 0 ? [] : [element('ul', {}, ...cards)]),
  );
}

/** `547 ms (−19.5 %)`, `bubble 21 %`, `15 GiB of 16 GiB`, or what is too much. */
function figures({ effect, before }: ShownFix): readonly HTMLElement[] {
  const change = before === undefined ? 0 : secondsPerSample(effect) / secondsPerSample(before) - 1;
  const tone = Math.abs(change) < leastShown ? '' : change < 0 ? 'better' : 'worse';
  // Iterations of different batches do not compare: the samples per second do.
  const note = before === undefined ? '' : throughputNote(effect, before);
  const delta = note === '' ? ` (${share(change, true)})` : `, ${note}`;
  const over = effect.peak - effect.capacity;
  return [
    element('span', { class: tone }, `${iterationTime(effect.iteration)}${tone === '' ? '' : delta}`),
    element('span', {}, `bubble ${smallShare(effect.bubble)}`),
    effect.fits
      ? element('span', {}, `${bytes(effect.peak)} of ${bytes(effect.capacity)}`)
      : element(
          'span',
          { class: 'worse' },
          over > 0 ? `${bytes(effect.peak)}: ${bytes(over)} too much` : 'another device has too little memory',
        ),
  ];
}

/** What a fix changes, without the effect that its title ends with: the figures say it. */
export const changeOf = (title: string): string => title.split(': ', 1)[0];

/** Smaller changes are not shown. */
const leastShown = 0.0005;

function act(label: string, name: string, run: () => void, className = 'secondary'): HTMLButtonElement {
  const made = element('button', { type: 'button', class: `act ${className}`, 'aria-label': name }, label);
  made.addEventListener('click', run);
  return made;
}
