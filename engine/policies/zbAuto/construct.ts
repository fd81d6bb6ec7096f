import { type Heap, heapOf, pop, push } from '../../order/heap.ts';
import { type Problem, type Words, forwardKind, inputKind, weightKind } from './problem.ts';

/** The three switches of the construction. */
export interface Switches {
  /** No forward starts that would end after the next input gradient is ready. */
  readonly hold: boolean;
  /** A forward and an input gradient that are both ready take turns; otherwise the input gradient goes first. */
  readonly turns: boolean;
  /** A weight gradient also goes into a gap that is shorter than itself; otherwise only where no device has idled for longer. */
  readonly fill: boolean;
}

export const variants: readonly Switches[] = [false, true].flatMap((hold) =>
  [false, true].flatMap((turns) => [false, true].map((fill) => ({ hold, turns, fill }))),
);

/** Operations between two yields. */
export const operationsOfSlice = 250_000;

/** Room for building many orders of one problem. */
export interface Site {
  readonly forwards: Int32Array;
  readonly inputs: Int32Array;
  readonly weights: Int32Array;
  readonly free: Float64Array;
  readonly idle: Float64Array;
  /** Kind of each device's last F or I. */
  readonly last: Uint8Array;
  readonly forwardEnd: Float64Array;
  readonly inputEnd: Float64Array;
  readonly events: Heap;
}

export function siteFor({ devices, microbatches }: Problem): Site {
  return {
    forwards: new Int32Array(devices),
    inputs: new Int32Array(devices),
    weights: new Int32Array(devices),
    free: new Float64Array(devices),
    idle: new Float64Array(devices),
    last: new Uint8Array(devices),
    forwardEnd: new Float64Array(devices * microbatches),
    inputEnd: new Float64Array(devices * microbatches),
    events: heapOf(6 * devices * microbatches + devices),
  };
}

/**
 * Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 3.1: devices in order of time. Forwards run while memory allows,
 * then input gradients and forwards as they become ready. Weight gradients run in the gaps and where memory is short, the rest at
 * the end. `limits` are bytes by device; each must hold one microbatch, and then the order is complete and ends. O(n log n) for n
 * operations. False if it got stuck. Yields now and then, so that a long one may be put off.
 */
export function* construct(
  { devices, microbatches, duration, transfer, activation, forWeight }: Problem,
  limits: Float64Array,
  { hold, turns, fill }: Switches,
  site: Site,
  words: Words,
): Generator<void, boolean> {
  const { forwards, inputs, weights, free, idle, last, forwardEnd, inputEnd, events } = site;
  const [forwardTime, inputTime, weightTime] = duration;
  for (const times of [forwards, inputs, weights]) times.fill(0);
  for (const times of [free, idle]) times.fill(0);
  for (const times of [forwardEnd, inputEnd]) times.fill(Infinity);
  last.fill(inputKind);
  events.size = 0;
  push(events, 0, 0);
  let most = 0;

  /** The kind that a free device starts now, or −1 to wait. */
  const choose = (device: number, now: number): number => {
    const base = device * microbatches;
    const forward = forwards[device];
    const input = inputs[device];
    const waiting = input - weights[device];
    const kept = activation[device];
    const after = forWeight[device];
    const limit = limits[device];
    const inputAt =
      input >= forward
        ? Infinity
        : device + 1 < devices
          ? inputEnd[base + microbatches + input] + transfer[device]
          : forwardEnd[base + input];
    // What F leaves must let the next I end, too.
    const held = forward - input;
    const room = (held + 1) * kept <= limit && held * kept + after <= limit;
    let forwardAt = Infinity;
    if (forward < microbatches && room)
      forwardAt = device > 0 ? forwardEnd[base - microbatches + forward] + transfer[device - 1] : 0;
    const fits = (held + 1) * kept + waiting * after <= limit;
    const inputFits = (held - 1) * kept + (waiting + 1) * after <= limit;
    if (inputAt <= now && !(turns && last[device] === inputKind && forwardAt <= now))
      return inputFits ? inputKind : weightKind;
    if (forwardAt <= now) {
      if (!fits) return weightKind;
      if (inputAt <= now || !hold || inputAt >= now + forwardTime[device]) return forwardKind;
      if (waiting > 0 && now + weightTime[device] <= inputAt) return weightKind;
      return -1;
    }
    if (waiting === 0) return -1;
    const next = Math.min(inputAt, forwardAt);
    if (fill || now + weightTime[device] <= next || next === Infinity) return weightKind;
    return idle[device] + next - now > most ? weightKind : -1;
  };

  const total = 3 * microbatches;
  let done = 0;
  while (events.size > 0) {
    const now = events.keys[0];
    const device = pop(events);
    if (free[device] > now) continue;
    const at = forwards[device] + inputs[device] + weights[device];
    if (at === total) continue;
    const kind = choose(device, now);
    if (kind < 0) continue;
    if (at > 0) {
      idle[device] += now - free[device];
      if (idle[device] > most) most = idle[device];
    }
    words[device * total + at] = kind;
    done += 1;
    if (done % operationsOfSlice === 0) yield;
    if (kind === forwardKind) {
      const end = now + forwardTime[device];
      forwardEnd[device * microbatches + forwards[device]] = end;
      forwards[device] += 1;
      last[device] = kind;
      free[device] = end;
      if (device + 1 < devices) push(events, end + transfer[device], device + 1);
    } else if (kind === inputKind) {
      const end = now + inputTime[device];
      inputEnd[device * microbatches + inputs[device]] = end;
      inputs[device] += 1;
      last[device] = kind;
      free[device] = end;
      if (device > 0) push(events, end + transfer[device - 1], device - 1);
    } else {
      weights[device] += 1;
      free[device] = now + weightTime[device];
    }
    push(events, free[device], device);
  }
  return done === devices * total;
}
