/** `microbatches`, or the number of them that `global_batch` leaves for each data rank. */
import type { ModelDefinition } from '../definitions/model.ts';
import { readQuantity, valueOf, type Keys, type Read } from '../language/keys.ts';
import type { Mesh } from '../mesh.ts';
import { count } from '../quantities.ts';
import type { ReadContext } from './context.ts';

/** Reports a batch that does not divide, and one that contradicts `microbatches`. */
export function readMicrobatches(
  context: ReadContext,
  keys: Keys,
  model: ModelDefinition | undefined,
  mesh: Mesh | undefined,
): Read<number> {
  const written = readQuantity(context, keys, 'microbatches');
  const batch = readQuantity(context, keys, 'global_batch');
  if (batch.is === 'absent' || written.is === 'wrong') return written;
  const entry = keys.find('global_batch');
  const at = valueOf(entry) ?? entry?.key;
  if (batch.is === 'wrong' || model === undefined || mesh === undefined || at === undefined) return { is: 'wrong' };
  const { microBatch } = model;
  const samples = microBatch * mesh.data;
  const factors = `${count(microBatch, 'sample', 'samples')} of a microbatch × ${count(mesh.data, 'data rank', 'data ranks')}`;
  const refuse = (allowed: string): Read<number> => {
    context.report.report('value/range', at, { what: '"global_batch"', value: String(batch.value), allowed });
    return { is: 'wrong' };
  };
  const microbatches = batch.value / samples;
  if (written.is === 'value' && written.value !== microbatches)
    return refuse(`${written.value * samples} (${count(written.value, 'microbatch', 'microbatches')} × ${factors})`);
  if (!Number.isInteger(microbatches)) {
    const below = Math.floor(microbatches) * samples;
    const nearest = [below, below + samples].filter((value) => value > 0).join(' or ');
    return refuse(`${nearest} (a multiple of ${samples}: ${factors})`);
  }
  if (written.is === 'absent')
    context.derived.push({
      offset: at.end,
      text: ` ${count(microbatches, 'microbatch', 'microbatches')}`,
      tooltip: `${batch.value} samples of an iteration / (${factors}).`,
    });
  return { is: 'value', value: microbatches };
}
