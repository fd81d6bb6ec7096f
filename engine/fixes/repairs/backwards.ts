import { inserted } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';

/** A range that counts down where it was empty. */
export const valueBackwards: Repairer = { repairs };

function* repairs({ finding: { place, hint } }: Mistake): Generator<Repair | undefined> {
  if (hint?.kind === 'insert') yield { what: 'Count down with "step -1"', edits: [inserted(place.end, hint.text)] };
}
