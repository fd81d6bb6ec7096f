/** A deadlock as rows: which devices to show, what each of them ran, and what it has still to run. */
import {
  kindOf,
  kindName,
  kinds,
  letters,
  microbatchOf,
  operationName,
  type Program,
} from '../../engine/values/program.ts';
import type { DeadlockStep } from '../../engine/schedule/deadlockSteps.ts';
import type { Stall } from '../../engine/flow/stall.ts';
import { stagesOn } from '../../engine/basics/stagesOn.ts';
import {
  kindForward,
  kindInput,
  kindOfDeclared,
  kindOptimizer,
  kindRecompute,
  kindTransfer,
  kindWeight,
  paintKinds,
} from './columns.ts';

export type Circle = readonly DeadlockStep[];

export interface StallFigures {
  readonly ran: number;
  readonly operations: number;
  /** Devices that wait for ever. */
  readonly waiting: number;
}

export function stallFigures({ program, stuck }: Stall): StallFigures {
  const { offsets, order } = program;
  const ran = stuck.reduce((sum, position, device) => sum + position - offsets[device], 0);
  const waiting = stuck.reduce((sum, position, device) => sum + (position < offsets[device + 1] ? 1 : 0), 0);
  return { ran, operations: order.length, waiting };
}

export interface ShownRows {
  readonly devices: readonly number[];
  /** Devices without a row, by whether they wait for ever or have run all their operations. */
  readonly waiting: number;
  readonly done: number;
}

/** At most `most` devices in order: all of them, or only devices of the circle and `wanted` (−1 for none). */
export function shownRows({ program, stuck }: Stall, circle: Circle, most: number, wanted = -1): ShownRows {
  const all = Array.from({ length: program.devices }, (_, device) => device);
  const waits = (device: number) => stuck[device] < program.offsets[device + 1];
  const inCircle = [...new Set(circle.map(({ device }) => device))].sort((a, b) => a - b);
  // Few devices are shown with all their neighbours; of many, those of the circle alone say what is wrong.
  const few =
    wanted < 0 || inCircle.slice(0, most).includes(wanted) ? inCircle.slice(0, most) : inCircle.slice(0, most - 1);
  const devices = all.length <= most ? all : [...new Set(wanted < 0 ? few : [...few, wanted])].sort((a, b) => a - b);
  const shown = new Set(devices);
  const left = all.filter((device) => !shown.has(device));
  const waiting = left.filter(waits).length;
  return { devices, waiting, done: left.length - waiting };
}

/** What a device has still to run, as one box each. */
export type RestItem =
  | { readonly kind: 'operation'; readonly position: number; readonly inCircle: boolean }
  /** A blocking send or receive of the circle, next to the operation at its position. */
  | { readonly kind: 'exchange'; readonly step: DeadlockStep }
  /** Operations that have no box. */
  | { readonly kind: 'more'; readonly count: number };

/** Names the box of a step of the circle. */
export const stepKey = ({ position, exchange }: DeadlockStep): string => `${position} ${exchange ?? ''}`;
export const itemKey = (item: Exclude<RestItem, { kind: 'more' }>): string =>
  item.kind === 'exchange' ? stepKey(item.step) : `${item.position} `;

/**
 * The boxes of a device in `columns` columns: boxes of the circle, then the first ones of the row. A run that is left out takes a
 * column too. More columns if the circle or `wanted`, a position that needs a box, needs them. Time in proportion to the columns, not to the row.
 */
export function restItems(
  stall: Stall,
  device: number,
  circle: Circle,
  columns: number,
  wanted = -1,
): readonly RestItem[] {
  const { program, stuck } = stall;
  const end = program.offsets[device + 1];
  const steps = circle.filter((step) => step.device === device);
  const exchanges = steps.filter(({ exchange }) => exchange !== undefined);
  const chosen = new Set(steps.map(({ position }) => position).filter((position) => position >= stuck[device]));
  if (stuck[device] < end) chosen.add(stuck[device]);
  if (wanted >= stuck[device] && wanted < end) chosen.add(wanted);
  const room = columns - exchanges.length;
  for (let position = stuck[device]; position < end && position < stuck[device] + columns; position += 1) {
    if (chosen.has(position)) continue;
    if (boxes([...chosen, position], stuck[device], end) <= room) chosen.add(position);
  }

  const items: RestItem[] = [];
  const exchangesAt = (position: number, exchange: 'SEND' | 'RECV') => {
    for (const step of exchanges)
      if (step.position === position && step.exchange === exchange) items.push({ kind: 'exchange', step });
  };
  // The send of an operation that has run.
  exchangesAt(stuck[device] - 1, 'SEND');
  let next = stuck[device];
  const inCircle = new Set(steps.flatMap(({ exchange, position }) => (exchange === undefined ? [position] : [])));
  for (const position of [...chosen].sort((a, b) => a - b)) {
    if (position > next) items.push({ kind: 'more', count: position - next });
    exchangesAt(position, 'RECV');
    items.push({ kind: 'operation', position, inCircle: inCircle.has(position) });
    exchangesAt(position, 'SEND');
    next = position + 1;
  }
  if (next < end) items.push({ kind: 'more', count: end - next });
  return items;
}

/** Columns that some positions of a row from `start` to `end` take, with one for each run between them. */
function boxes(positions: readonly number[], start: number, end: number): number {
  let total = positions.length;
  let next = start;
  for (const position of positions.toSorted((a, b) => a - b)) {
    if (position > next) total += 1;
    next = position + 1;
  }
  return next < end ? total + 1 : total;
}

/** A stretch of time of a device, seconds. `position`: its operation; −1 if it is several. */
export interface RanBlock {
  readonly start: number;
  readonly end: number;
  readonly kind: number;
  readonly position: number;
}

/** What a device ran: its operations, or `most` equal stretches of time with the kind that fills most of each. */
export function ranBlocks({ program, stuck, start, end, seconds }: Stall, device: number, most: number): RanBlock[] {
  const from = program.offsets[device];
  const to = stuck[device];
  if (to - from <= most) {
    return Array.from({ length: to - from }, (_, index) => {
      const position = from + index;
      return { start: start[position], end: end[position], kind: paintKindAt(program, position), position };
    });
  }
  const width = seconds / most;
  const filled = Array.from({ length: most }, () => new Float64Array(paintKinds.length));
  for (let position = from; position < to; position += 1) {
    const kind = paintKindAt(program, position);
    const last = Math.min(most - 1, Math.floor(end[position] / width));
    for (let cell = Math.min(most - 1, Math.floor(start[position] / width)); cell <= last; cell += 1)
      filled[cell][kind] += Math.min(end[position], (cell + 1) * width) - Math.max(start[position], cell * width);
  }
  return filled.flatMap((times, cell) => {
    const kind = times.indexOf(Math.max(...times));
    const busy = times.reduce((sum, time) => sum + time, 0);
    return busy < width / 2 ? [] : [{ start: cell * width, end: (cell + 1) * width, kind, position: -1 }];
  });
}

const kindsOfPaint = {
  F: kindForward,
  B: kindInput,
  I: kindInput,
  W: kindWeight,
  R: kindRecompute,
  U: kindOptimizer,
  E: kindTransfer,
  L: kindTransfer,
} as const;
export function paintKindAt(program: Program, position: number): number {
  const kind = kindOf(program, program.order[position]);
  return kind >= kinds ? kindOfDeclared(kind - kinds) : kindsOfPaint[letters[kind]];
}

const longKinds = {
  F: 'forward',
  B: 'backward',
  I: 'input grad',
  W: 'weight grad',
  R: 'recompute',
  U: 'update',
  E: 'evict',
  L: 'load',
} as const;

/** `backward 0`, `B0`; with its stage (`3B0`) on a device of several. */
export function boxLabel(stall: Stall, device: number, position: number, long: boolean): string {
  const { program } = stall;
  const word = program.order[position];
  const kind = kindOf(program, word);
  const letter = letters[kind];
  const severalStages = stagesOn(program.placement, device).length > 1;
  if (severalStages) return operationName(program, word);
  if (kind >= kinds) return `${kindName(program, kind)}${microbatchOf(program, word)}`;
  return long ? `${longKinds[letter]} ${microbatchOf(program, word)}` : `${letter}${microbatchOf(program, word)}`;
}

/** `send F1`, `recv B0`. */
export function exchangeLabel({ program }: Stall, { word, exchange }: DeadlockStep): string {
  const letter = letters[kindOf(program, word)];
  return `${exchange === 'SEND' ? 'send' : 'recv'} ${letter}${microbatchOf(program, word)}`;
}
