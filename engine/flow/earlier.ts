/** What a resolution leaves for the next text of its file: declarations that an edit did not touch are not read again. */
import type { BlockDeclaration, Declaration, SyntaxFile } from '../../grammar/syntax.ts';
import { isAlwaysRead, keep, type Kept, type Readings } from '../language/kept.ts';
import { type Reading, readingOf } from '../language/reading.ts';
import type { Resolution } from '../language/resolution.ts';
import { movedPlanned, type Planned } from '../planning/planned.ts';

/** Whatever else a declaration depends on: options, params, imported files. Equal one by one. */
export type Around = readonly unknown[];

interface Left {
  readonly readings: Readings;
  readonly same: ReadonlyMap<Declaration, Kept>;
  readonly around: Around;
  readonly plans: Plans;
}

/** What planning gave, by the name of the pipeline. */
export type Plans = ReadonlyMap<string, Planned>;

const left = new WeakMap<Resolution, Left>();

/** Notes what a resolution read and planned. */
export const leave = (
  resolution: Resolution,
  readings: Readings,
  { same }: Reading,
  around: Around,
  plans: Plans,
): void => void left.set(resolution, { readings, same, around, plans });

/** What planning a pipeline gave, if the pipeline and all that it depends on are as they were. */
export function plannedBefore(
  earlier: Resolution | undefined,
  { same, movedBy }: Reading,
  uri: string,
  pipeline: BlockDeclaration,
): Planned | undefined {
  const plans = earlier === undefined ? undefined : left.get(earlier)?.plans;
  const planned = plans?.get(pipeline.name?.text ?? '');
  // What planning gave need not have a place in the block, so the places alone do not say that the block is as it was.
  return planned === undefined || !same.has(pipeline) ? undefined : movedPlanned(planned, uri, movedBy);
}

/** What to read of a text. */
export function readingAfter(earlier: Resolution | undefined, syntax: SyntaxFile, around: Around): Reading {
  const known = earlier === undefined ? undefined : left.get(earlier);
  const all: Reading = {
    declarations: syntax.declarations,
    skipped: new Map(),
    same: new Map(),
    movedBy: () => undefined,
  };
  if (known === undefined || !isSame(known.around, around)) return all;
  return readingOf(syntax, known.readings.context.syntax, keptBy(known)) ?? all;
}

const isSame = (a: Around, b: Around): boolean => a.length === b.length && a.every((each, index) => each === b[index]);

/** A declaration that had a finding may have none by now. */
function keptBy({ readings, same }: Left): (declaration: Declaration) => Kept | undefined {
  const open = readings.context.syntax.declarations.filter((declaration) => {
    const known = same.get(declaration);
    return known === undefined || (known.always && !isAlwaysRead(declaration));
  });
  const fresh = keep(readings, open);
  return (declaration) => fresh.get(declaration) ?? same.get(declaration);
}
