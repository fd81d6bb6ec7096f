import type { Layout } from './layout.ts';
import type { Random } from './random.ts';

/** Longest distance between microbatches that are moved alike. */
const longestPeriod = 12;

/** Changes keys at random places, by the time of a few operations. `typical`: ticks of an operation. */
export function disturb(layout: Layout, keys: Float64Array, typical: number, random: Random): void {
  const { problem, stages, local, first, device: deviceOf } = layout;
  const { microbatches, devices } = problem;
  const draw = (): number => (random.share() - 0.5) * 2 * typical * (1 + random.whole(6));
  const shift = (code: number, from: number, to: number, every: number, by: number): void => {
    for (let at = code * microbatches + from; at < code * microbatches + to; at += every) keys[at] += by;
  };
  const anyCode = (): number => local[random.whole(local.length)];
  switch (random.whole(7)) {
    case 0: {
      // A code over a window of microbatches.
      const from = random.whole(microbatches);
      shift(anyCode(), from, Math.min(microbatches, from + 1 + random.whole(microbatches)), 1, draw());
      return;
    }
    case 1: {
      // A kind on a device.
      const code = anyCode();
      const from = random.whole(microbatches);
      const by = draw();
      for (let place = first[deviceOf[code]]; place < first[deviceOf[code] + 1]; place += 1)
        if (Math.floor(local[place] / stages) === Math.floor(code / stages))
          shift(local[place], from, microbatches, 1, by);
      return;
    }
    case 2: {
      // A few operations.
      for (let count = 1 + random.whole(5); count > 0; count -= 1) {
        const at = random.whole(microbatches);
        shift(anyCode(), at, at + 1, 1, draw());
      }
      return;
    }
    case 3: {
      // A kind on all devices, the farther from one of them the more.
      const kind = random.whole(3);
      const by = draw() / devices;
      const middle = random.whole(devices);
      for (let stage = 0; stage < stages; stage += 1)
        shift(kind * stages + stage, 0, microbatches, 1, by * (deviceOf[stage] - middle));
      return;
    }
    case 4: {
      // Every k-th operation of a code.
      const every = 1 + random.whole(Math.min(microbatches, longestPeriod));
      shift(anyCode(), random.whole(every), microbatches, every, draw());
      return;
    }
    case 5: {
      // Every k-th microbatch on neighbouring stages.
      const every = 1 + random.whole(Math.min(microbatches, longestPeriod));
      const kind = random.whole(3);
      const slope = random.whole(2) === 0 ? 0 : (random.share() - 0.5) * 2 * typical;
      const from = random.whole(stages);
      const to = Math.min(stages, from + 1 + random.whole(stages));
      const turn = random.whole(every);
      const by = draw();
      for (let stage = from; stage < to; stage += 1)
        shift(kind * stages + stage, turn, microbatches, every, by + slope * (stage - from));
      return;
    }
    default:
      disturbWindow(keys, typical, devices, random);
  }
}

/** All operations in a window of time. */
function disturbWindow(keys: Float64Array, typical: number, devices: number, random: Random): void {
  let last = 0;
  for (let at = 0; at < keys.length; at += 1) if (keys[at] > last) last = keys[at];
  const from = random.share() * last;
  const to = from + typical * (1 + random.whole(6 * devices));
  for (let at = 0; at < keys.length; at += 1)
    if (keys[at] >= from && keys[at] < to) keys[at] += (random.share() - 0.5) * 2 * typical * (1 + random.whole(6));
}
