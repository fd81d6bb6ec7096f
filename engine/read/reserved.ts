/** `reserved` of a device: a figure, or `framework`, which depends on the groups that the device talks in. */
import type { Expression } from '../../grammar/syntax.ts';
import type { EngineOptions } from '../host.ts';
import type { FileContext } from '../language/context.ts';
import { frameworkBytes, type Groups } from '../costs/framework.ts';
import type { DeviceDefinition } from './definitions.ts';
import { type Keys, or, readQuantity, valueOf } from '../language/keys.ts';
import type { DevicePlan } from '../plan.ts';
import { show } from '../language/values.ts';
import type { Ranks } from '../planning/place/ranks.ts';

/** Reads the key; undefined where it is wrong or leaves nothing of the memory, which has been reported. */
export function readReserved(
  context: FileContext,
  keys: Keys,
  memory: number,
): DeviceDefinition['reserved'] | undefined {
  const entry = keys.one('reserved');
  const value = plain(valueOf(entry));
  const word = value?.kind === 'name' && value.text === 'framework';
  if (value?.kind === 'list') {
    context.report.report('type/mismatch', value, { expected: 'a size or `framework`', found: 'a list' });
    return undefined;
  }
  const { context: least, reservedMost } = context.options.memory;
  const bytes = word ? Math.min(least, reservedMost) : or(readQuantity(context, keys, 'reserved'), 0);
  if (entry === undefined || bytes === undefined) return bytes;
  if (bytes < memory) return word ? 'framework' : bytes;
  context.report.report('value/range', entry.values?.[0] ?? entry, {
    what: '"reserved"',
    value: word ? `at least the ${show(bytes, 'bytes')} of a context` : show(bytes, 'bytes'),
    allowed: `under the ${show(memory, 'bytes')} of memory`,
  });
  return undefined;
}

const plain = (value: Expression | undefined): Expression | undefined =>
  value?.kind === 'group' ? plain(value.inner) : value;

/**
 * What something else holds of a device of this kind in a pipeline with these groups; never more than the device has. The parts
 * only where they are known.
 */
export function reservedOf(
  { memory, reserved }: DeviceDefinition,
  groups: Groups,
  settings: EngineOptions['memory'],
): Pick<DevicePlan, 'reserved' | 'reservedParts'> {
  if (reserved !== 'framework') return { reserved };
  const found = frameworkBytes(groups, settings);
  const context = Math.min(found.context, memory);
  const communicators = Math.min(found.communicators, memory - context);
  return { reserved: context + communicators, reservedParts: { context, communicators } };
}

/** Of a device that talks to no other. */
export const alone: Groups = { pipeline: false, tensor: 1, context: 1, data: 1, expert: 1 };

/** Groups of the devices of one pipeline rank; copies and replicas of a stage reduce their gradients together. */
export function communicatorsOf(ranks: Ranks, rank: number): Groups {
  const { tensor, context, data, expert } = ranks.ranks[rank].mesh;
  const pipeline = ranks.ranks.length > 1;
  return { pipeline, tensor, context, expert, data: sharesGradients(ranks, rank) ? Math.max(2, data) : data };
}

/** Whether gradients of a stage on this rank are reduced with other ranks or among replicas of its own. */
function sharesGradients({ ranks, placement, copies }: Ranks, rank: number): boolean {
  if ((ranks[rank].split ?? 1) > 1) return true;
  if (copies === undefined) return false;
  const here = new Set(copies.flatMap(({ stage }, index) => (placement[index] === rank ? [stage] : [])));
  return copies.some(({ stage }, index) => placement[index] !== rank && here.has(stage));
}
