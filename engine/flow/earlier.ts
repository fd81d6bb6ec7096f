/** What a resolution leaves for the next text of its file: declarations that an edit did not touch are not read again. */
import type { Declaration, SyntaxFile } from '../../grammar/syntax.ts';
import { isAlwaysRead, keep, type Kept, type Readings } from '../language/kept.ts';
import { type Reading, readingOf } from '../language/reading.ts';
import type { Resolution } from '../language/resolution.ts';

/** Whatever else a declaration depends on: options, params, imported files. Equal one by one. */
export type Around = readonly unknown[];

interface Left {
  readonly readings: Readings;
  readonly same: ReadonlyMap<Declaration, Kept>;
  readonly around: Around;
}

const left = new WeakMap<Resolution, Left>();

/** Notes what a resolution read. */
export const leave = (resolution: Resolution, readings: Readings, { same }: Reading, around: Around): void =>
  void left.set(resolution, { readings, same, around });

/** What to read of a text. */
export function readingAfter(earlier: Resolution | undefined, syntax: SyntaxFile, around: Around): Reading {
  const known = earlier === undefined ? undefined : left.get(earlier);
  const all: Reading = { declarations: syntax.declarations, skipped: new Map(), same: new Map() };
  if (known === undefined || !isSame(known.around, around)) return all;
  return readingOf(syntax, known.readings.context.syntax, keptBy(known)) ?? all;
}

const isSame = (a: Around, b: Around): boolean => a.length === b.length && a.every((each, index) => each === b[index]);

/** A declaration that had a finding may have none by now. */
function keptBy({ readings, same }: Left): ReadonlyMap<Declaration, Kept> {
  const open = readings.context.syntax.declarations.filter((declaration) => {
    const known = same.get(declaration);
    return known === undefined || (known.always && !isAlwaysRead(declaration));
  });
  return new Map([...same, ...keep(readings, open)]);
}
