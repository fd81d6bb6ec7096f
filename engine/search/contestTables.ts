/** The chains of a contest in tables, made once for many runs. */

/** Operations that run in this order. */
export interface Strand {
  readonly length: number;
  readonly device: Int32Array;
  readonly ticks: Float64Array;
  /** Ticks from the end of the operation before to the start, at least. */
  readonly gap: Float64Array;
  /** Earliest start and latest end. */
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Operations of each other chain that end before each operation, on its device. Ascending. */
  readonly needs: readonly Int32Array[];
  /** Result: when each operation starts at the earliest in an order of all chains that keeps the windows. */
  readonly earliest: Float64Array;
}

/** Place p of chain c is at c · longest + p; needs: (c · mostChains + other) · longest + p. */
export interface ContestTables {
  readonly mostChains: number;
  readonly longest: number;
  /** Chains of this run. */
  chains: number;
  readonly length: Int32Array;
  readonly device: Int32Array;
  readonly ticks: Float64Array;
  readonly gap: Float64Array;
  readonly start: Float64Array;
  readonly until: Float64Array;
  readonly needs: Int32Array;
}

export function contestTables(mostChains: number, longest: number): ContestTables {
  const times = (): Float64Array => new Float64Array(mostChains * longest);
  return {
    mostChains,
    longest,
    chains: 0,
    length: new Int32Array(mostChains),
    device: new Int32Array(mostChains * longest),
    ticks: times(),
    gap: times(),
    start: times(),
    until: times(),
    needs: new Int32Array(mostChains * mostChains * longest),
  };
}

/** Fills the tables for a run; how many operations there are. */
export function fillTables(tables: ContestTables, strands: readonly Strand[]): number {
  const { mostChains, longest, length, device, ticks, gap, start, until, needs } = tables;
  tables.chains = strands.length;
  let total = 0;
  for (const [chain, strand] of strands.entries()) {
    length[chain] = strand.length;
    total += strand.length;
    device.set(strand.device, chain * longest);
    ticks.set(strand.ticks, chain * longest);
    gap.set(strand.gap, chain * longest);
    start.set(strand.start, chain * longest);
    until.set(strand.end, chain * longest);
    for (let other = 0; other < strands.length; other += 1) {
      const to = (chain * mostChains + other) * longest;
      if (other === chain) needs.fill(0, to, to + strand.length);
      else needs.set(strand.needs[other], to);
    }
  }
  return total;
}
