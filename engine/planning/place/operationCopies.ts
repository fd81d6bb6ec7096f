/** Operations that a schedule declares, with stages of the program in place of stages of its rows. */
import type { UsedOperations } from '../../definitions/scheduleEvaluator.ts';
import { copyRuns } from '../../order/copyTurns.ts';
import { unpack } from '../../basics/packed.ts';
import type { OperationsPlan, RowPlan, StageCopy } from '../../values/plan.ts';
import { kinds } from '../../values/program.ts';

/** `rows` as they are written. */
export function operationsPlan(
  { names, costs, waits }: UsedOperations,
  rows: readonly RowPlan[],
  placement: ArrayLike<number>,
  copies: readonly StageCopy[] | undefined,
): OperationsPlan {
  const pieces = copies === undefined ? undefined : piecesOf(copies);
  const stageOn = copies === undefined || pieces === undefined ? undefined : stageOf(rows, placement, copies, pieces);
  const flat: number[] = [];
  for (let at = 0; at < waits.length; at += 8) {
    const [kind, piece, microbatch, device, ofKind, ofPiece, ofMicrobatch, ownWaits] = waits.slice(at, at + 8);
    const own = [kind, stageOn?.(kind, piece, microbatch, device) ?? piece, microbatch];
    const other = [ofKind, stageOn?.(ofKind, ofPiece, ofMicrobatch, device) ?? ofPiece, ofMicrobatch];
    flat.push(...(ownWaits === 1 ? [...own, ...other] : [...other, ...own]));
  }
  return {
    names,
    costs: costs.map(({ device, operation, stage, ...cost }) => ({
      ...cost,
      operation: operation - kinds,
      stage: pieces?.get(stage)?.find((index) => placement[index] === device) ?? stage,
    })),
    waits: flat,
  };
}

/** Copies of each piece of a row. */
function piecesOf(copies: readonly StageCopy[]): ReadonlyMap<number, readonly number[]> {
  const of = new Map<number, number[]>();
  for (const [index, { stage, segment = 0, segments = 1 }] of copies.entries()) {
    const piece = stage * segments + segment;
    of.set(piece, [...(of.get(piece) ?? []), index]);
  }
  return of;
}

/**
 * Copies by what they are pieces of. A letter is the copy's that runs the microbatch. An operation that the schedule declares is
 * where the rows have it: on `device` if they have it there.
 */
function stageOf(
  rows: readonly RowPlan[],
  placement: ArrayLike<number>,
  copies: readonly StageCopy[],
  of: ReadonlyMap<number, readonly number[]>,
) {
  const written = new Map<string, number[]>();
  for (const [device, row] of rows.entries()) {
    const [stages, microbatches] = [row.stages, row.microbatches].map(unpack);
    for (const [at, kind] of unpack(row.kinds).entries()) {
      if (kind < kinds) continue;
      const key = `${kind} ${stages[at]} ${microbatches[at]}`;
      written.set(key, [...(written.get(key) ?? []), device]);
    }
  }
  const runsOf = copies.map(copyRuns);
  return (kind: number, piece: number, microbatch: number, device: number): number => {
    const all = of.get(piece) ?? [];
    const runs = all.find((index) => runsOf[index](microbatch) && copies[index].spare !== true);
    if (kind < kinds) return runs ?? all[0] ?? 0;
    const places = written.get(`${kind} ${piece} ${microbatch}`) ?? [];
    const there = places.includes(device) || places.length === 0 ? device : places[0];
    return all.find((index) => placement[index] === there) ?? runs ?? all[0] ?? 0;
  };
}
