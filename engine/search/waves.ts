import type { Layout } from './layout.ts';
import type { Random } from './random.ts';

/** An order in waves, in ticks: its keys follow from these numbers. If memory is short, the best orders are nearly of this kind. */
interface Wave {
  /** Microbatches of a wave. */
  length: number;
  /** From a wave to the next, and from a stage to the next. */
  period: number;
  hop: number;
  /** From a microbatch to the next of its wave: forwards, and input gradients. */
  forward: number;
  input: number;
  /** From the first forward of a wave to its first input gradient. */
  turn: number;
  /** From an input gradient to its weight gradient, and by how much more on each stage. */
  lag: number;
  more: number;
}

const names = ['length', 'period', 'hop', 'forward', 'input', 'turn', 'lag', 'more'] as const;

/** Draws a wave. `held`: microbatches that a device may hold. `typical`: ticks of an operation. */
export function drawWave({ problem, stages, local }: Layout, typical: number, held: number, random: Random): Wave {
  const period = (typical * local.length) / problem.devices;
  const most = Math.floor(held);
  const length = random.whole(3) === 0 ? 1 + random.whole(most + 2) : most + random.whole(3) - 1;
  return {
    length: Math.max(1, length),
    period: Math.max(1, length) * period * (1 + random.share()),
    hop: typical * (0.5 + random.share()),
    forward: typical * random.share() * 3,
    input: typical * random.share() * 3,
    turn: typical * stages * (0.5 + random.share() * 1.5),
    lag: typical * random.share() * stages,
    more: (random.share() - 0.5) * 2 * typical,
  };
}

/** A wave with a few other numbers. */
export function disturbWave(wave: Wave, typical: number, random: Random): Wave {
  const other = { ...wave };
  for (let count = 1 + random.whole(3); count > 0; count -= 1) {
    const name = names[random.whole(names.length)];
    const shift = random.share() * 2 - 1;
    if (name === 'length') other.length = Math.max(1, other.length + random.whole(3) - 1);
    else if (random.whole(2) === 0) other[name] *= 1 + shift * 0.2;
    else other[name] += shift * typical;
  }
  return other;
}

export function waveKeys({ problem, stages }: Layout, wave: Wave, keys: Float64Array): void {
  const { microbatches } = problem;
  for (let stage = 0; stage < stages; stage += 1)
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
      const start = Math.floor(microbatch / wave.length) * wave.period;
      const turn = microbatch % wave.length;
      const input = start + wave.turn + turn * wave.input + (stages - 1 - stage) * wave.hop;
      keys[stage * microbatches + microbatch] = start + turn * wave.forward + stage * wave.hop;
      keys[(stages + stage) * microbatches + microbatch] = input;
      keys[(2 * stages + stage) * microbatches + microbatch] = input + wave.lag + stage * wave.more;
    }
}
