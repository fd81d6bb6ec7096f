import { kindOf, microbatchOf, stageOf } from '../../engine/values/program.ts';
import { type Gap, blockOf, deviceOf, gapAt } from '../picture/blocks.ts';
import { idleFrom, idleUntil } from '../picture/columns.ts';
import type { DeviceGroup } from '../picture/deviceGroups.ts';
import type { PieceRow } from '../picture/lanes.ts';
import type { Picture } from '../picture/picture.ts';

/** What the pointer can be at: a block, the idle time between two, or pieces of an exchange. */
export type Target =
  { readonly kind: 'block'; readonly block: number } | { readonly kind: 'gap'; readonly gap: Gap } | PieceTarget;
/** Pieces on the lane under a device. */
export interface PieceTarget {
  readonly kind: 'piece';
  readonly device: number;
  readonly piece: PieceRow;
}
/** What a tooltip can be about: also a device by its name, or a group of devices by its name or caret. */
export type Pointed =
  | Target
  | { readonly kind: 'device'; readonly device: number }
  | { readonly kind: 'group'; readonly group: DeviceGroup };
export type Selection =
  | Target
  | { readonly kind: 'device'; readonly device: number }
  | { readonly kind: 'range'; readonly t0: number; readonly t1: number; readonly from: number; readonly to: number };

/** −1 where there is none, or several. */
export function selectedDevice(selection: Selection | undefined, deviceOf: (block: number) => number): number {
  if (selection?.kind === 'block') return deviceOf(selection.block);
  if (selection?.kind === 'gap') return selection.gap.device;
  return selection?.kind === 'device' || selection?.kind === 'piece' ? selection.device : -1;
}

/** Where a target is. */
export function targetDevice(picture: Picture, target: Target): number {
  if (target.kind === 'block') return deviceOf(picture, target.block);
  return target.kind === 'gap' ? target.gap.device : target.device;
}

/** From when to when, seconds. */
export function targetTimes({ columns, lanes }: Picture, target: Target): readonly [from: number, to: number] {
  if (target.kind === 'block') return [columns.start[target.block], columns.end[target.block]];
  if (target.kind === 'gap') return [target.gap.from, target.gap.to];
  const { lane, leg, row, shift } = target.piece;
  const later = shift * (lanes?.period ?? 0);
  const { start, end } = lanes?.all[lane]?.legs[leg] ?? { start: [0], end: [0] };
  return [start[row] + later, end[row] + later];
}

/** The idle time before the same operation, or at the end of the same device; nothing where there is none. */
export function carryGap(gap: Gap, from: Picture, to: Picture): Gap | undefined {
  const { columns } = to;
  if (gap.before < 0)
    return gap.device < columns.rows ? gapAt(to, gap.device, idleUntil(columns, gap.device) * (1 - 1e-9)) : undefined;
  const carried = carrySelection({ kind: 'block', block: gap.before }, from, to);
  return carried?.kind === 'block' ? gapBefore(to, carried.block) : undefined;
}

/** The idle time before a block, if there is some. */
export function gapBefore(picture: Picture, block: number): Gap | undefined {
  const { columns } = picture;
  const device = deviceOf(picture, block);
  const before = block > columns.offsets[device] ? columns.end[block - 1] : idleFrom(columns, device);
  const found = gapAt(picture, device, (before + columns.start[block]) / 2);
  return found?.before === block ? found : undefined;
}

/** The same operation in another timeline of the same shape; nothing where there is none. */
export function carrySelection(selection: Selection | undefined, from: Picture, to: Picture): Selection | undefined {
  if (selection?.kind === 'device')
    return from.columns.rows === to.columns.rows && selection.device < to.columns.rows ? selection : undefined;
  if (selection?.kind !== 'block') return undefined;
  const code = from.columns.word[selection.block];
  if (code < 0 || from.columns.stages !== to.columns.stages) return undefined;
  const microbatch = microbatchOf(from.columns, code);
  if (microbatch >= to.columns.microbatches) return undefined;
  const block = blockOf(to, kindOf(from.columns, code), stageOf(from.columns, code), microbatch);
  return block < 0 ? undefined : { kind: 'block', block };
}
