import { itemName, itemTimes } from '../../../engine/analyze/itemWords.ts';
import { reservedText } from '../../../engine/analyze/memoryWords.ts';
import type {
  DeviceReport,
  HostReport,
  MemoryItem,
  MemoryItemKind,
  ReportWithoutCauses,
} from '../../../engine/values/report.ts';
import { shareOf } from '../../../engine/analyze/shares.ts';
import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { groupWords, trafficByDevice } from '../../../engine/analyze/traffic.ts';
import { meshText } from '../../../engine/costs/mesh.ts';
import { bytes, list, time } from '../../../engine/basics/quantities.ts';
import { css } from '../scene/colour.ts';
import { element, setShare } from '../../controls/dom.ts';
import type { Scene } from '../scene/scene.ts';
import { smallShare } from '../../session/smallShare.ts';
import type { Theme } from '../scene/theme.ts';
import {
  kindCollective,
  kindFill,
  kindForward,
  kindInput,
  kindOfDeclared,
  kindOptimizer,
  kindRecompute,
  kindTransfer,
  kindWeight,
} from '../../picture/columns.ts';

/** Colour of what belongs to a kind of work; weights belong to none. */
const colours: Readonly<Record<Exclude<MemoryItemKind, 'operations'>, number>> = {
  weights: kindFill,
  gradients: kindCollective,
  optimizer: kindOptimizer,
  versions: kindFill,
  buffers: kindTransfer,
  activations: kindForward,
  activations_for_weight: kindWeight,
  recomputed: kindRecompute,
  gradient_copies: kindOptimizer,
  workspace: kindInput,
};

const colourOf = ({ kind, operation }: MemoryItem, declared: readonly string[]): number =>
  kind === 'operations' ? kindOfDeclared(Math.max(0, declared.indexOf(operation ?? ''))) : colours[kind];

/** What fills a device at its peak, and what it exchanges in one iteration. */
export function deviceTables({ plan, picture, theme }: Scene, device: number): readonly HTMLElement[] {
  const { report } = picture;
  const of = report.devices[device];
  const facts = [of.kind, list(of.stages), meshText(plan, plan.devices[device])].filter((fact) => fact !== '');
  const reserved = reservedText(of);
  return [
    element('p', { class: 'dim' }, facts.join(' · ')),
    memoryTable(plan, of, theme, picture.columns.declared ?? []),
    ...(reserved === ''
      ? []
      : [element('p', { class: 'dim' }, `Of ${bytes(of.capacity + of.memory.reserved)}, ${reserved}.`)]),
    ...(of.host === undefined ? [] : [hostTable(of.host, report.iteration)]),
    ...exchanges(report, of),
  ];
}

function memoryTable(
  { unitTimes }: Pick<PipelinePlan, 'unitTimes'>,
  device: DeviceReport,
  theme: Theme,
  declared: readonly string[],
): HTMLElement {
  const { capacity, peak, memory_items: items } = device;
  const part = (size: number): string => (capacity > 0 ? smallShare(size / capacity) : '');
  const row = (name: string, size: number, times: string, fill?: string) => {
    const bar = element('div', { class: 'bar', 'aria-hidden': 'true' });
    if (fill !== undefined) {
      const made = element('i');
      made.style.background = fill;
      setShare(made, shareOf(size, Math.max(capacity, peak)));
      bar.append(made);
    }
    return element(
      'tr',
      {},
      element(
        'th',
        { scope: 'row' },
        name,
        ...(times === '' ? [] : [element('span', { class: 'dim' }, ` ${times}`)]),
        bar,
      ),
      element('td', {}, memoryAmount(size, unitTimes)),
      element('td', {}, part(size)),
    );
  };
  const left = row(peak > capacity ? 'Over the limit' : 'Left', Math.abs(capacity - peak), '');
  left.className = peak > capacity ? 'over' : 'left';
  return element(
    'table',
    {},
    element('caption', {}, 'Memory at the peak'),
    heads('Item', 'Size', 'Of the limit'),
    element(
      'tbody',
      {},
      ...items.map((item) =>
        row(itemName(item, device), item.bytes, itemTimes(item, unitTimes), css(theme.kinds[colourOf(item, declared)])),
      ),
      left,
    ),
  );
}

/** What the device sends to its host, and how long it waits for that. */
function hostTable(
  { peak, bytes: copied, back, busy, exposed, optimizer }: HostReport,
  iteration: number,
): HTMLElement {
  const rows: readonly (readonly [string, string])[] = [
    ['Kept at most', bytes(peak)],
    ...(back === undefined
      ? [['Copied there, and as much back', bytes(copied)] as const]
      : [['Copied there', bytes(copied)] as const, ['Copied back', bytes(back)] as const]),
    ...(optimizer === undefined
      ? []
      : [
          [
            'Update of weights on the host',
            `${time(optimizer.update)} (${smallShare(shareOf(optimizer.update, iteration))})`,
          ] as const,
        ]),
    [
      back === undefined ? 'Time of the copies, each direction' : 'Time of the copies, busier direction',
      `${time(busy)} (${smallShare(shareOf(busy, iteration))})`,
    ],
    [
      optimizer === undefined ? 'Exposed: the device waits for them' : 'Exposed: the device waits for its host',
      `${time(exposed)} (${smallShare(shareOf(exposed, iteration))})`,
    ],
  ];
  return element(
    'table',
    { class: 'host' },
    element('caption', {}, 'Memory of the host'),
    element(
      'tbody',
      {},
      ...rows.map(([name, value]) =>
        element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value)),
      ),
    ),
  );
}

/** Nothing where the device exchanges nothing but results of stages. */
function exchanges({ stages, iteration }: ReportWithoutCauses, device: DeviceReport): readonly HTMLElement[] {
  const groups = trafficByDevice({ devices: [device], stages });
  if (groups.length === 0) return [];
  const rows = groups.map(({ kind, devices: [exchange] }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, groupWords[kind]),
      element('td', {}, bytes(exchange.bytes)),
      element('td', {}, time(exchange.time)),
      element('td', {}, `${time(exchange.exposed)} (${smallShare(shareOf(exchange.exposed, iteration))})`),
    ),
  );
  return [
    element(
      'table',
      {},
      element('caption', {}, 'Exchanged in one iteration'),
      heads('Exchange', 'Sent', 'Time', 'Exposed'),
      element('tbody', {}, ...rows),
    ),
  ];
}

const heads = (...names: readonly string[]): HTMLElement =>
  element('thead', {}, element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name))));
