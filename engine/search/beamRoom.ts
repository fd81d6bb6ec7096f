/** Whether the orders of a beam have the bytes to go on. An order that could get stuck is left at once. */
import { addedBytes, type Slots } from './beamSlots.ts';
import { rounding } from './bytes.ts';
import type { Layout } from './layout.ts';

export interface BeamRoom {
  /** 1 for each device whose limit could matter. */
  readonly isBinding: Uint8Array;
  /** Whether a device has room for the next operation of a code. */
  fits(now: Slots, slot: number, code: number): boolean;
  /** Whether the order can go on after the next F of a stage. */
  isSafe(now: Slots, slot: number, stage: number): boolean;
}

export function beamRoom(layout: Layout): BeamRoom {
  const { problem, stages, codes, device: deviceOf } = layout;
  const { devices, microbatches, activation, forWeight, weight, limit } = problem;
  const levels = new Float64Array(devices);
  /** Bytes of a microbatch on all stages of a device. */
  const whole = new Float64Array(devices);
  for (let stage = 0; stage < stages; stage += 1) whole[deviceOf[stage]] += activation[stage];
  /** Whether no I leaves more for W than F took. */
  const freesAll = forWeight.every((bytes, stage) => bytes <= activation[stage]);

  const fits = (now: Slots, slot: number, code: number): boolean => {
    const device = deviceOf[code];
    return (
      code >= 2 * stages || now.level[slot * devices + device] + addedBytes(layout, code) <= limit[device] * rounding
    );
  };

  /**
   * Whether every microbatch of an order can end: the oldest goes through all its stages, gives its bytes back, and so on. All W
   * that can run give their bytes back first.
   */
  const canGoOn = (now: Slots, slot: number): boolean => {
    const counts = slot * codes;
    for (let on = 0; on < devices; on += 1) levels[on] = now.level[slot * devices + on];
    let oldest = microbatches;
    for (let stage = 0; stage < stages; stage += 1) {
      const ended = now.counts[counts + stages + stage];
      oldest = Math.min(oldest, ended);
      if (weight[stage] > 0)
        levels[deviceOf[stage]] -= (ended - now.counts[counts + 2 * stages + stage]) * forWeight[stage];
    }
    // With room for a whole microbatch on every device, the oldest can end, and after it the next.
    let hasRoom = freesAll;
    for (let on = 0; on < devices && hasRoom; on += 1) hasRoom = levels[on] + whole[on] <= limit[on] * rounding;
    if (hasRoom) return true;
    for (let microbatch = oldest; microbatch < now.counts[counts]; microbatch += 1) {
      for (let stage = 0; stage < stages; stage += 1) {
        if (now.counts[counts + stage] > microbatch) continue;
        const on = deviceOf[stage];
        levels[on] += activation[stage];
        if (levels[on] > limit[on] * rounding) return false;
      }
      for (let stage = stages - 1; stage >= 0; stage -= 1) {
        if (now.counts[counts + stages + stage] > microbatch) continue;
        const on = deviceOf[stage];
        levels[on] -= activation[stage];
        if (weight[stage] > 0 && levels[on] + forWeight[stage] > limit[on] * rounding) return false;
      }
    }
    return true;
  };

  const isSafe = (now: Slots, slot: number, stage: number): boolean => {
    const own = slot * devices + deviceOf[stage];
    now.counts[slot * codes + stage] += 1;
    now.level[own] += activation[stage];
    const safe = canGoOn(now, slot);
    now.counts[slot * codes + stage] -= 1;
    now.level[own] -= activation[stage];
    return safe;
  };
  return { isBinding: bindingDevices(layout), fits, isSafe };
}

function bindingDevices({
  problem: { devices, device, activation, forWeight, weight, limit, microbatches },
}: Layout): Uint8Array {
  const most = new Float64Array(devices);
  for (const [stage, on] of device.entries())
    most[on] += microbatches * Math.max(activation[stage], weight[stage] > 0 ? forWeight[stage] : 0);
  return Uint8Array.from(most, (bytes, on) => (bytes > limit[on] ? 1 : 0));
}
