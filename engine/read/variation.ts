/** `jitter = 5%`, `jitter(stage = 3) = 10%`, `slow(device = 2) = 1.2`: how times vary from what the layers say. */
import type { VariationUse } from '../definitions/pipeline.ts';
import type { ReadContext } from './context.ts';
import { quantity, wholeNumber } from '../language/expressions.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import { findKey } from '../language/schema.ts';

/** `undefined` where something is wrong, which has been reported. */
export function readVariation(context: ReadContext, keys: Keys): VariationUse | undefined {
  const jitter = readEach(context, keys, 'jitter', 'stage');
  const slow = readEach(context, keys, 'slow', 'device');
  if (jitter === undefined || slow === undefined) return undefined;
  const everywhere = jitter.find(({ index }) => index === undefined);
  return {
    ...(everywhere === undefined ? {} : { jitter: everywhere.value }),
    jitterOf: jitter.flatMap(({ index, ...of }) => (index === undefined ? [] : [{ ...of, index }])),
    slowOf: slow.flatMap(({ index, ...of }) => (index === undefined ? [] : [{ ...of, index }])),
  };
}

interface Each {
  /** Absent for a value that is for all of them. */
  readonly index?: number;
  readonly value: number;
  readonly at: { readonly start: number; readonly end: number };
}

/** The entries of a key, each for all stages or devices, or for the one in its parentheses. */
function readEach(context: ReadContext, keys: Keys, key: string, parameter: string): readonly Each[] | undefined {
  const schema = findKey(keys.block, key)?.value;
  const found: Each[] = [];
  let wrong = false;
  for (const entry of keys.all(key)) {
    const written = valueOf(entry);
    const value =
      written === undefined || schema?.kind !== 'quantity' ? undefined : quantity(context, written, schema, `"${key}"`);
    const [first, second] = entry.parameters ?? [];
    const name = entry.parameterNames?.[0];
    if (second !== undefined || (name !== undefined && name.text !== parameter)) {
      context.report.report('type/mismatch', second ?? name ?? entry.key, {
        expected: `one ${parameter}, such as \`${key}(${parameter} = 2)\``,
        found: second === undefined ? `\`${name?.text ?? ''}\`` : 'more',
      });
      wrong = true;
      continue;
    }
    const index = first === undefined ? undefined : wholeNumber(context, first, `The number of the ${parameter}`, {});
    if (value === undefined || (first !== undefined && index === undefined)) {
      wrong = true;
      continue;
    }
    if (found.some((earlier) => earlier.index === index)) {
      const shown = index === undefined ? key : `${key}(${parameter} = ${index})`;
      context.report.report(
        'key/duplicate',
        entry.key,
        { key: shown, block: 'pipeline' },
        { hint: { kind: 'remove' } },
      );
      continue;
    }
    found.push({ ...(index === undefined ? {} : { index }), value, at: first ?? entry.key });
  }
  return wrong ? undefined : found;
}
