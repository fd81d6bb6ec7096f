import type { BlockDeclaration } from '../../../grammar/syntax.ts';
import { type FileContext, detail, symbolId } from '../context.ts';
import { or, readKeys, readQuantity } from '../keys.ts';
import { paths } from '../plan.ts';
import { show } from '../values.ts';

/** Reads a `device` declaration; nothing is defined where a value of it is wrong. */
export function readDevice(context: FileContext, block: BlockDeclaration): void {
  const before = context.report.errors();
  const keys = readKeys(context, 'device', block.body, block.name ?? block.keyword);
  const read = (name: string) => readQuantity(context, keys, name);
  const memory = or(read('memory'), undefined);
  const reserved = or(read('reserved'), 0);
  const compute = read('compute');
  const bandwidth = or(read('bandwidth'), 0);
  const efficiency = or(read('efficiency'), 1);
  const speed = or(read('speed'), 1);
  if (block.name === undefined || memory === undefined || reserved === undefined) return;
  if (compute.is === 'wrong' || bandwidth === undefined || efficiency === undefined || speed === undefined) return;
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
    compute: or(compute, undefined),
    bandwidth,
    efficiency,
    speed,
    place,
    memoryPlace,
  });
  context.origins.set(paths.deviceKind(name), place);
  context.origins.set(paths.deviceMemory(name), memoryPlace);
  const rate = compute.is === 'value' ? `, ${show(compute.value, 'compute')}` : '';
  detail(context, id, `${show(memory, 'bytes')}${rate}`);
}
