/** The rows of a rule: which operations it has, where they run, and which of them a device prefers. */
import type { RuleOperation } from '../../values/plan.ts';
import {
  B,
  E,
  F,
  I,
  kindName,
  kindOfRow,
  kinds,
  L,
  letters,
  R,
  resultOf,
  shiftFor,
  U,
  W,
} from '../../values/program.ts';
import { depthsOf } from '../depths.ts';
import { type Turns, turnsOf } from '../turns.ts';
import { consumersOf } from './dependencies.ts';
import { brings, type RuleWork, sends } from './work.ts';

export interface RuleLayout {
  readonly stages: number;
  readonly microbatches: number;
  readonly rows: number;
  readonly placement: Int32Array;
  readonly turns: Turns;
  /** Who needs each row. */
  readonly consumers: ReturnType<typeof consumersOf>;
  /** Operations of each row. */
  readonly counts: Int32Array;
  /** By device: its rows, and where its operations begin in an order with room for all of them. */
  readonly local: readonly (readonly number[])[];
  readonly offsets: Int32Array;
  /** By device: the place of each result among what it prefers. */
  readonly ranks: readonly (readonly number[])[];
  /** By device: who sends activations to it. */
  readonly senders: readonly (readonly number[])[];
  resultOfName(name: RuleOperation | undefined): number;
  /** Among all stages, as `ties` says. */
  placeOf(stage: number): number;
  microbatchAt(row: number, turn: number): number;
  /** The word of an operation. */
  wordOfSlot(row: number, microbatch: number): number;
  wordOf(row: number, turn: number): number;
  /** The device whose bytes an operation adds to. */
  ownerOf(device: number, result: number): number;
}

export function layoutOf(work: RuleWork): RuleLayout {
  const { devices, microbatches, dependencies, copies, split, rule } = work;
  const stages = work.limits.length;
  const placement = Int32Array.from(work.placement);
  const rows = dependencies.offsets.length - 1;
  const turns = turnsOf(copies, stages, microbatches);
  const depths = depthsOf(copies, stages);
  const names = work.declared?.names ?? [];
  const kindOfResult = [F, split ? I : B, W, R, U, E, L, ...names.map((_, at) => kinds + at)];
  const { counts, most } = countsOf(work, rows, turns);
  const local: number[][] = Array.from({ length: devices }, () => []);
  const offsets = new Int32Array(devices + 1);
  for (let row = 0; row < rows; row += 1) {
    if (most[row] === 0) continue;
    local[placement[row % stages]].push(row);
    offsets[placement[row % stages] + 1] += most[row];
  }
  for (let device = 0; device < devices; device += 1) offsets[device + 1] += offsets[device];
  const letterOf = (kind: number): RuleOperation => kindName({ declared: { names } }, kind);
  const shift = shiftFor(microbatches);
  const microbatchAt = (row: number, turn: number): number =>
    work.declared?.numbers.get(row)?.[turn] ?? turns.microbatchOf(row % stages, turn);
  const wordOfSlot = (row: number, microbatch: number): number =>
    ((kindOfResult[kindOfRow(stages, row)] * stages + (row % stages)) << shift) | microbatch;
  return {
    ...{ stages, microbatches, rows, placement, turns, counts, local, offsets, microbatchAt, wordOfSlot },
    consumers: consumersOf(dependencies, rows),
    ranks: rule.prefer.map((preferred) => {
      const listed = [...preferred, 'R', 'B', 'I', 'F', 'W'];
      return kindOfResult.map((kind) => listed.indexOf(letterOf(kind)));
    }),
    senders: Array.from({ length: devices }, (_, device) =>
      Array.from(work.keeper ?? []).flatMap((keeper, sender) => (keeper === device ? [sender] : [])),
    ),
    resultOfName(name = 'F') {
      const letter = (letters as readonly string[]).indexOf(name);
      return letter >= 0 ? resultOf[letter] : brings + 1 + names.indexOf(name);
    },
    placeOf: (stage) => (rule.ties === 'shallowest' ? stages - 1 - depths[stage] : depths[stage]),
    wordOf: (row, turn) => wordOfSlot(row, microbatchAt(row, turn)),
    ownerOf: (device, result) => (result === sends ? (work.keeper?.[device] ?? device) : device),
  };
}

/** Operations of each row, and the most that there may be: of E and L, nobody knows how many run. */
function countsOf(
  { limits, split, again, declared, evictions }: RuleWork,
  rows: number,
  { count }: Turns,
): { readonly counts: Int32Array; readonly most: Int32Array } {
  const stages = limits.length;
  const counts = new Int32Array(rows);
  const most = new Int32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const stage = row % stages;
    const result = kindOfRow(stages, row);
    const runs = result < 2 || (result === 2 && split) || (result === 3 && again[stage] === 1);
    counts[row] = runs ? count(stage) : result > brings ? (declared?.numbers.get(row)?.length ?? 0) : 0;
    most[row] = evictions !== undefined && (result === sends || result === brings) ? count(stage) : counts[row];
  }
  return { counts, most };
}
