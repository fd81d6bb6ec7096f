/** `jitter = 5%`, `jitter(stage = 3) = 10%`, `jitter(stage = last) = 10%`, `slow(device = 2) = 1.2`: how times vary from what the layers say. */
import type { Expression } from '../../grammar/syntax.ts';
import type { VariationOf, VariationUse } from '../definitions/pipeline.ts';
import type { ReadContext } from './context.ts';
import { checked, evaluate, type QuantitySchema, wholeNumber } from '../language/expressions.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import { findKey } from '../language/schema.ts';

/** `undefined` where something is wrong, which has been reported. */
export function readVariation(context: ReadContext, keys: Keys): VariationUse | undefined {
  const jitter = readEach(context, keys, 'jitter', 'stage');
  const slow = readEach(context, keys, 'slow', 'device');
  if (jitter === undefined || slow === undefined) return undefined;
  const everywhere = jitter.find(({ which }) => which === undefined);
  return {
    ...(everywhere === undefined ? {} : { jitter: everywhere.value }),
    jitterOf: jitter.flatMap(({ which, ...of }) => (which === undefined ? [] : [{ ...of, which }])),
    slowOf: slow.flatMap(({ which, ...of }) => (which === undefined ? [] : [{ ...of, which }])),
  };
}

interface Each extends Omit<VariationOf, 'which'> {
  /** Absent for a value that is for all of them. */
  readonly which?: VariationOf['which'];
}

/** The entries of a key, each for all stages or devices, or for the one in its parentheses. */
function readEach(context: ReadContext, keys: Keys, key: string, parameter: string): readonly Each[] | undefined {
  const schema = findKey(keys.block, key)?.value;
  const found: Each[] = [];
  let wrong = false;
  for (const entry of keys.all(key)) {
    const written = valueOf(entry);
    const value =
      written === undefined || schema?.kind !== 'quantity' ? undefined : readAmount(context, written, schema, key);
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
    const which = first === undefined ? undefined : readWhich(context, first, key, parameter);
    if (value === undefined || (first !== undefined && which === undefined)) {
      wrong = true;
      continue;
    }
    if (found.some((earlier) => earlier.which === which)) {
      const shown = which === undefined ? key : `${key}(${parameter} = ${which})`;
      context.report.report(
        'key/duplicate',
        entry.key,
        { key: shown, block: 'pipeline' },
        { hint: { kind: 'remove' } },
      );
      continue;
    }
    found.push({ ...(which === undefined ? {} : { which }), value, at: first ?? entry.key });
  }
  return wrong ? undefined : found;
}

/** A stage by its name, or the number of a stage or device. */
function readWhich(
  context: ReadContext,
  written: Expression,
  key: string,
  parameter: string,
): number | string | undefined {
  if (written.kind === 'name' && context.links.get(written)?.startsWith('stage:') === true) return written.text;
  // The word itself is known, but it is no value.
  if (written.kind === 'name' && written.text === parameter && !context.links.has(written)) {
    const expected = `a ${parameter}, such as \`${key}(${parameter} = 2)\``;
    context.report.report('type/mismatch', written, { expected, found: `\`${parameter}\`` });
    return undefined;
  }
  return wholeNumber(context, written, `The number of the ${parameter}`, {});
}

/** A share or a factor. `slow = 20%` may mean 1.2 or 0.2, so it is neither. */
function readAmount(
  context: ReadContext,
  written: Expression,
  schema: QuantitySchema,
  key: string,
): number | undefined {
  const value = evaluate(context, written);
  if (value === undefined) return undefined;
  if (schema.dimension !== 'number' || value.kind !== 'measure' || value.dimension !== 'share')
    return checked(context, written, value, schema, `"${key}"`);
  const factor = value.value < 1 ? 1 + value.value : value.value;
  context.report.report('type/dimension', written, {
    expected: 'a factor on the times of the device',
    found: 'a share',
    example: String(Number(factor.toPrecision(6))),
  });
  return undefined;
}
