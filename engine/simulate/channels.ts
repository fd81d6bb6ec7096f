import { kindOfRow, type Program, resultOf, resultsIn } from '../values/program.ts';
import { type Timing } from '../values/timeline.ts';

/**
 * True if no transfer can ever find its channel taken, so that each arrives a constant after its operation's end. Such a channel
 * has one sender, whose sending operations end at least their durations apart. No operation's transfers hold the channel for
 * longer than the shortest of those durations.
 */
export function transfersNeverQueue(program: Program, timing: Timing): boolean {
  // Who waits for a copy waits for its end, whatever is in its channel.
  if (timing.needCopy !== undefined) return false;
  const { stages, placement } = program;
  const sender = new Int32Array(timing.channels).fill(-1);
  const shortest = new Float64Array(timing.channels).fill(Infinity);
  const longest = new Float64Array(timing.channels);
  const results = resultsIn(program);
  const rows = timing.duration.length;
  const used = new Set<number>();
  for (let row = 0; row < rows; row += 1) {
    // B and I of a stage need the same, but only one of the two is in a program for one microbatch.
    if (kindOfRow(stages, row) === 2) continue;
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
      const channel = timing.needChannel[need];
      if (channel < 0 || timing.needOccupancy[need] === 0) continue;
      const result = timing.needs[need];
      const device = placement[result % stages];
      if (sender[channel] >= 0 && sender[channel] !== device) return false;
      sender[channel] = device;
      const at = channel * results * stages + result;
      // Two transfers of one result on one channel: the second would wait for the first.
      if (used.has(at)) return false;
      used.add(at);
      if (timing.needOccupancy[need] > longest[channel]) longest[channel] = timing.needOccupancy[need];
      for (let kind = 0; kind < rows / stages; kind += 1) {
        if (resultOf[kind] !== Math.trunc(result / stages)) continue;
        shortest[channel] = Math.min(shortest[channel], timing.duration[kind * stages + (result % stages)]);
      }
    }
  }
  return longest.every((most, channel) => most <= shortest[channel]);
}
