import { expect, test } from 'vitest';
import { searchCut } from '../../../engine/planning/cut/searchCut.ts';

/** Cuts that are looked at, and pauses, of a search for the most even cut of equal layers. */
function searched(layers: number, stages: number): { readonly cuts: number; readonly pauses: number } {
  let [cuts, pauses] = [0, 0];
  const steps = searchCut(
    Int32Array.from({ length: stages }, (_, stage) => stage),
    layers,
    (starts) => {
      cuts += 1;
      const sizes = Array.from(starts, (start, stage) => (starts[stage + 1] ?? layers) - start);
      return [sizes.reduce((sum, size) => sum + size ** 2, 0)];
    },
  );
  while (!(steps.next().done ?? false)) pauses += 1;
  return { cuts, pauses };
}

test('a search pauses every hundred cuts, over all cuts and from cut to cut', () => {
  for (const [layers, stages] of [
    [20, 4],
    [60, 12],
  ]) {
    const { cuts, pauses } = searched(layers, stages);
    expect(cuts).toBeGreaterThan(500);
    expect(pauses).toBe(Math.floor((cuts - 1) / 100));
  }
});
