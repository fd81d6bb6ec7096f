import { itemName, itemTimes } from '../../../../engine/analyze/itemWords.ts';
import { reservedText } from '../../../../engine/analyze/memoryWords.ts';
import { shareOf } from '../../../../engine/analyze/shares.ts';
import { memoryAmount } from '../../../../engine/analyze/unitWords.ts';
import type { PipelinePlan } from '../../../../engine/values/plan.ts';
import { bytes } from '../../../../engine/basics/quantities.ts';
import type { DeviceReport } from '../../../../engine/values/report.ts';
import { element } from '../../../controls/dom.ts';
import { css } from '../../scene/colour.ts';
import { itemColour } from '../../scene/stackColours.ts';
import type { Theme } from '../../scene/theme.ts';
import { smallShare } from '../../../session/smallShare.ts';

/** What a device holds at its peak: bytes, and shares of its limit; then what is free, or missing. */
export function peakSection(
  { unitTimes }: Pick<PipelinePlan, 'unitTimes'>,
  device: DeviceReport,
  theme: Theme,
  declared: readonly string[],
): HTMLElement {
  const { capacity, peak, memory_items: items } = device;
  const row = (name: string, size: number, colour: string | undefined, className = '') => {
    const swatch = element('i', { class: 'swatch', 'aria-hidden': 'true' });
    if (colour === undefined) swatch.classList.add('none');
    else swatch.style.background = colour;
    return element(
      'tr',
      className === '' ? {} : { class: className },
      element('th', { scope: 'row' }, swatch, name),
      element('td', {}, memoryAmount(size, unitTimes)),
      element('td', { class: 'dim' }, smallShare(shareOf(size, capacity))),
    );
  };
  const over = peak > capacity;
  const rows = items.map((item) => {
    const times = itemTimes(item, unitTimes);
    const name = `${itemName(item, device)}${times === '' ? '' : `, ${times}`}`;
    return row(name, item.bytes, css(itemColour(theme, item, declared)));
  });
  const reserved = reservedText(device);
  return element(
    'section',
    { class: 'peak', 'aria-label': `Memory of ${device.name} at its peak` },
    element('h3', {}, `What fills ${device.name} at its peak`),
    element(
      'table',
      {},
      element(
        'thead',
        { class: 'unseen' },
        element('tr', {}, ...['Item', 'Size', 'Of the limit'].map((name) => element('th', { scope: 'col' }, name))),
      ),
      element(
        'tbody',
        {},
        ...rows,
        row(over ? 'missing' : 'free', Math.abs(capacity - peak), undefined, over ? 'missing' : 'free'),
      ),
    ),
    ...(reserved === ''
      ? []
      : [element('p', { class: 'dim' }, `Of ${bytes(capacity + device.memory.reserved)}, ${reserved}.`)]),
  );
}
