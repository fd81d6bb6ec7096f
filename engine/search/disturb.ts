import type { Layout } from './layout.ts';
import type { Random } from './random.ts';

/** Changes keys at random places, by a few operations' time. `typical`: ticks of an operation. */
export function disturb(layout: Layout, keys: Float64Array, typical: number, random: Random): void {
  const { problem, stages, local } = layout;
  const { microbatches: m, devices } = problem;
  const draw = (): number => (random.share() - 0.5) * 2 * typical * (1 + random.whole(6));
  const shift = (code: number, from: number, to: number, by: number): void => {
    for (let at = code * m + from; at < code * m + to; at += 1) keys[at] += by;
  };
  switch (random.whole(5)) {
    case 0: {
      const from = random.whole(m);
      shift(local[random.whole(local.length)], from, Math.min(m, from + 1 + random.whole(m)), draw());
      return;
    }
    case 1: {
      const code = local[random.whole(local.length)];
      const kind = Math.floor(code / stages);
      const by = draw();
      const from = random.whole(m);
      for (let place = layout.first[layout.device[code]]; place < layout.first[layout.device[code] + 1]; place += 1)
        if (Math.floor(local[place] / stages) === kind) shift(local[place], from, m, by);
      return;
    }
    case 2: {
      for (let count = 1 + random.whole(5); count > 0; count -= 1) {
        const at = random.whole(m);
        shift(local[random.whole(local.length)], at, at + 1, draw());
      }
      return;
    }
    case 3: {
      const kind = random.whole(3);
      const by = draw() / Math.max(1, devices);
      const offset = random.whole(devices);
      for (let stage = 0; stage < stages; stage += 1)
        shift(kind * stages + stage, 0, m, by * (layout.device[stage] - offset));
      return;
    }
    default: {
      let last = 0;
      for (let at = 0; at < keys.length; at += 1) if (keys[at] > last) last = keys[at];
      const from = random.share() * last;
      const to = from + typical * (1 + random.whole(6 * devices));
      for (let at = 0; at < keys.length; at += 1) if (keys[at] >= from && keys[at] < to) keys[at] += draw();
    }
  }
}
