/** How far published runs of the kind of a plan are off, as `docs/accuracy.md` has them. */
import type { DeviceReport } from '../values/report.ts';
import type { AccuracyReport, RunKind, SpreadReport } from '../values/accuracy.ts';
import { type PublishedErrors, publishedErrors } from './publishedErrors.ts';

/** Runs that say something of their kind; with fewer, a wider kind is asked. */
const fewest = 5;

/** Share of further runs of a kind that the interval has. */
const covered = 0.8;

/** What a kind gives up first to find more runs. Mixtures say little of dense models, so that comes last. */
const wider: readonly (readonly (keyof RunKind)[])[] = [
  ['device', 'format', 'experts', 'nodes'],
  ['device', 'format', 'experts'],
  ['device', 'experts'],
  ['experts'],
  [],
];

interface Found {
  readonly errors: readonly number[];
  readonly of: Partial<RunKind>;
}

/** Errors of the runs of a kind, or of the least wide kind that has enough. */
function errorsOf(kind: RunKind, figure: PublishedErrors['figure']): Found {
  for (const keys of wider) {
    if (keys.includes('device') && kind.device === undefined) continue;
    const errors = publishedErrors
      .filter((each) => each.figure === figure && keys.every((key) => each[key] === kind[key]))
      .flatMap((each) => each.errors);
    if (errors.length >= fewest) return { errors, of: Object.fromEntries(keys.map((key) => [key, kind[key]])) };
  }
  return { errors: [], of: {} };
}

/**
 * Half of the interval: the k-th smallest error without its sign, k = ⌈0.8 · (n + 1)⌉. If runs of a kind are exchangeable, one more
 * is as likely to come in any place among them. So it is within the interval with a probability of at least 0.8, whatever the errors'
 * distribution (Vovk et al., *Algorithmic Learning in a Random World*, 2005, chapter 2). It needs four runs at least.
 */
export function halfInterval(errors: readonly number[]): number {
  const sizes = errors.map(Math.abs).toSorted((a, b) => a - b);
  // 0.8 is a little more than four fifths in binary.
  return sizes[Math.ceil(covered * (sizes.length + 1) - 1e-9) - 1];
}

interface Spread extends SpreadReport {
  readonly errors: readonly number[];
}

const known = new Map<string, Spread | undefined>();

/** The spread of a kind, which a search asks for in each row. */
function spreadOf(kind: RunKind, figure: PublishedErrors['figure']): Spread | undefined {
  const key = [figure, kind.device, kind.format, kind.experts, kind.nodes].join();
  if (!known.has(key)) known.set(key, spreadOfErrors(errorsOf(kind, figure)));
  return known.get(key);
}

function spreadOfErrors({ errors, of }: Found): Spread | undefined {
  if (errors.length < fewest) return undefined;
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  return { share: halfInterval(errors), mean, runs: errors.length, of, errors };
}

/**
 * Undefined for layers that are measured: their figures are as good as what the file says. Runs that train all weights are no measure
 * for runs that train a part: what the first hold is mostly what the others lack.
 */
export function accuracyOf(
  kind: RunKind | undefined,
  devices: readonly Pick<DeviceReport, 'peak' | 'capacity' | 'workspaces'>[],
): AccuracyReport | undefined {
  if (kind === undefined) return undefined;
  if (kind.part === true) return { kind };
  const time = kind.device === undefined ? undefined : spreadOf(kind, 'time');
  const memory = spreadOf(kind, 'memory');
  // Published figures are of allocators, which have the workspaces too.
  const fitsWith = (error: number): boolean =>
    devices.every(({ peak, capacity, workspaces = 0 }) => (peak + workspaces) * (1 + error) <= capacity + workspaces);
  return {
    kind,
    ...(time === undefined ? {} : { time: reported(time) }),
    ...(memory === undefined ? {} : { memory: { ...reported(memory), fit: memory.errors.filter(fitsWith).length } }),
  };
}

const reported = ({ share, mean, runs, of }: Spread): SpreadReport => ({ share, mean, runs, of });

/** If less than this share of a capacity is left, a peak at the end of its interval does not fit. Used unless the user sets a share. */
export function usualMargin(kind: RunKind | undefined): number {
  const share = kind === undefined || kind.part === true ? undefined : spreadOf(kind, 'memory')?.share;
  return share === undefined ? unknownMargin : share / (1 + share);
}

/** Where no run is like it. A published training of Moonlight holds 9 % more than it allocates; most runs less. */
export const unknownMargin = 0.06;
