import { parametersOf } from '../../findings/finding.ts';
import { freeName } from '../source.ts';
import { replaced } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';

/** Another name, wherever the declared one is meant. */
export const nameReserved: Repairer = { repairs };

function* repairs({
  analysis: { syntax, resolution, uri },
  finding: { place, ...finding },
}: Mistake): Generator<Repair> {
  const parameters = parametersOf(finding, 'name/reserved');
  const { references } = resolution.symbols;
  const isHere = (other: typeof place): boolean => other.uri === uri;
  const declared = references.find((reference) => isHere(reference.place) && reference.place.start === place.start);
  if (parameters === undefined || declared === undefined) return;
  const name = freeName(syntax, `own_${parameters.name}`);
  const uses = references.filter((reference) => reference.symbol === declared.symbol && isHere(reference.place));
  const places = new Map(uses.map((use) => [use.place.start, use.place]));
  yield { what: `Rename to "${name}"`, edits: [...places.values()].map((use) => replaced(use, name)) };
}
