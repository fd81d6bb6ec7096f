/** Defaults of keys as the program applies them: each is what the schema says, so pages and program have one source. */
import { defaultValue } from './keyFacts.ts';
import { findKey, type BlockName } from './schema.ts';
import { findUnit, scaled } from './units.ts';

const numbers = new Map<string, number>();

/** The default of a quantity in its base unit: seconds, bytes, a share of 1. */
export function defaultNumber(block: BlockName, name: string): number {
  const at = `${block} ${name}`;
  const known = numbers.get(at);
  if (known !== undefined) return known;
  const found = numberOf(defaultWord(block, name));
  if (found === undefined) throw new TypeError(`The default of "${name}" in a ${block} is not a quantity.`);
  numbers.set(at, found);
  return found;
}

function numberOf(text: string): number | undefined {
  const [, number, suffix] = /^(\d+(?:\.\d+)?)(\D*)$/.exec(text) ?? [];
  const unit = suffix === undefined ? undefined : findUnit(suffix);
  return unit === undefined ? undefined : scaled(Number(number), unit.scale);
}

/** The default of a key that takes words. */
export function defaultWord(block: BlockName, name: string): string {
  const key = findKey(block, name);
  const value = key === undefined ? undefined : defaultValue(key);
  if (value === undefined) throw new TypeError(`"${name}" in a ${block} has no default that a file can write.`);
  return value;
}
