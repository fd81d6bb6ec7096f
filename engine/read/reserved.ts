/** `reserved` of a device: a figure, or `framework`, which depends on the groups that the device talks in. */
import { show } from '../basics/quantities.ts';
import type { DeviceDefinition } from '../definitions/device.ts';
import type { Expression } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { type Keys, or, readQuantity, valueOf } from '../language/keys.ts';

/** Reads the key, or takes `given`; undefined if it is wrong or uses up the memory, which has been reported. */
export function readReserved(
  context: ReadContext,
  keys: Keys,
  memory: number,
  given: DeviceDefinition['reserved'] = 0,
): DeviceDefinition['reserved'] | undefined {
  const entry = keys.find('reserved');
  const value = plain(valueOf(entry));
  const word = entry === undefined ? given === 'framework' : value?.kind === 'name' && value.text === 'framework';
  if (value?.kind === 'list') {
    context.report.report('type/mismatch', value, { expected: 'a size or `framework`', found: 'a list' });
    return undefined;
  }
  const { context: least, reservedMost } = context.options.memory;
  const bytes = word ? Math.min(least, reservedMost) : or(readQuantity(context, keys, 'reserved'), given);
  if (bytes === undefined || bytes === 'framework') return bytes;
  if (bytes < memory || bytes === 0) return word ? 'framework' : bytes;
  const at = entry ?? keys.find('memory') ?? keys.find('from');
  if (at === undefined) return undefined;
  context.report.report('value/range', valueOf(at) ?? at, {
    what: '"reserved"',
    value: word ? `at least the ${show(bytes, 'bytes')} of a context` : show(bytes, 'bytes'),
    allowed: `under the ${show(memory, 'bytes')} of memory`,
  });
  return undefined;
}

const plain = (value: Expression | undefined): Expression | undefined =>
  value?.kind === 'group' ? plain(value.inner) : value;
