/** What a row changes in the file, and the row that changes nothing. */
import type { Axis } from '../definitions/search.ts';
import { rowCount, rowOf, settingsOf } from './axes.ts';
import type { SweepBase } from './base.ts';
import { ofDataRanks, ofTensorRanks, placeRow } from './placeRow.ts';
import { scheduleName } from './scheduleText.ts';
import { hasValue } from './usualValues.ts';

export interface Change {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** What a row changes in the file, without what has no effect. */
export function changesOf(base: SweepBase, axes: readonly Axis[], row: number): readonly Change[] {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  if ('refused' in placed) return [];
  const before = knownValues(base);
  const after: Readonly<Record<string, string | number | undefined>> = {
    tensor: placed.tensor,
    context: placed.context,
    pipeline: placed.ranks,
    data: placed.data,
    expert: placed.expert,
    global_batch: placed.samples,
    micro_batch: placed.microBatch,
    microbatches: placed.microbatches,
    stages: placed.stages,
    schedule: placed.schedule,
    ...Object.fromEntries(Object.entries(placed.settings).filter(([key]) => !(key in before) && key !== 'chunks')),
  };
  return Object.entries(after).flatMap(([key, to]) => {
    const from = ownValue(base, key);
    return to === undefined || isSame(base, key, from, to)
      ? []
      : [{ key, from: String(from ?? 'not set'), to: String(to) }];
  });
}

type Value = string | number | undefined;

/** What the engine makes of the file; other keys are what the file writes. */
const knownValues = ({ size, batch, ranks, stages, schedule }: SweepBase): Readonly<Record<string, Value>> => ({
  tensor: size.mesh.tensor,
  context: size.mesh.context,
  pipeline: ranks,
  data: size.mesh.data,
  expert: size.mesh.expert,
  global_batch: batch,
  micro_batch: size.microBatch,
  microbatches: size.microbatches,
  stages,
  schedule,
});

/** What every row has for a key that is not searched. */
const ownValue = (base: SweepBase, key: string): Value => {
  const known = knownValues(base);
  return key in known ? known[key] : base.written(key);
};

const isSame = ({ body }: SweepBase, key: string, from: Value, to: Value): boolean =>
  String(from) === String(to) || hasValue(body, key, String(to));

/** Whether the file has this value for a key. */
export const isOwnValue = (base: SweepBase, key: string, value: string): boolean =>
  isSame(base, key, ownValue(base, key), value);

/** The row with the values that the file has; undefined if no row has all of them. */
export function writtenRow(base: SweepBase, axes: readonly Axis[]): number | undefined {
  const isOwn = (key: string, value: string): boolean => {
    // The chunks of a row are part of its schedule, and some keys are of no row with one rank.
    if (key === 'chunks' || ofTensorRanks.includes(key) || ofDataRanks.includes(key)) return true;
    if (key === 'schedule' && scheduleName(value) === scheduleName(base.schedule)) return true;
    return isOwnValue(base, key, value);
  };
  const own = axes.map(({ key, values }) => ({ key, values: values.filter((value) => isOwn(key, value)) }));
  for (let at = 0; at < rowCount(own); at += 1) {
    const settings = settingsOf(own, at);
    const row = rowOf(axes, settings);
    if (!('refused' in placeRow(base, axes, settings)) && changesOf(base, axes, row).length === 0) return row;
  }
  return undefined;
}
