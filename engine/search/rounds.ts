/**
 * Orders in rounds: after a warm-up, each round has a forward on every device, first device first, and an input gradient on every
 * device, last device first. Weight gradients go into the gaps. Qi et al., "Zero Bubble Pipeline Parallelism" (2023), section 3.1.
 */
import { rounding } from './bytes.ts';
import type { Layout, Words } from './layout.ts';

/** Choices that the authors try in all combinations. */
interface Choices {
  /** The warm-up leaves a gap before the first input gradient, rather than delay it by a forward. */
  readonly waits: boolean;
  /** A device that is two forwards ahead of the next one leaves a forward out if it would delay input gradients. */
  readonly holds: boolean;
  /** Weight gradients also go into gaps that are shorter than they are, even if another device idles longer. */
  readonly fills: boolean;
}

const choices: readonly Choices[] = [true, false].flatMap((waits) =>
  [true, false].flatMap((holds) => [true, false].map((fills) => ({ waits, holds, fills }))),
);

/** Fills in the words of each order that fits. Nothing unless each device has one stage with a weight gradient, in a line. */
export function* roundOrders(layout: Layout, words: Words): Generator<void, void> {
  const { device, weight } = layout.problem;
  if (device.some((on, stage) => on !== stage) || weight.some((ticks) => !(ticks > 0))) return;
  for (const chosen of choices) if (writeRounds(layout, chosen, words)) yield;
}

const [forwardKind, inputKind, weightKind] = [0, 1, 2];

/** False if the memory does not allow an order of this kind. */
function writeRounds({ problem, offsets, indexOf }: Layout, { waits, holds, fills }: Choices, words: Words): boolean {
  const { devices, microbatches, forward, input, weight, transfer, activation, forWeight, limit } = problem;
  const cursor = offsets.slice(0, devices);
  const free = new Float64Array(devices);
  const held = new Float64Array(devices);
  /** Ticks that a device has waited since its first forward. */
  const idle = new Float64Array(devices);
  const done = [new Int32Array(devices), new Int32Array(devices), new Int32Array(devices)];
  const [forwards, inputs, weights] = done;
  const ends = [new Float64Array(devices * microbatches), new Float64Array(devices * microbatches)];
  const most = limit.map((bytes) => bytes * rounding);
  const ticksOf = [forward, input, weight];
  const takes = [activation, forWeight.map((bytes, at) => bytes - activation[at]), forWeight.map((bytes) => -bytes)];

  /** When what the next operation of a device needs has come. */
  const arrival = (device: number, kind: number): number => {
    const from = kind === forwardKind ? device - 1 : device + 1;
    if (kind === weightKind || from < 0 || from === devices) return 0;
    return ends[kind][from * microbatches + done[kind][device]] + transfer[Math.min(device, from)];
  };
  const put = (device: number, kind: number): void => {
    const start = Math.max(free[device], arrival(device, kind));
    if (forwards[device] > 0) idle[device] += start - free[device];
    free[device] = start + ticksOf[kind][device];
    held[device] += takes[kind][device];
    if (kind !== weightKind) ends[kind][device * microbatches + done[kind][device]] = free[device];
    done[kind][device] += 1;
    words[cursor[device]] = indexOf[kind * devices + device];
    cursor[device] += 1;
  };
  const hasWeight = (device: number): boolean => weights[device] < inputs[device];
  /** Puts weight gradients for the bytes of an operation and into the gap before it, and then the operation; false if there is no room. */
  const putNext = (device: number, kind: number): boolean => {
    while (held[device] + takes[kind][device] > most[device]) {
      if (!hasWeight(device)) return false;
      put(device, weightKind);
    }
    const comes = arrival(device, kind);
    while (hasWeight(device) && free[device] + weight[device] <= comes) put(device, weightKind);
    if (hasWeight(device) && free[device] < comes) {
      const isLess = comes - free[device] <= longestIdle() - idle[device];
      if (fills || !isLess) put(device, weightKind);
    }
    if (kind === inputKind && device === 0 && forwards[device] === microbatches)
      while (hasWeight(device)) put(device, weightKind);
    put(device, kind);
    return true;
  };
  const longestIdle = (): number => idle.reduce((longest, ticks) => Math.max(longest, ticks), 0);

  for (let device = 0; device < devices; device += 1) {
    if (takes[forwardKind][device] > most[device]) return false;
    put(device, forwardKind);
  }
  const more = new Int32Array(devices);
  let ready = free[devices - 1] + input[devices - 1];
  for (let device = devices - 2; device >= 0; device -= 1) {
    const comes = ready + transfer[device];
    let [at, bytes] = [free[device], held[device]];
    while (1 + more[device] < microbatches && bytes + activation[device] <= most[device]) {
      if (waits ? at + forward[device] > comes : at >= comes) break;
      at += forward[device];
      bytes += activation[device];
      more[device] += 1;
    }
    ready = Math.max(at, comes) + input[device];
  }
  for (let device = 1; device < devices; device += 1)
    while (more[device] > 0 && more[device] >= more[device - 1]) more[device] -= 1;
  for (let device = 0; device < devices; device += 1)
    for (let count = 0; count < more[device]; count += 1) put(device, forwardKind);
  for (let device = devices - 1; device >= 0; device -= 1) put(device, inputKind);

  /** Whether a device does without a forward in this round, so as not to delay an input gradient. */
  const isHeld = (device: number): boolean => {
    const next = device + 1;
    if (!holds || next === devices || forwards[device] < forwards[next] + 2) return false;
    const comes = free[next] + forward[next] + input[next] + transfer[device];
    if (free[device] >= comes) return true;
    let [ticks, bytes] = [0, held[device] + activation[device]];
    for (let left = inputs[device] - weights[device]; bytes > most[device] && left > 0; left -= 1) {
      ticks += weight[device];
      bytes -= forWeight[device];
    }
    if (free[device] + forward[device] + ticks <= comes) return false;
    return comes - free[device] <= longestIdle() - idle[device];
  };
  const takesPart = new Uint8Array(devices);
  for (let round = 1; round < microbatches; round += 1) {
    for (let device = 0; device < devices; device += 1)
      takesPart[device] = forwards[device] < microbatches && !isHeld(device) ? 1 : 0;
    // A device that goes without makes those before it go without.
    for (let device = devices - 2; device >= 0; device -= 1) takesPart[device] &= takesPart[device + 1];
    for (let device = 0; device < devices; device += 1)
      if (takesPart[device] === 1 && !putNext(device, forwardKind)) return false;
    for (let device = devices - 1; device >= 0; device -= 1) if (!putNext(device, inputKind)) return false;
  }
  for (let device = 0; device < devices; device += 1) while (weights[device] < microbatches) put(device, weightKind);
  return true;
}
