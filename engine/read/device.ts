import { show } from '../basics/quantities.ts';
import type { BlockDeclaration } from '../../grammar/syntax.ts';
import type { DeviceDefinition } from '../definitions/device.ts';
import { fittedDevices, guessedDevices } from '../std/hardware.ts';
import { detail, symbolId } from '../language/context.ts';
import { defaultNumber } from '../language/defaults.ts';
import type { ReadContext } from './context.ts';
import { type Keys, notApplicable, or, readKeys, readQuantity, valueOf } from '../language/keys.ts';
import { type HostLinkPlan, paths } from '../values/plan.ts';
import { deviceBody } from './deviceFrom.ts';
import { readLink } from './link.ts';
import { readAttention, readPeaks, readShares } from './rates.ts';
import { readReserved } from './reserved.ts';

/** The link to the host; no device shares it. */
function readHost(context: ReadContext, keys: Keys): HostLinkPlan | undefined {
  const value = valueOf(keys.find('host'));
  const link = value === undefined ? undefined : readLink(context, value);
  if (value === undefined || link === undefined) return undefined;
  const { bandwidth, latency, sharing } = link;
  if (sharing === 'shared')
    context.report.report('type/mismatch', value, {
      expected: 'a link that one device has for itself, such as `25GB/s + 5us` or `half(25GB/s)`',
      found: '`shared(…)`',
    });
  return { bandwidth, latency, ...(sharing === 'half' ? { half: true } : {}) };
}

/** How sure the share of the peak is that kernels reach. */
function efficiencyIs(
  context: ReadContext,
  keys: Keys,
  name: string,
  base: DeviceDefinition | undefined,
): Partial<Pick<DeviceDefinition, 'efficiencyIs'>> {
  if (keys.find('efficiency') !== undefined)
    return context.report.uri === 'std:hardware' && guessedDevices.has(name) ? { efficiencyIs: 'guess' } : {};
  if (base === undefined) return { efficiencyIs: 'peak' };
  return base.efficiencyIs === undefined ? {} : { efficiencyIs: base.efficiencyIs };
}

/** What published runs say of it: what they say of the device that it is from, unless it writes an efficiency. */
function fittedOf(
  context: ReadContext,
  keys: Keys,
  name: string,
  base: DeviceDefinition | undefined,
): Pick<DeviceDefinition, 'family' | 'unfitted'> {
  const known = context.report.uri === 'std:hardware' ? fittedDevices.get(name) : base;
  if (known === undefined || (known === base && keys.find('efficiency') !== undefined)) return {};
  const { family, unfitted } = known;
  return { ...(family === undefined ? {} : { family }), ...(unfitted === undefined ? {} : { unfitted }) };
}

/** Reads a `device` declaration; nothing is defined where a value of it is wrong. */
export function readDevice(context: ReadContext, block: BlockDeclaration): void {
  const before = context.report.errors();
  const { body, base } = deviceBody(context, block);
  const keys = readKeys(context, 'device', body, block.name ?? block.keyword, base === undefined ? [] : ['memory']);
  const read = (name: string) => readQuantity(context, keys, name);
  const memory = or(read('memory'), base?.memory);
  const reserved = readReserved(context, keys, memory ?? Infinity, base?.reserved);
  const compute = readPeaks(context, keys, base?.written.compute);
  const bandwidth = or(read('bandwidth'), base?.bandwidth ?? 0);
  const efficiency = readShares(context, keys, 'efficiency', base?.written.efficiency);
  const moving = readShares(context, keys, 'memory_efficiency', base?.written.memory_efficiency);
  const attention = readAttention(context, keys, base?.written.attention_efficiency);
  const launch = or(read('launch'), base?.launch ?? defaultNumber('device', 'launch'));
  const memoryOverlap = or(read('memory_overlap'), base?.memoryOverlap ?? defaultNumber('device', 'memory_overlap'));
  const cache = readQuantity(context, keys, 'cache');
  const speed = or(read('speed'), base?.speed ?? defaultNumber('device', 'speed'));
  const host = readHost(context, keys);
  if (block.name === undefined || memory === undefined || reserved === undefined) return;
  if (compute === undefined || bandwidth === undefined || efficiency === undefined || speed === undefined) return;
  if (
    attention === undefined ||
    moving === undefined ||
    launch === undefined ||
    memoryOverlap === undefined ||
    cache.is === 'wrong'
  )
    return;
  if (context.report.errors() !== before || keys.doubtful) return;
  const held = cache.is === 'value' ? cache.value : base?.cache;
  const cacheEntry = keys.find('cache');
  if (cacheEntry !== undefined && bandwidth === 0)
    notApplicable(context, cacheEntry, 'the device has no `bandwidth`, so only FLOPs take time');
  const name = block.name.text;
  const id = symbolId('device', name);
  const place = context.report.place(block.name);
  const entry = keys.find('memory') ?? keys.find('from');
  const memoryPlace = context.report.place(entry?.values?.[0] ?? block.name);
  context.devices.set(id, {
    name,
    memory,
    reserved,
    compute: compute.all,
    computeAt: compute.at,
    bandwidth,
    efficiency: efficiency.efficiency,
    efficiencyAt: efficiency.efficiencyAt,
    memoryEfficiency: moving.efficiency,
    ...(attention.attention === undefined ? {} : { attention: attention.attention }),
    ...efficiencyIs(context, keys, name, base),
    ...fittedOf(context, keys, name, base),
    launch,
    memoryOverlap,
    ...(held === undefined ? {} : { cache: held }),
    speed,
    ...(host === undefined ? (base?.host === undefined ? {} : { host: base.host }) : { host }),
    written: {
      compute: compute.written,
      efficiency: efficiency.written,
      memory_efficiency: moving.written,
      attention_efficiency: attention.written,
    },
    place,
    memoryPlace,
  });
  context.origins.set(paths.deviceKind(name), place);
  context.origins.set(paths.deviceMemory(name), memoryPlace);
  const rates = Object.entries(compute.at).map(([precision, rate]) =>
    rate === 0 ? `, no ${precision}` : `, ${show(rate, 'compute')} in ${precision}`,
  );
  if (compute.all !== undefined) rates.unshift(`, ${show(compute.all, 'compute')}`);
  const relative = speed === 1 ? '' : `, relative speed ${show(speed, 'number')}`;
  detail(context, id, `${show(memory, 'bytes')}${rates.join('')}${relative}`);
}
