/** How items of memory are called where people read them. */
import { freeShare, hasAmpleRoom } from '../basics/fullest.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { bytes, count, list, share } from '../basics/quantities.ts';
import type { DeviceReport, MemoryItem, MemoryItemKind } from '../values/report.ts';

export const itemNames: Readonly<Record<MemoryItemKind, string>> = {
  weights: 'weights',
  gradients: 'gradients',
  optimizer: 'optimizer',
  versions: 'older versions of weights',
  buffers: 'transfer buffers',
  activations: 'activations',
  activations_for_weight: 'activations for W',
  recomputed: 'recomputed',
  workspace: 'workspace',
  operations: 'operations of the schedule',
  gradient_copies: 'fp32 copies of gradients for the update',
};

/** `gpu[0] has 31 % of its memory free: nothing needs to be freed.`; empty for a device with little room. */
export const ampleRoomText = (device: Pick<DeviceReport, 'name' | 'peak' | 'capacity'>): string =>
  hasAmpleRoom(device)
    ? `${device.name} has ${share(freeShare(device))} of its memory free: nothing needs to be freed.`
    : '';

/** What a schedule moves from stage to stage, and items count. */
export type Unit = 'microbatch' | 'segment';
export const unitOf = ({ stages }: Pick<PipelinePlan, 'stages'>): Unit =>
  stages.some(({ copy }) => (copy?.segments ?? 1) > 1) ? 'segment' : 'microbatch';

/** `1 segment`, `6 microbatches`. */
const unitCount = (value: number, unit: Unit): string =>
  unit === 'segment' ? count(value, 'segment', 'segments') : count(value, 'microbatch', 'microbatches');

/** Sizes by name, with what they are made of, in order: `activations 9.4 GiB (6 microbatches in flight)`. */
export function itemTexts(items: readonly MemoryItem[], unit: Unit): readonly string[] {
  const kinds = new Set(items.map(({ kind }) => kind));
  return Array.from(kinds, (kind) => {
    const alike = items.filter((item) => item.kind === kind);
    const size = alike.reduce((sum, memoryItem) => sum + memoryItem.bytes, 0);
    const detail = kind === 'recomputed' || kind === 'workspace' ? '' : unitsText(alike, unit);
    const flight = detail !== '' && kind === 'activations' ? ' in flight' : '';
    return `${itemNames[kind]} ${bytes(size)}${detail === '' ? '' : ` (${detail}${flight})`}`;
  });
}

/** Stages that are named one by one. */
const mostStages = 4;

/** `6 microbatches`, `4 microbatches of s0 and 2 of s4`. */
function unitsText(items: readonly MemoryItem[], unit: Unit): string {
  const counted = items.filter((item) => item.count !== undefined);
  const total = counted.reduce((sum, memoryItem) => sum + (memoryItem.count ?? 0), 0);
  const all = unitCount(total, unit);
  if (counted.length === 0) return '';
  if (counted.length === 1 && counted[0].of === undefined) return all;
  if (counted.length > mostStages) return `${all} of ${counted.length} stages`;
  return list(
    counted.map(({ count: size = 0, stage = '', of }, index) => {
      const units = index === 0 ? unitCount(size, unit) : size.toLocaleString('en-US');
      return `${units} of ${stage}${of === undefined ? '' : ` for ${of}`}`;
    }),
  );
}

/** `2.5 GiB are reserved: context 1.5 GiB, communicators 1 GiB`; empty where nothing is. */
export function reservedText({
  memory,
  reserved_parts: parts,
}: Pick<DeviceReport, 'memory' | 'reserved_parts'>): string {
  if (!(memory.reserved > 0)) return '';
  const named = parts === undefined ? [] : Object.entries(parts).filter(([, size]) => size > 0);
  const detail = named.map(([name, size]) => `${name} ${bytes(size)}`).join(', ');
  return `${bytes(memory.reserved)} are reserved${detail === '' ? '' : `: ${detail}`}`;
}
