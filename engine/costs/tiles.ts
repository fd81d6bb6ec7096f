/**
 * Bytes that a product moves between memory and a cache that holds one tile of it. WELDER (Shi et al., OSDI 2023) chooses tiles by
 * this traffic, for several levels of memory and several operators; here is one level and one product.
 */
import type { Factors, Kernel } from './types.ts';

export interface Tiling {
  /** Rows and columns of a tile of the result. */
  readonly rows: number;
  readonly columns: number;
  /** Both factors are read tile by tile, the result is written once. */
  readonly bytes: number;
}

/** Edges of tiles. */
const edges = [16, 32, 64, 128, 256, 512];
/** Depth of the slices of both factors in the cache, and bytes of an element of the result while it is summed up. */
const [depth, sumBytes] = [32, 4];

/** Bytes of cache that a tile takes: a slice of each factor, and the sums of the result. */
const held = (rows: number, columns: number, element: number): number =>
  (rows + columns) * depth * element + sumBytes * rows * columns;

/** The smallest cache that has room for a tile in every number format. */
export const leastCache = held(edges[0], edges[0], 4);

/**
 * The tile of least traffic that the cache holds; of equal ones the first by rows, then by columns. Each tile of the result reads a
 * strip of both factors: ⌈M / rows⌉ · ⌈N / columns⌉ · (rows + columns) · K elements in all.
 */
export function bestTile({ rows: m, inner, columns: n, element }: Omit<Factors, 'times'>, cache: number): Tiling {
  let best: Tiling | undefined;
  for (const rows of edges)
    for (const columns of edges) {
      if (held(rows, columns, element) > cache && best !== undefined) continue;
      const tiles = Math.ceil(m / rows) * Math.ceil(n / columns);
      const bytes = (tiles * (rows + columns) * inner + m * n) * element;
      if (best === undefined || bytes < best.bytes) best = { rows, columns, bytes };
    }
  // The first tile is taken whatever the cache.
  return best ?? { rows: 0, columns: 0, bytes: 0 };
}

/** A product of the forward, the gradient of its left factor, or the gradient of its right factor. */
export type ProductPass = 'forward' | 'left' | 'right';

/** The product of a pass: result and factors change places. */
function factorsOf({ rows, inner, columns, ...rest }: Factors, pass: ProductPass): Factors {
  if (pass === 'forward') return { rows, inner, columns, ...rest };
  return pass === 'left'
    ? { rows, inner: columns, columns: inner, ...rest }
    : { rows: inner, inner: rows, columns, ...rest };
}

/** Bytes that a kernel moves in a pass beyond each element once; 0 for kernels that are no product. */
export function extraBytes({ factors }: Pick<Kernel, 'factors'>, pass: ProductPass, cache: number): number {
  if (factors === undefined) return 0;
  const { rows, inner, columns, element, times } = factors;
  const once = (rows * inner + inner * columns + rows * columns) * element;
  return times * (bestTile(factorsOf(factors, pass), cache).bytes - once);
}
