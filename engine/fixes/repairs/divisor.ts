import type { Argument } from '../../../grammar/syntax.ts';
import { nearestDivisors } from '../../basics/divisors.ts';
import type { FixHint } from '../../findings/finding.ts';
import { replaced } from './edits.ts';
import type { Mistake, Repair } from './repair.ts';
import { siteAt } from './site.ts';

/** The nearest numbers that divide. Other heads may need another number of heads for keys and values. */
export function* divisors(
  { analysis: { syntax }, finding }: Mistake,
  { argument, values }: Extract<FixHint, { readonly kind: 'divisor' }>,
): Generator<Repair> {
  const { path } = siteAt(syntax, finding.place.start);
  const call = path.findLast((node) => node.kind === 'call');
  const shared = argument === 'heads' ? call?.arguments.find(({ name }) => name?.text === 'kv_heads') : undefined;
  for (const value of values) {
    const divided = shared === undefined ? undefined : dividing(shared, value);
    yield {
      what: `Write ${argument} = ${value}${divided === undefined ? '' : ` and kv_heads = ${divided.number}`}`,
      edits: [
        replaced(finding.place, String(value)),
        ...(divided === undefined ? [] : [replaced(divided.at, String(divided.number))]),
      ],
    };
  }
}

/** Another number for an argument that does not divide this one. */
function dividing({ value }: Argument, heads: number) {
  if (value.kind !== 'quantity' || heads % value.value === 0) return undefined;
  const [number] = nearestDivisors(heads, value.value);
  return { at: value, number };
}
