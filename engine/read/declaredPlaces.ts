/** Devices, stages and slots of the operations that a schedule declares, in its clock table. */
import type { PlacedNumbers } from '../definitions/scheduleEvaluator.ts';
import { type Frame, outside } from '../sequences/frame.ts';
import type { OperationKey } from './operations.ts';
import type { SlotEntry } from './slots.ts';
import type { NumberCode } from '../sequences/code.ts';

/** One operation of a device: its entry of the table, its stage, its number and its slot. */
export interface DeclaredPlace {
  readonly item: number;
  readonly stage: number;
  readonly microbatch: number;
  readonly slot: number;
}

/** The entries of a clock table, or of operations that a rule runs. */
interface PlacedTable {
  readonly entries: readonly (Pick<SlotEntry, 'operation' | 'name'> & {
    readonly at?: { readonly stage: number | undefined };
  })[];
}

/** By device; `undefined` where a device is wrong (reported). A negative slot leaves an operation out. */
export function declaredPlaces(
  frame: Frame,
  { entries }: PlacedTable,
  numbers: PlacedNumbers,
  slotAt: (item: number, stage: number, microbatch: number) => number,
): readonly (readonly DeclaredPlace[])[] | undefined {
  const places: DeclaredPlace[][] = Array.from({ length: numbers.devices }, () => []);
  if (entries.every(({ operation }) => operation === undefined)) return places;
  const homes = homesOf(numbers);
  for (const [item, { operation, at, name }] of entries.entries()) {
    if (operation === undefined) continue;
    const written = at?.stage === undefined ? 1 : numbers.stages;
    for (let stage = 0; stage < written; stage += 1)
      for (let microbatch = 0; microbatch < numbers.microbatches; microbatch += 1) {
        const slot = slotAt(item, stage, microbatch);
        if (!(slot >= 0)) continue;
        const asked = at?.stage === undefined ? undefined : stage;
        const device =
          operation.on === undefined
            ? homeOf(numbers, homes[stage], stage, microbatch)
            : deviceOf(frame, numbers, { key: operation.on, name, stage: asked, microbatch });
        if (device === undefined) return undefined;
        places[device].push({ item, stage: asked ?? stageOn(numbers, device, microbatch), microbatch, slot });
      }
  }
  return places;
}

/** Devices of each stage; several where it has copies. */
function homesOf({ stages, stagesOf }: PlacedNumbers): readonly (readonly number[])[] {
  const homes: number[][] = Array.from({ length: stages }, () => []);
  for (const [device, here] of stagesOf.all.entries()) for (const stage of here) homes[stage].push(device);
  return homes;
}

/** The device that runs a stage for a microbatch. */
const homeOf = (
  { stagesOf: { running } }: PlacedNumbers,
  homes: readonly number[],
  stage: number,
  microbatch: number,
): number | undefined =>
  homes.find((device) => running === undefined || running(device, microbatch).includes(stage)) ?? homes.at(0);

/** The first stage of a device, as in rows that name none; where stages have copies, the first that runs the microbatch there. */
const stageOn = ({ stagesOf: { all, running } }: PlacedNumbers, device: number, microbatch: number): number =>
  running?.(device, microbatch).at(0) ?? all[device][0];

interface Asked {
  readonly key: OperationKey<NumberCode>;
  readonly name: SlotEntry['name'];
  readonly stage: number | undefined;
  readonly microbatch: number;
}

/** What `on` of the operation says; `undefined` for a device that cannot run it (reported). */
function deviceOf(
  frame: Frame,
  { devices, stagesOf }: PlacedNumbers,
  { key, name, stage, microbatch }: Asked,
): number | undefined {
  for (const [slot, of] of key.slots) frame.slots[slot] = of === 'j' ? microbatch : (stage ?? NaN);
  const device = key.code.at(frame);
  const runs = (of: number): boolean =>
    stage === undefined ? stagesOf.all[of].length > 0 : stagesOf.all[of].includes(stage);
  if (Number.isInteger(device) && device >= 0 && device < devices && runs(device)) return device;
  const able = Array.from({ length: devices }, (_, each) => each).filter(runs);
  const allowed =
    stage === undefined && able.length === devices
      ? `a whole number from 0 to ${devices - 1}`
      : `a device that holds ${stage === undefined ? 'a stage' : 'this stage'}: ${able.join(', ')}`;
  const what = `The device of ${name}${stage === undefined ? '' : ` of stage ${stage}`}, microbatch ${microbatch}`;
  outside(frame, key.at, what, String(device), allowed);
  return undefined;
}
