import { kinds, letters, mostDeclared } from '../../engine/values/program.ts';
import type { FillStretches } from '../../engine/fill/stretches.ts';
import type { Lane } from './lane.ts';
import type { Scale } from './scale.ts';

/** An operation that the schedule declares, by its number there. */
export type DeclaredCell = `declared ${number}`;
export type CellKind = (typeof letters)[number] | DeclaredCell | 'mixed' | 'sync' | 'optimizer' | 'fill' | 'idle';

export interface Cell {
  readonly kind: CellKind;
  /** Position in the lane of the operation that runs; absent while none does, and in a compressed drawing. */
  readonly position?: number;
  /** Of a mixed cell: the kinds of operations in it, the longest first. */
  readonly kinds?: readonly CellKind[];
}

const idle: Cell = { kind: 'idle' };

/** One row of the drawing: what each cell shows. Linear in operations + cells. */
export function cellsOf(lane: Lane, scale: Scale): readonly Cell[] {
  return scale.compressed ? dominant(lane, scale) : atMiddle(lane, scale);
}

/** The row with what a fill job does: of idle cells those in whose middle one of its tasks runs. */
export function filledCells(
  cells: readonly Cell[],
  { from, to }: Pick<FillStretches, 'from' | 'to'>,
  scale: Scale,
): readonly Cell[] {
  let stretch = 0;
  return cells.map((cell, index) => {
    const middle = (index + 0.5) * scale.cell;
    while (stretch < to.length && to[stretch] <= middle) stretch += 1;
    return cell.kind === 'idle' && stretch < from.length && from[stretch] <= middle ? { kind: 'fill' } : cell;
  });
}

const declaredCells = Array.from({ length: mostDeclared }, (_, number): DeclaredCell => `declared ${number}`);
const cellKind = (kind: number): CellKind => (kind >= kinds ? declaredCells[kind - kinds] : letters[kind]);
export const isDeclared = (kind: CellKind): kind is DeclaredCell => kind.startsWith('declared ');

/** Sums of times are not exact. Just after the middle, an operation as wide as a cell that begins at a middle is in one cell, not in none. */
const middleOfCell = 0.5 + 1e-6;

function atMiddle(lane: Lane, scale: Scale): Cell[] {
  const cells: Cell[] = [];
  let position = 0;
  for (let cell = 0; cell < scale.cells; cell += 1) {
    const middle = (cell + middleOfCell) * scale.cell;
    while (position < lane.word.length && (lane.end[position] ?? 0) <= middle) position += 1;
    const runs = position < lane.word.length && (lane.start[position] ?? 0) <= middle;
    cells.push(runs ? { kind: cellKind(lane.kind(position)), position } : afterwards(lane, middle));
  }
  return cells;
}

function afterwards(lane: Lane, at: number): Cell {
  if (at < lane.last || at >= lane.stepEnd) return idle;
  return { kind: at < lane.syncEnd ? 'sync' : 'optimizer' };
}

const operations: readonly CellKind[] = [...letters, ...declaredCells];
const order: readonly CellKind[] = [...operations, 'sync', 'optimizer'];

/** A kind that takes less of the time that operations run in a cell does not make it mixed. */
export const leastShare = 1 / 8;

/** What each cell of narrow operations holds: no operation for most of it, one kind of them, or a mixture. */
function dominant(lane: Lane, scale: Scale): Cell[] {
  const shares = order.map(() => new Float64Array(scale.cells));
  const add = (kind: number, from: number, to: number) => {
    const share = shares[kind];
    if (share === undefined || !(to > from)) return;
    for (let cell = Math.floor(from / scale.cell); cell < scale.cells && cell * scale.cell < to; cell += 1) {
      const covered = Math.min(to, (cell + 1) * scale.cell) - Math.max(from, cell * scale.cell);
      share[cell] = (share[cell] ?? 0) + covered;
    }
  };
  // What is fused shares its slot: the later one counts from where the earlier ends.
  let reached = 0;
  for (let position = 0; position < lane.word.length; position += 1) {
    const start = Math.max(reached, lane.start[position] ?? 0);
    reached = Math.max(reached, lane.end[position] ?? 0);
    add(lane.kind(position), start, reached);
  }
  add(order.indexOf('sync'), lane.last, lane.syncEnd);
  add(order.indexOf('optimizer'), lane.syncEnd, lane.stepEnd);
  return Array.from({ length: scale.cells }, (_, cell) =>
    shownOf(
      shares.map((share) => share[cell] ?? 0),
      scale.cell,
    ),
  );
}

/** `covered`: seconds of each kind in `order`. Idle time, operations, synchronization or optimizer: what takes most. */
function shownOf(covered: readonly number[], cell: number): Cell {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const runs = covered.slice(0, operations.length);
  const [sync = 0, optimizer = 0] = covered.slice(operations.length);
  const busy = sum(runs);
  const left = cell - busy - sync - optimizer;
  const most = Math.max(busy, sync, optimizer, left) * (1 - 1e-9);
  if (busy < most) return { kind: sync >= most ? 'sync' : optimizer >= most ? 'optimizer' : 'idle' };
  const found = operations
    .map((kind, index) => ({ kind, share: runs[index] ?? 0 }))
    .filter(({ share }) => share >= leastShare * busy * (1 - 1e-9))
    .toSorted((a, b) => b.share - a.share)
    .map(({ kind }) => kind);
  return found.length > 1 ? { kind: 'mixed', kinds: found } : { kind: found[0] ?? 'idle' };
}
