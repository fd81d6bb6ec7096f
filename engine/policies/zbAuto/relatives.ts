/** Orders of named policies in words of kinds, to compare with. */
import { type Problem, type SearchProblem, type Words, forwardKind, inputKind, weightKind } from './problem.ts';
import { headsOf } from './timing.ts';

export interface Relative {
  readonly name: string;
  /** Forwards first, and input gradients that W runs behind its own, by device. */
  warmup(devices: number, device: number): number;
  lag(devices: number, device: number): number;
}

export const relatives: readonly Relative[] = [
  { name: '1f1b', warmup: (devices, device) => devices - device, lag: () => 0 },
  { name: 'zb_h1', warmup: (devices, device) => devices - device, lag: (_, device) => device },
  { name: 'eager_1f1b', warmup: (devices, device) => 2 * (devices - device) - 1, lag: () => 0 },
  { name: 'zb_h2', warmup: (devices, device) => 2 * (devices - device) - 1, lag: (_, device) => 2 * device },
];

/**
 * Between zb_h1 (`held` = p) and zb_h2 (`held` = 2p − 1): that many microbatches in flight on every device, of which no more than
 * zb_h2's are forwards first.
 */
export function mixture(held: number): Relative {
  const warmup = (devices: number, device: number): number => Math.min(held - device, 2 * (devices - device) - 1);
  return {
    name: `a mixture of zb_h1 and zb_h2 with ${held} in flight`,
    warmup,
    lag: (devices, device) => held - warmup(devices, device),
  };
}

/** What an even span may be varied by, so that whole microbatches meet uneven times best. */
interface Variation {
  /** Forwards more than fit before the first input gradient arrives. */
  readonly more: number;
  /** Part of a weight gradient by which lags are rounded up, and weight gradients by which all of them are longer. */
  readonly round: number;
  readonly later: number;
}

const variations: readonly Variation[] = [0, 1].flatMap((more) =>
  [0, 0.5].flatMap((round) => [0, 1].map((later) => ({ more, round, later }))),
);

/** Forwards first and lags of weight gradients, by device. */
interface Depths {
  readonly warmups: Int32Array;
  readonly lags: Int32Array;
}

/**
 * zb_h2 for the times of this pipeline: every device should work for one span without a pause, each starting when its first forward
 * arrives. A device fills the time until its first input gradient with forwards. It starts later than the first device, and its last
 * input gradient ends earlier: weight gradients fill both differences at its end, so that many lag behind their input gradients.
 */
function evenDepths(problem: SearchProblem, { more, round, later }: Variation): Depths {
  const { devices, microbatches, duration, transfer } = problem;
  const [forward, input, weight] = duration;
  const heads = headsOf(problem);
  const last = devices - 1;
  // Ticks that an input gradient takes from the device up to the first one.
  const up = new Float64Array(devices);
  for (let device = 1; device < devices; device += 1)
    up[device] = up[device - 1] + input[device] + transfer[device - 1];
  const warmups = new Int32Array(devices);
  const lags = new Int32Array(devices);
  for (let device = 0; device < devices; device += 1) {
    const untilInput = heads[last] + forward[last] + (up[last] - up[device]) - heads[device];
    const fitting = largest(untilInput / forward[device]) + (device < last ? more : 0);
    warmups[device] = Math.max(1, Math.min(microbatches, fitting));
    lags[device] = Math.min(microbatches, largest((heads[device] + up[device]) / weight[device] + round) + later);
  }
  return { warmups, lags };
}

/** Activations that a device of these depths holds at most: kept ones, and those for W as `share` of one each. */
const heldAtMost = (warmup: number, lag: number, share: number): number =>
  Math.max(warmup + lag * share, warmup - 1 + (lag + 1) * share);

/**
 * Even spans that keep the limits. For each variation, one that holds `held` whole activations on a device at most, for every
 * whole number that makes a difference, from the largest. A device gives up weight gradients that lag first, and then forwards.
 * What a tighter limit allows is among what a wider one allows.
 */
export function* evenSpans(problem: SearchProblem): Generator<Relative, void> {
  const { devices, activation, forWeight, limits } = problem;
  const shares = Float64Array.from(activation, (kept, device) => (kept > 0 ? forWeight[device] / kept : 1));
  const natural = variations.map((variation) => evenDepths(problem, variation));
  // The most that any would hold, and no more than a device that would hold too much has room for.
  let most = 0;
  let room = Infinity;
  for (const { warmups, lags } of natural) {
    for (let device = 0; device < devices; device += 1) {
      const held = heldAtMost(warmups[device], lags[device], shares[device]);
      most = Math.max(most, Math.ceil(held));
      if (held * activation[device] > limits[device])
        room = Math.min(room, Math.ceil(limits[device] / activation[device]));
    }
  }
  for (const held of limitsThatMatter(natural, shares, Math.min(most, room))) {
    for (const depths of natural) {
      const warmups = depths.warmups.map((warmup) => Math.min(warmup, held));
      const lags = depths.lags.map((lag, device) => {
        const share = shares[device];
        const warmup = warmups[device];
        if (share === 0) return lag;
        return Math.max(
          0,
          Math.min(lag, Math.floor((held - warmup) / share), Math.floor((held + 1 - warmup) / share) - 1),
        );
      });
      const fits = warmups.every((warmup, device) => {
        const [kept, after, lag] = [activation[device], forWeight[device], lags[device]];
        const level = Math.max(warmup * kept + lag * after, (warmup - 1) * kept + (lag + 1) * after);
        return level <= limits[device];
      });
      if (!fits) continue;
      yield {
        name: 'zb_h2 with the warm-up and lags for these times',
        warmup: (_, device) => warmups[device],
        lag: (_, device) => lags[device],
      };
    }
  }
}

/**
 * Whole numbers from `most` down to 1 at which the depths may change. W may need many times what F keeps, as where everything is
 * recomputed: most numbers in between then change nothing.
 */
function limitsThatMatter(
  natural: readonly ReturnType<typeof evenDepths>[],
  shares: Float64Array,
  most: number,
): Iterable<number> {
  const limits = new Set<number>([most]);
  for (const { warmups, lags } of natural)
    for (const [device, warmup] of warmups.entries()) {
      for (let held = 1; held <= warmup; held += 1) limits.add(held);
      for (let lag = 0; lag <= lags[device]; lag += 1) limits.add(Math.ceil(heldAtMost(warmup, lag, shares[device])));
    }
  return [...limits].filter((held) => held >= 1 && held <= most).toSorted((a, b) => b - a);
}

/** The whole number at or below a quotient, which may be of nothing by nothing. */
const largest = (quotient: number): number => (quotient > 0 ? Math.min(Math.floor(quotient + 1e-9), 2 ** 30) : 0);

/** Writes a relative's order into `words`. */
export function relativeWords({ devices, microbatches }: Problem, relative: Relative, words: Words): void {
  let at = 0;
  for (let device = 0; device < devices; device += 1) {
    const warmup = Math.min(microbatches, relative.warmup(devices, device));
    const lag = relative.lag(devices, device);
    for (let count = 0; count < warmup; count += 1) words[at++] = forwardKind;
    for (let input = 0; input < microbatches; input += 1) {
      words[at++] = inputKind;
      if (input >= lag) words[at++] = weightKind;
      if (input + warmup < microbatches) words[at++] = forwardKind;
    }
    for (let weight = Math.max(0, microbatches - lag); weight < microbatches; weight += 1) words[at++] = weightKind;
  }
}
