import { dimensionIn } from '../../language/schema.ts';
import { nearestUnit, units } from '../../language/units.ts';
import type { Dimension } from '../../plan.ts';
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

/** Units that a spelling may mean: `M` where bytes are expected as `MB` and `MiB`. */
export function unitsLike(written: string, dimension: Dimension | undefined): readonly string[] {
  const lower = written.toLowerCase();
  const fitting = units.filter((unit) => unit.dimension === dimension);
  const near = nearestUnit(written);
  const nearFits = near !== undefined && fitting.some((unit) => unit.name === near);
  const out = new Set<string>(near !== undefined && (nearFits || dimension === undefined) ? [near] : []);
  // `M`, `Mib` and `mb` for `MB` and `MiB`; `G` for `GB/s`.
  const stem = (name: string): string =>
    name
      .toLowerCase()
      .replace(/\/?s$|ps$/, '')
      .replace(/i?b?$/, '');
  const isPrefix = /^[kmgtp]/.test(lower);
  for (const { name } of fitting) if (isPrefix && stem(name) === stem(lower)) out.add(name);
  if (near !== undefined) out.add(near);
  if (out.size === 0) for (const { name } of fitting.slice(0, 2)) out.add(name);
  if (dimension === 'number') out.add('');
  return [...out].slice(0, 4);
}
