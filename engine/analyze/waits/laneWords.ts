/** What lanes do, in words. */
import type { LaneTimeline } from '../../values/exchangeTimeline.ts';
import { bytes, count, time } from '../../basics/quantities.ts';
import type { Timeline } from '../../values/timeline.ts';
import type { LaneCause, PieceCause } from './chainTypes.ts';
import type { WaitStep } from './waitSteps.ts';

/** The layer of a tensor. */
export function layerOf(
  { exchange }: Timeline,
  tensor: { readonly lane: number; readonly tensor: number } | undefined,
): string {
  const layer = tensor === undefined ? undefined : exchange?.lanes[tensor.lane].plan.tensors[tensor.tensor].layer;
  return layer ?? 'a layer';
}

/** `fc6`, `fc6 and conv5`, `fc6 and 3 layers before it`: gradients get ready from the back. */
function layersOf({ plan, buckets: { offsets, members } }: LaneTimeline, bucket: number): string {
  const names = Array.from(members.subarray(offsets[bucket], offsets[bucket + 1]), (at) => plan.tensors[at].layer);
  return names.length < 3 ? names.join(' and ') : `${names[0]} and ${names.length - 1} other layers`;
}

/** `gradients of fc6 on the lane of gpu[0], 16 MB in 4 pieces`. */
export function stepOnLane({ exchange, timing }: Timeline, cause: PieceCause | LaneCause | undefined): string {
  const lane = cause === undefined ? undefined : exchange?.lanes[cause.lane];
  if (cause === undefined || lane === undefined) return 'the exchange of gradients';
  const layers = layersOf(lane, cause.bucket);
  if (cause.kind === 'lane')
    return cause.why === 'credit'
      ? `no credit is left until a piece of ${layers} gives its credit back`
      : `gradients of ${layers} are sent with the next cycle`;
  const apart = timing.exchange?.rule.halves === 'apart';
  const servers = lane.plan.calls.some(({ pull }) => pull !== undefined);
  const pushes = cause.leg === 'sent';
  const what = apart ? (pushes ? 'reduce-scatter' : 'all-gather') : servers ? (pushes ? 'push' : 'pull') : 'exchange';
  const size = `${bytes(cause.bytes)}${cause.pieces > 1 ? ` in ${count(cause.pieces, 'piece', 'pieces')}` : ''}`;
  return cause.ahead
    ? `the lane of ${lane.plan.name} is busy with the ${what} of ${layers}, ${size}`
    : `${what} of ${layers} on the lane of ${lane.plan.name}, ${size}`;
}

/** Seconds of the chain on each lane. */
export function usingLane(
  { exchange }: Timeline,
  steps: readonly WaitStep[],
): readonly { readonly seconds: number; readonly words: string }[] {
  const seconds = new Map<number, number>();
  for (const { exchange: cause, work } of steps)
    if (cause !== undefined) seconds.set(cause.lane, (seconds.get(cause.lane) ?? 0) + work);
  return [...seconds].map(([lane, all]) => ({
    seconds: all,
    words: `${time(all)} of it on the lane of ${exchange?.lanes[lane].plan.name ?? ''}`,
  }));
}
