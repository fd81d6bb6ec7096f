/** `overlap(tensor) = 60%`: the share of a group's traffic that may run in parallel with computing. */
import type { Overlap } from '../definitions/pipeline.ts';
import type { ReadContext } from './context.ts';
import { type GroupName, groupNames } from '../costs/types.ts';
import { quantity } from '../language/expressions.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import { findKey } from '../language/schema.ts';

/**
 * Defaults. Ring attention passes its blocks in parallel with the core. Tensor and expert ranks wait for each other: tensor ranks
 * overlap only with kernels made for it, such as userbuffers of Transformer Engine.
 */
const unsaid: Overlap = { tensor: 0, context: 1, expert: 0 };

/** Shares by group; `undefined` where one is wrong, which has been reported. */
export function readOverlap(context: ReadContext, keys: Keys): Overlap | undefined {
  const found: Record<GroupName, number> = { ...unsaid };
  const seen = new Set<string>();
  let wrong = false;
  for (const entry of keys.all('overlap')) {
    const [first, second] = entry.parameters ?? [];
    const group =
      first?.kind === 'name' && second === undefined ? groupNames.find((name) => name === first.text) : undefined;
    const value = valueOf(entry);
    const schema = findKey(keys.block, 'overlap')?.value;
    if (group === undefined || value === undefined || schema?.kind !== 'quantity') {
      // A name that is no group has been reported where names get their meaning.
      if (first !== undefined && first.kind !== 'missing' && first.kind !== 'name')
        context.report.report('type/mismatch', first, {
          expected: 'a group, such as `overlap(tensor)`',
          found: `\`${context.syntax.text.slice(first.start, Math.min(first.end, first.start + 40))}\``,
        });
      wrong = true;
      continue;
    }
    if (seen.has(group)) {
      const hint = { kind: 'remove' } as const;
      context.report.report('key/duplicate', entry.key, { key: `overlap(${group})`, block: 'pipeline' }, { hint });
      continue;
    }
    seen.add(group);
    const share = quantity(context, value, schema, '"overlap"');
    if (share === undefined) wrong = true;
    else found[group] = share;
  }
  return wrong ? undefined : found;
}
