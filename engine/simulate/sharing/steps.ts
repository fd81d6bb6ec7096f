/** Exchanges that no rule orders, where stages share links: buckets during the last backwards, and what follows the last operations. */
import type { TimedCall } from '../../values/exchangePlan.ts';
import { callNetwork, type CallNetwork, type Flight } from './callNetwork.ts';
import { type Participant, runTogether } from './together.ts';

export interface SharedSteps {
  readonly links: Float64Array;
  /** In the order in which they get ready. */
  readonly buckets: readonly {
    /** Its place in `SharedStepEnds.bucketEnd`. */
    readonly index: number;
    readonly ready: number;
    readonly calls: readonly TimedCall[];
    readonly devices: readonly number[];
  }[];
  /** By device: seconds at which it has nothing else to do, and what it exchanges after that and after its buckets. */
  readonly ready: Float64Array;
  readonly sync: readonly (readonly TimedCall[])[];
  /** Devices with the same number exchange with each other, from when all of them are ready. */
  readonly holders: Int32Array | undefined;
}

/** When each device has exchanged everything, and by how much its exchanges are slower. */
export interface SharedStepEnds {
  readonly exchanged: Float64Array;
  readonly slowed: Float64Array;
  /** Seconds at which each bucket has been exchanged. */
  readonly bucketEnd: Float64Array;
}

/** `undefined` if no exchange slows another down. */
export function sharedStepEnds(steps: SharedSteps): SharedStepEnds | undefined {
  const { links, buckets, sync, holders } = steps;
  const calls = [...buckets.flatMap((bucket) => bucket.calls), ...sync.flat()];
  const network = callNetwork(
    links,
    calls.flatMap(({ passes }) => passes),
  );
  const ends = steps.ready.slice();
  const devicesOf = new Map<number, number[]>();
  ends.forEach((_, device) => {
    const group = holders?.[device] ?? device;
    devicesOf.set(group, [...(devicesOf.get(group) ?? []), device]);
  });
  const slowed = new Float64Array(ends.length);
  const times = { exchanged: ends, slowed, bucketEnd: new Float64Array(buckets.length) };
  const inBuckets = bucketSender(steps, times, network);
  const afterwards = [...devicesOf.values()].map((devices) => syncSender(steps, devices, times, inBuckets, network));
  runTogether([inBuckets, ...afterwards], network);
  return slowed.some((seconds) => seconds > 0) ? times : undefined;
}

interface BucketSender extends Participant {
  /** A device has no bucket left to exchange. */
  isDone(device: number): boolean;
}

/** A device has one exchange at a time, and buckets go in the order in which they get ready. */
function bucketSender(
  { buckets }: SharedSteps,
  { exchanged: ends, slowed, bucketEnd }: SharedStepEnds,
  network: CallNetwork,
): BucketSender {
  const left = new Int32Array(ends.length);
  for (const { devices } of buckets) for (const device of devices) left[device] += 1;
  const busy = new Uint8Array(ends.length);
  const waiting = new Uint8Array(ends.length);
  let pending = [...buckets];
  let running: { readonly bucket: SharedSteps['buckets'][number]; readonly sequence: Sequence }[] = [];
  let clock = -Infinity;
  return {
    isDone: (device) => left[device] === 0,
    next: () => pending.find(({ ready }) => ready > clock)?.ready ?? Infinity,
    step(now) {
      clock = Math.max(clock, now);
      waiting.set(busy);
      pending = pending.filter((bucket) => {
        const { devices, ready, calls } = bucket;
        const starts = ready <= now && devices.every((device) => waiting[device] === 0);
        for (const device of devices) waiting[device] = 1;
        if (!starts) return true;
        for (const device of devices) busy[device] = 1;
        running.push({ bucket, sequence: sequenceOf(calls, now, network) });
        return false;
      });
    },
    ended(flight) {
      running = running.filter(({ bucket, sequence }) => {
        if (!sequence.ended(flight)) return true;
        bucketEnd[bucket.index] = flight.ends;
        for (const device of bucket.devices) {
          ends[device] = Math.max(ends[device], flight.ends);
          slowed[device] += sequence.slowed();
          busy[device] = 0;
          left[device] -= 1;
        }
        return false;
      });
    },
  };
}

/** What devices exchange with each other after all of their operations and buckets. */
function syncSender(
  { sync }: SharedSteps,
  devices: readonly number[],
  { exchanged: ends, slowed }: SharedStepEnds,
  buckets: BucketSender,
  network: CallNetwork,
): Participant {
  const secondsOf = (device: number): number => sync[device].reduce((sum, { seconds }) => sum + seconds, 0);
  const exchanging = devices.filter((device) => secondsOf(device) > 0);
  const startAt = (): number =>
    exchanging.length > 0 && devices.every((device) => buckets.isDone(device))
      ? devices.reduce((latest, device) => Math.max(latest, ends[device]), 0)
      : Infinity;
  let sequence: Sequence | undefined;
  return {
    next: () => (sequence === undefined ? startAt() : Infinity),
    step(now) {
      if (sequence === undefined && startAt() <= now) sequence = sequenceOf(sync[exchanging[0]], now, network);
    },
    ended(flight) {
      if (sequence?.ended(flight) !== true) return;
      // They send the same, but for what some of them exchange with others.
      const most = secondsOf(exchanging[0]);
      for (const device of exchanging) {
        ends[device] = flight.ends + (secondsOf(device) - most);
        slowed[device] += sequence.slowed();
      }
    },
  };
}

interface Sequence {
  /** The call is the one in flight. */
  isAt(flight: Flight): boolean;
  /** The call that has ended is the last of the sequence. */
  ended(flight: Flight): boolean;
  /** Seconds by which its calls are longer than they are alone. */
  slowed(): number;
}

/** Calls one after the other, from `now` on. */
export function sequenceOf(calls: readonly TimedCall[], now: number, network: CallNetwork): Sequence {
  let at = 0;
  let slowed = 0;
  let flight = network.start(calls[0], now);
  return {
    slowed: () => slowed,
    isAt: (other) => other === flight,
    ended(ended) {
      if (ended !== flight) return false;
      if (flight.isSlowed) slowed += Math.max(0, flight.ends - flight.start - flight.call.seconds);
      at += 1;
      if (at === calls.length) return true;
      flight = network.start(calls[at], flight.ends);
      return false;
    },
  };
}
