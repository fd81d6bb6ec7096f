import type { BlockDeclaration } from '../../../grammar/syntax.ts';
import { type FileContext, detail, symbolId } from '../context.ts';
import { or, readKeys, readQuantity } from '../keys.ts';
import { paths } from '../plan.ts';
import { show } from '../values.ts';
import { readFigures } from './rates.ts';

/** Reads a `device` declaration; nothing is defined where a value of it is wrong. */
export function readDevice(context: FileContext, block: BlockDeclaration): void {
  const before = context.report.errors();
  const keys = readKeys(context, 'device', block.body, block.name ?? block.keyword);
  const read = (name: string) => readQuantity(context, keys, name);
  const memory = or(read('memory'), undefined);
  const reserved = or(read('reserved'), 0);
  const compute = readFigures(context, keys, 'compute');
  const bandwidth = or(read('bandwidth'), 0);
  const efficiency = readFigures(context, keys, 'efficiency');
  const speed = or(read('speed'), 1);
  if (block.name === undefined || memory === undefined || reserved === undefined) return;
  if (compute === undefined || bandwidth === undefined || efficiency === undefined || speed === undefined) return;
  if (context.report.errors() !== before || keys.doubtful) return;
  const reservedEntry = keys.one('reserved');
  if (reserved >= memory && reservedEntry !== undefined) {
    context.report.report('value/range', reservedEntry.values?.[0] ?? reservedEntry, {
      what: '"reserved"',
      value: show(reserved, 'bytes'),
      allowed: `under the ${show(memory, 'bytes')} of memory`,
    });
    return;
  }
  const name = block.name.text;
  const id = symbolId('device', name);
  const place = context.report.place(block.name);
  const entry = keys.one('memory');
  const memoryPlace = context.report.place(entry?.values?.[0] ?? block.name);
  context.devices.set(id, {
    name,
    memory,
    reserved,
    compute: compute.all,
    computeAt: compute.at,
    bandwidth,
    efficiency: efficiency.all ?? 1,
    efficiencyAt: efficiency.at,
    speed,
    place,
    memoryPlace,
  });
  context.origins.set(paths.deviceKind(name), place);
  context.origins.set(paths.deviceMemory(name), memoryPlace);
  const rates = Object.entries(compute.at).map(([precision, rate]) => `, ${show(rate, 'compute')} in ${precision}`);
  if (compute.all !== undefined) rates.unshift(`, ${show(compute.all, 'compute')}`);
  detail(context, id, `${show(memory, 'bytes')}${rates.join('')}`);
}
