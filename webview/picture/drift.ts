import { kindOf, kinds, microbatchOf, stageOf } from '../../engine/values/program.ts';
import type { Columns } from './columns.ts';
import type { RowPair } from './rowPairs.ts';

/** The file on show is above, the one that it is compared with below. */
export const sides = ['upper', 'lower'] as const;
export type Side = (typeof sides)[number];
export const otherSide = (side: Side): Side => (side === 'upper' ? 'lower' : 'upper');

/** A block whose device has no row in the other timeline: the row says so, not its blocks. */
const withoutRow = -2;

/** Two timelines, operation by operation. */
export interface PairedColumns {
  readonly columns: Readonly<Record<Side, Columns>>;
  /** By block: the block of the same operation on the same device of the other timeline. Negative if there is none. */
  readonly partners: Readonly<Record<Side, Int32Array>>;
  /** Of a recorded run: rows of the program whose operations take another time on average. Then nothing else differs. */
  readonly drifted?: ReadonlySet<number>;
}

/** How a block differs: it takes another time, starts at another time, or is only in its timeline. */
export type Drift = 'length' | 'start' | 'alone';

/** Finds the same operations: kind, stage and microbatch. O(blocks). */
export function pairColumns(columns: PairedColumns['columns'], rows: readonly RowPair[]): PairedColumns {
  const { upper, lower } = columns;
  const names = keysOf(columns);
  const partners = {
    upper: new Int32Array(upper.word.length).fill(withoutRow),
    lower: new Int32Array(lower.word.length).fill(withoutRow),
  };
  for (const row of rows) {
    if (row.upper < 0 || row.lower < 0) continue;
    const places = new Map<number, number>();
    for (let block = lower.offsets[row.lower]; block < lower.offsets[row.lower + 1]; block += 1) {
      places.set(names(lower, block), block);
      partners.lower[block] = -1;
    }
    for (let block = upper.offsets[row.upper]; block < upper.offsets[row.upper + 1]; block += 1) {
      const partner = places.get(names(upper, block)) ?? -1;
      partners.upper[block] = partner;
      if (partner >= 0) partners.lower[partner] = block;
    }
  }
  return { columns, partners };
}

/** Numbers that are equal for the same operation of both timelines. What a schedule declares has the same name. */
function keysOf({ upper, lower }: PairedColumns['columns']): (columns: Columns, block: number) => number {
  const names = [...new Set([...(upper.declared ?? []), ...(lower.declared ?? [])])];
  const stages = Math.max(upper.stages, lower.stages);
  const microbatches = Math.max(upper.microbatches, lower.microbatches);
  return (columns, block) => {
    const word = columns.word[block];
    // Synchronisation and optimizer have negative words, and a device runs each of them once.
    if (word < 0) return word;
    const kind = kindOf(columns, word);
    const declared = kind < kinds ? -1 : names.indexOf(columns.declared?.[kind - kinds] ?? '');
    const operation = declared < 0 ? kind : kinds + declared;
    return (operation * stages + stageOf(columns, word)) * microbatches + microbatchOf(columns, word);
  };
}

/** How a block differs by more than `tolerance` seconds; undefined if it does not. */
export function driftOf(
  { columns, partners, drifted }: PairedColumns,
  side: Side,
  block: number,
  tolerance: number,
): Drift | undefined {
  if (drifted !== undefined)
    return drifted.has(columns[side].word[block] >> columns[side].shift) ? 'length' : undefined;
  const partner = partners[side][block];
  if (partner < 0) return partner === withoutRow ? undefined : 'alone';
  const [own, other] = [columns[side], columns[otherSide(side)]];
  const length = own.end[block] - own.start[block] - (other.end[partner] - other.start[partner]);
  if (Math.abs(length) > tolerance) return 'length';
  return Math.abs(own.start[block] - other.start[partner]) > tolerance ? 'start' : undefined;
}

export interface DriftedBlock {
  readonly side: Side;
  readonly block: number;
}

/** Drifted operations by start, each once: of the upper timeline, and those that only the lower one has. */
export function driftedBlocks(pair: PairedColumns, tolerance: number): readonly DriftedBlock[] {
  const found: DriftedBlock[] = [];
  for (const side of sides)
    for (let block = 0; block < pair.partners[side].length; block += 1) {
      const drift = driftOf(pair, side, block, tolerance);
      if (drift !== undefined && (side === 'upper' || drift === 'alone')) found.push({ side, block });
    }
  const startOf = ({ side, block }: DriftedBlock): number => pair.columns[side].start[block];
  return found.sort((a, b) => startOf(a) - startOf(b));
}

/** Operations on devices that both timelines have. */
export const pairedOperations = ({ partners }: PairedColumns): number =>
  partners.upper.reduce((sum, partner) => sum + Number(partner !== withoutRow), 0) +
  partners.lower.reduce((sum, partner) => sum + Number(partner === -1), 0);
