/** Values that a key can take in this file: names that are declared, words of the key, an example. */
import type { Analysis } from '../../flow/check.ts';
import type { SymbolKind } from '../../language/resolution.ts';
import { declaredIn, dimensionIn, type KeySchema, wordsOf } from '../../language/schema.ts';
import { exampleOf } from '../../language/units.ts';
import type { Site } from './site.ts';

/** At most `most` values for the key around a place, the most likely first. */
export const valuesFor = (analysis: Analysis, { key }: Pick<Site, 'key'>, most: number): readonly string[] =>
  key === undefined ? [] : valuesOfKey(analysis, key, most);

/** At most `most` values for a key. */
export function valuesOfKey(analysis: Analysis, key: KeySchema, most: number): readonly string[] {
  const declares = declaredIn(key.value);
  const dimension = dimensionIn(key.value, 'first');
  const out = new Set<string>();
  if (declares !== undefined) for (const name of namesOf(analysis, declares)) out.add(name);
  if (key.name === 'stages') for (const cut of cutsOf(analysis)) out.add(cut);
  if (declares === 'schedule') for (const policy of ['1f1b', 'gpipe', 'zb_h1']) out.add(policy);
  for (const word of wordsOf(key.value)) out.add(word.name);
  const example = exampleValue(key);
  if (example !== undefined) out.add(example);
  if (dimension !== undefined) out.add(exampleOf[dimension]);
  return [...out].slice(0, most);
}

/** What the example of a key writes after `=`. */
export function exampleValue({ example }: KeySchema): string | undefined {
  const at = example.indexOf('= ');
  return at < 0 || example.includes('\n') ? undefined : example.slice(at + 2).trim();
}

/** Names of the file with a kind, its own and imported ones, in order. */
export const namesOf = ({ resolution }: Analysis, kind: SymbolKind): readonly string[] =>
  [...resolution.symbols.symbols.values()]
    .filter((symbol) => symbol.kind === kind && symbol.declaration !== undefined)
    .map((symbol) => symbol.name);

/** Balanced cuts, by the sizes of the clusters that are written in the file. */
const cutsOf = (analysis: Analysis): readonly string[] =>
  [...clusterSizes(analysis).filter((size) => size > 1), 4, 2].map((size) => `balance(${size})`);

/** Numbers of devices that clusters of the file write. */
export function clusterSizes({ syntax }: Analysis): readonly number[] {
  const sizes = new Set<number>();
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'block' || declaration.keyword.text !== 'cluster') continue;
    for (const item of declaration.body?.entries ?? []) {
      const [index] = item.kind === 'entry' ? (item.index ?? []) : [];
      if (index?.kind === 'quantity' && index.unit === '') sizes.add(index.value);
    }
  }
  return [...sizes];
}
