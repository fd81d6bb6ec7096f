/**
 * Recomputation by a budget of memory, as `torch.compile` does it (`activation_memory_budget`, in `torch/_functorch/partitioners.py` the
 * function `choose_saved_values_set`, in torchtitan `MemoryBudgetAC`).
 */
import type { LayerPart } from './layerPart.ts';
import { sumParts } from './layerPart.ts';
import { type Choice, coresOf, type LayerBytes } from './operations.ts';

/** An output that may stay. Bytes of a token, and FLOPs of a microbatch that make it again. */
interface Candidate {
  readonly bytes: number;
  readonly flops: number;
  readonly product?: number;
  readonly core?: number;
}

/**
 * What only moves memory is recomputed. If outputs of products and cores fit the budget, all of them stay. Otherwise a knapsack keeps the ones
 * with most FLOPs. The result of the last product is read by no backward of the layer.
 */
export function withinBudget(halves: readonly LayerPart[], { all, input }: LayerBytes, share: number): Choice {
  const room = share * Math.max(0, sumParts(all) - input);
  const products = halves.flatMap((half) => half.operations?.products ?? []);
  const candidates: readonly Candidate[] = [
    ...products.slice(0, -1).map(({ output, kernel }, product) => {
      const { flops, count } = kernel();
      return { bytes: output, flops: flops * count, product };
    }),
    ...halves.flatMap((half, core) => {
      const bytes = sumParts(half.operations?.saves ?? {});
      return bytes > 0
        ? [{ bytes, flops: coresOf(half).reduce((sum, each) => sum + each.flops * each.count, 0), core }]
        : [];
    }),
  ];
  const chosen = knapsack(candidates, room);
  const [ofProducts, ofCores] = [
    new Set(chosen.map(({ product }) => product)),
    new Set(chosen.map(({ core }) => core)),
  ];
  return {
    product: (index) => ofProducts.has(index),
    unread: (index) => index === products.length - 1,
    core: (half) => ofCores.has(half),
    extra: false,
  };
}

/** The candidates with most FLOPs within `room` bytes. A layer has few: branches that cannot beat the best are cut. */
function knapsack(candidates: readonly Candidate[], room: number): readonly Candidate[] {
  const byWorth = candidates.toSorted((a, b) => b.flops * a.bytes - a.flops * b.bytes);
  let best: { readonly flops: number; readonly chosen: readonly Candidate[] } = { flops: 0, chosen: [] };
  const visit = (at: number, left: number, flops: number, chosen: readonly Candidate[]): void => {
    if (flops > best.flops) best = { flops, chosen };
    if (at === byWorth.length) return;
    const next = byWorth[at];
    // The rest at the rate of the next one, which is the highest.
    if (flops + (left * next.flops) / next.bytes <= best.flops) return;
    // Sums of shares are exact to rounding.
    if (next.bytes <= left * (1 + 1e-9)) visit(at + 1, left - next.bytes, flops + next.flops, [...chosen, next]);
    visit(at + 1, left, flops, chosen);
  };
  visit(0, room, 0, []);
  return best.chosen;
}
