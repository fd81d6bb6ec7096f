import { pairedDraws } from '../../engine/analyze/pairedDraws.ts';
import type { PairedReport } from '../../engine/values/report.ts';
import type { RaceFigures } from '../worker/messages.ts';

/** A timeline in a comparison. */
export interface Runner {
  readonly id: number;
  /** `zb_h1`, `interleaved_1f1b(chunks = 2)`, `last saved`. */
  readonly name: string;
  /** What the name stands for, in small. */
  readonly note: string;
  /** Place of the entry in the extension's answer, if the file can be changed to it. */
  readonly adopt?: number;
  /** First line in which its text differs from the one on show. */
  readonly changed?: string;
  /** Names of others whose figures are equal: they have no row. */
  readonly equal?: readonly string[];
  /** The pipeline on show. */
  readonly own?: true;
  /** Absent while it is simulated. */
  readonly result?: RaceFigures | { readonly reason: string };
}

export type RaceOrder = 'iteration' | 'bubble' | 'peak';

/** Differences to the baseline: seconds, share of the baseline, points of a share, bytes. */
export interface Deltas {
  readonly seconds: number;
  readonly relative: number;
  readonly bubble: number;
  readonly peak: number;
  /** Draw by draw, if times are random. */
  readonly paired?: PairedReport;
}

export interface Standing {
  readonly runner: Runner;
  readonly figures?: RaceFigures;
  /** Why it does not run; undefined while it is simulated. */
  readonly reason?: string;
  /** Absent for the baseline itself. */
  readonly deltas?: Deltas;
  readonly winner: boolean;
}

export interface Standings {
  readonly rows: readonly Standing[];
  /** Seconds of the longest timeline. */
  readonly longest: number;
  readonly baseline?: Standing;
  readonly winner?: Standing;
}

/** `interleaved_1f1b(chunks = 2)` is a variant of `interleaved_1f1b`. */
export const family = (name: string): string => name.replace(/\(.*$/s, '');

const figuresOf = ({ result }: Runner): RaceFigures | undefined =>
  result === undefined || 'reason' in result ? undefined : result;

const before = (a: RaceFigures, b: RaceFigures): boolean => (a.fits === b.fits ? a.iteration < b.iteration : a.fits);

/** Of the variants of one policy, the shortest that fits; if none fits, the shortest. Runners of `kept` always stay. Pure. */
export function bestVariants(runners: readonly Runner[], kept: readonly number[]): readonly Runner[] {
  const best = new Map<string, Runner>();
  for (const runner of runners) {
    if (kept.includes(runner.id)) continue;
    const key = family(runner.name);
    const [known, here] = [best.get(key), figuresOf(runner)];
    const there = known === undefined ? undefined : figuresOf(known);
    if (known === undefined || (here !== undefined && (there === undefined || before(here, there))))
      best.set(key, runner);
  }
  return runners.filter((runner) => kept.includes(runner.id) || best.get(family(runner.name)) === runner);
}

/** Figures that differ by less than this share do so by rounding. */
const rounding = 1e-9;

const alike = (a: number, b: number): boolean => Math.abs(a - b) <= rounding * Math.max(Math.abs(a), Math.abs(b));

const equalFigures = (a: RaceFigures, b: RaceFigures): boolean =>
  a.fits === b.fits &&
  alike(a.iteration, b.iteration) &&
  alike(a.makespan, b.makespan) &&
  alike(1 - a.bubble, 1 - b.bubble) &&
  alike(a.peak, b.peak) &&
  alike(a.capacity, b.capacity) &&
  a.draws?.length === b.draws?.length &&
  (a.draws ?? []).every((seconds, draw) => alike(seconds, b.draws?.[draw] ?? NaN));

/** Runners whose figures are equal, in one: the first of `kept` among them, otherwise the first of all. Runners of `kept` stay. Pure. */
export function joinEqual(runners: readonly Runner[], kept: readonly number[]): readonly Runner[] {
  const isKept = ({ id }: Runner): boolean => kept.includes(id);
  const heads: Runner[] = [];
  const names = new Map<number, readonly string[]>();
  for (const runner of [...runners.filter(isKept), ...runners.filter((each) => !isKept(each))]) {
    const figures = figuresOf(runner);
    const head =
      figures === undefined || isKept(runner)
        ? undefined
        : heads.find((other) => {
            const known = figuresOf(other);
            return known !== undefined && equalFigures(known, figures);
          });
    if (head === undefined) heads.push(runner);
    else names.set(head.id, [...(names.get(head.id) ?? []), runner.name]);
  }
  return runners
    .filter((runner) => heads.includes(runner))
    .map((runner) => {
      const equal = names.get(runner.id);
      return equal === undefined ? runner : { ...runner, equal };
    });
}

/** Runners in order, with their differences to the baseline. Those that do not run come last. Pure. */
export function standings(runners: readonly Runner[], order: RaceOrder, baseline: number): Standings {
  const base = runners.find(({ id }) => id === baseline);
  const of = base === undefined ? undefined : figuresOf(base);
  const running = runners.flatMap((runner) => figuresOf(runner) ?? []);
  const best = running
    .filter(({ fits }) => fits)
    .reduce((least, { iteration }) => Math.min(least, iteration), Infinity);
  let won = false;
  const rows = runners
    .map((runner): Standing => {
      const figures = figuresOf(runner);
      if (figures === undefined) {
        const { result } = runner;
        return {
          runner,
          winner: false,
          ...(result !== undefined && 'reason' in result ? { reason: result.reason } : {}),
        };
      }
      const winner = running.length > 1 && !won && figures.fits && figures.iteration === best;
      won ||= winner;
      const deltas = of === undefined || runner.id === baseline ? undefined : deltasOf(figures, of);
      return { runner, figures, winner, ...(deltas === undefined ? {} : { deltas }) };
    })
    .toSorted((a, b) => rank(a, order) - rank(b, order));
  return {
    rows,
    longest: running.reduce((most, { makespan }) => Math.max(most, makespan), 0),
    baseline: rows.find(({ runner }) => runner.id === baseline),
    winner: rows.find(({ winner }) => winner),
  };
}

function rank({ figures, reason }: Standing, order: RaceOrder): number {
  if (figures !== undefined) return figures[order];
  // Those still to come stand before those that cannot run.
  return reason === undefined ? Number.MAX_VALUE : Number.POSITIVE_INFINITY;
}

function deltasOf(figures: RaceFigures, base: RaceFigures): Deltas {
  const paired =
    figures.draws === undefined || base.draws === undefined ? undefined : pairedDraws(figures.draws, base.draws);
  return {
    seconds: figures.iteration - base.iteration,
    relative: base.iteration > 0 ? figures.iteration / base.iteration - 1 : 0,
    bubble: figures.bubble - base.bubble,
    peak: figures.peak - base.peak,
    ...(paired === undefined ? {} : { paired }),
  };
}
