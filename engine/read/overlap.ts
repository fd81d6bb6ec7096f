/** `overlap(tensor) = 60%`: what of a group's traffic may run beside computing. */
import type { Overlap } from '../definitions/pipeline.ts';
import type { ReadContext } from './context.ts';
import { type GroupName, groupNames } from '../costs/types.ts';
import { quantity } from '../language/expressions.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import { findKey } from '../language/schema.ts';

/**
 * Unless said: ring attention passes its blocks beside the core; tensor and expert ranks wait for one another (tensor ranks overlap
 * only with kernels made for it, such as those of Transformer Engine's userbuffers).
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
