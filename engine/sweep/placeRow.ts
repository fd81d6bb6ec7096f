/** From the values of a row to what its pipeline says: ranks that fill the devices, microbatches of the same batch, stages. */
import type { Axis } from '../definitions/search.ts';
import type { Settings } from './axes.ts';
import { rankKeys } from './axes.ts';
import type { SweepBase } from './base.ts';
import { engineRefusal } from './engineRefusal.ts';
import { withoutShards } from './shardText.ts';
import { share } from '../basics/quantities.ts';
import { mostOff, samplesOf } from './ownBatch.ts';
import { hasStageCount } from './stageCount.ts';
import { groupOf, hasNamedChunks, scheduleName, stageChunks, takesChunks, withChunks } from './scheduleText.ts';

/** A row with nothing left open. */
export interface PlacedRow {
  readonly settings: Settings;
  readonly tensor: number;
  readonly context: number;
  readonly data: number;
  readonly expert: number;
  /** Pipeline ranks. */
  readonly ranks: number;
  readonly microBatch: number;
  readonly microbatches: number;
  /** Of an iteration. */
  readonly samples: number;
  readonly schedule: string;
  /** Undefined: the schedule decides, which the file declares. */
  readonly stages?: number;
}

/** Why a row is no row, in words that rows share. */
export interface RefusedRow {
  readonly refused: string;
}

/** The row, or why it cannot be; microseconds. */
export function placeRow(base: SweepBase, axes: readonly Axis[], asked: Settings): PlacedRow | RefusedRow {
  const number = (key: string): number | undefined => (key in asked ? Number(asked[key]) : undefined);
  const { mesh, microBatch: usualMicroBatch } = base.size;
  const tensor = number('tensor') ?? mesh.tensor;
  const context = number('context') ?? mesh.context;
  const expert = number('expert') ?? mesh.expert;
  const microBatch = number('micro_batch') ?? usualMicroBatch;
  const ofTensor = asked['tensor'] === '1' ? withoutKeys(axes, asked, ofTensorRanks, 'tensor rank') : asked;
  if ('refused' in ofTensor) return { refused: ofTensor.refused };
  const shared = sharedOut(base, ofTensor, tensor * context);
  if (shared === undefined) return { refused: `its ranks do not make up the ${base.devices} devices` };
  const { data } = shared;
  const isAlone = data * context === 1 && rankKeys.some((key) => key in asked);
  const settings = isAlone ? withoutKeys(axes, ofTensor, ofDataRanks, 'data rank') : ofTensor;
  if ('refused' in settings) return { refused: settings.refused };
  const written = settings['schedule'] ?? base.schedule;
  const chunks = settings['chunks'];
  const isChunked = chunks !== undefined && takesChunks(written);
  const first = axes.find(({ key }) => key === 'chunks')?.values[0];
  if (chunks !== undefined && !isChunked && chunks !== first)
    return { refused: `${scheduleName(written)} takes no "chunks": it is the same as another row` };
  const schedule = isChunked ? withChunks(written, chunks) : written;
  const isOwn = schedule === base.schedule && !followsParam(base, settings);
  const each = isOwn ? chunksOf(base) : stageChunks(schedule);
  // Only the schedule of the file may leave devices idle that a cut without a number of stages takes.
  const takesAll = !isOwn && (each === undefined || !hasStageCount(base.body));
  const ranks = takesAll ? Math.floor(base.devices / (tensor * context * data)) : shared.ranks;
  const samples = samplesOf(base, microBatch * data, groupOf(schedule, ranks));
  if (samples === undefined)
    return {
      refused: `the ${base.batch} samples of an iteration do not divide into its microbatches and data ranks${base.asked === undefined ? '' : `, and no number within ${share(mostOff)} does`}`,
    };
  const microbatches = samples / (microBatch * data);
  const stages = each === undefined ? undefined : each * ranks;
  const { layers } = base.size.model;
  if (stages !== undefined && stages > layers && stages !== base.stages)
    return { refused: `the ${layers} layers of the model are fewer than its stages` };
  const others = axes.find(({ key }) => key === 'schedule')?.values ?? [];
  if (ranks === 1 && (stageChunks(schedule) ?? 1) > 1 && others.some((other) => stageChunks(other) === 1))
    return { refused: 'one pipeline rank has nothing to interleave: a schedule without chunks is as fast' };
  const { optimizer } = settings;
  if (data * context === 1 && optimizer !== undefined && isSameAlone(axes, optimizer))
    return { refused: 'a shard has no effect on one data rank: it is the same as another row' };
  const row = { schedule, ranks, microbatches, data, context, ...(stages === undefined ? {} : { stages }) };
  const refused = engineRefusal(base, row, optimizer);
  if (refused !== undefined) return { refused };
  return {
    settings,
    ...{ tensor, context, data, expert, ranks, microBatch, microbatches, samples, schedule },
    ...(stages === undefined ? {} : { stages }),
  };
}

/** Whether an optimizer that comes before is the same without its shard. */
function isSameAlone(axes: readonly Axis[], optimizer: string): boolean {
  const values = axes.find(({ key }) => key === 'optimizer')?.values ?? [];
  const alone = withoutShards(optimizer);
  return values.slice(0, values.indexOf(optimizer)).some((other) => withoutShards(other) === alone);
}

/** Keys that say how tensor ranks work, and how data ranks do: on one of them they have no effect. */
export const ofTensorRanks: readonly string[] = ['sequence_parallel', 'expert_tensor'];
export const ofDataRanks: readonly string[] = ['sync'];

function withoutKeys(
  axes: readonly Axis[],
  settings: Settings,
  idle: readonly string[],
  rank: string,
): Settings | RefusedRow {
  for (const { key, values } of axes)
    if (idle.includes(key) && settings[key] !== values[0])
      return { refused: `"${key}" has no effect on one ${rank}: it is the same as another row` };
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !idle.includes(key)));
}

/** Whether the row gives a param another value and the schedule names its chunks: the stages of the file are then not its stages. */
const followsParam = ({ schedule, params, written }: SweepBase, settings: Settings): boolean =>
  hasNamedChunks(schedule) && params.some((name) => name in settings && settings[name] !== written(name));

/** Stages of a device in the file: what its schedule puts there. */
const chunksOf = ({ stages, ranks, schedule }: SweepBase): number | undefined =>
  stages === undefined || stages % ranks !== 0 ? stageChunks(schedule) : stages / ranks;

/** Pipeline and data ranks; data ranks are what is left, unless they are searched and pipeline ranks are not. */
function sharedOut(
  { devices, ranks: written, size: { mesh } }: SweepBase,
  settings: Settings,
  inner: number,
): { readonly ranks: number; readonly data: number } | undefined {
  if (!rankKeys.some((key) => key in settings)) return { ranks: written, data: mesh.data };
  const data = 'data' in settings ? Number(settings['data']) : undefined;
  const searched = 'pipeline' in settings ? Number(settings['pipeline']) : undefined;
  const ranks = searched ?? (data === undefined ? written : devices / (inner * data));
  const left = data ?? devices / (inner * ranks);
  const isWhole = Number.isInteger(ranks) && Number.isInteger(left) && inner * ranks * left === devices;
  return isWhole ? { ranks, data: left } : undefined;
}
