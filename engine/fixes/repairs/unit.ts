import { dimensionIn } from '../../language/schema.ts';
import { countsLike, unitsLike } from '../../language/units.ts';
import { replaced } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** A unit that exists. Units of the dimension that the key takes come first. */
export const syntaxUnit: Repairer = { repairs };

function* repairs({ analysis, finding }: Mistake): Generator<Repair> {
  const { start, end } = finding.place;
  const written = analysis.syntax.text.slice(start, end);
  const digits = /^[\d.,_]*(?:[eE][+-]?\d+)?/.exec(written)?.[0] ?? '';
  const unit = written.slice(digits.length);
  if (!/^\d/.test(digits)) return;
  const { key } = siteAt(analysis.syntax, start);
  const dimension = key === undefined ? undefined : dimensionIn(key.value, 'first');
  const number = plainNumber(digits);
  if (dimension === 'number') {
    const [tokens] = key?.value.kind === 'quantity' && key.value.orTokens === true ? unitsLike(unit, 'tokens') : [];
    if (tokens !== undefined)
      yield { what: `Change to "${number}${tokens}"`, edits: [replaced(finding.place, `${number}${tokens}`)] };
    for (const count of countsLike(Number(number), unit))
      yield { what: `Change to ${count}`, edits: [replaced(finding.place, String(count))] };
    return;
  }
  for (const name of unitsLike(unit, dimension))
    yield { what: `Change to "${number}${name}"`, edits: [replaced(finding.place, `${number}${name}`)] };
}

/** `1,5` and `1_000` as the language writes numbers. */
function plainNumber(digits: string): string {
  const plain = digits.replaceAll('_', '');
  if (/^\d{1,3}(,\d{3})+$/.test(plain)) return plain.replaceAll(',', '');
  const parts = plain.replaceAll(',', '.').split('.');
  return parts.length <= 2 ? parts.join('.').replace(/\.$/, '') : parts.join('');
}
