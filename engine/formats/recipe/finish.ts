/** What an import makes of a configuration that is read: its text, or the faults of its keys. */
import type { TextFault } from '../fault.ts';
import { type Keys, unusedRemarks } from './keys.ts';
import { devicesOf, mostDevices, pipeOfRecipe, type Recipe } from './toPipe.ts';

export type RecipeImport =
  { readonly pipe: string; readonly remarks: readonly string[] } | { readonly faults: readonly TextFault[] };

/** `ranks` is the key that faults about the number of devices are reported at. */
export function finished(
  keys: Keys,
  recipe: Omit<Recipe, 'remarks'>,
  {
    remarks,
    isIrrelevant,
    ranks,
  }: {
    readonly remarks: readonly string[];
    readonly isIrrelevant: (path: string) => boolean;
    readonly ranks: string;
  },
): RecipeImport {
  if (devicesOf(recipe) > mostDevices) keys.fault(ranks, `The ranks of this file ask for over ${mostDevices} devices.`);
  if (keys.faults.length > 0) return { faults: keys.faults.toSorted((a, b) => a.start - b.start) };
  const all = [
    ...remarks,
    'The file does not name its devices: nodes of eight H100 are written. Change them.',
    ...unusedRemarks(keys, isIrrelevant),
  ];
  return { pipe: pipeOfRecipe({ ...recipe, remarks: all }), remarks: all };
}
