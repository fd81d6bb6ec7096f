/**
 * PipeDream's dynamic program, one level of bandwidth at a time. Narayanan et al., "PipeDream" (2019), section 3.1:
 * T_k(i..j, m) = 1/m · max(A_{k−1}(i..j, m_{k−1}), 2(m − 1)·Σ|w_l| / B_k), and
 * A_k(i..j, m) = min over s, m' of max(A_k(i..s, m − m'), 2·a_s / B_k, T_k(s+1..j, m')), where A_0 is Σ T_l.
 *
 * The released code (msr-fiddle/pipedream, optimizer_graph_hierarchical.py) has 1/m · (A_{k−1} + 4(m − 1)/m · Σ|w_l| / B_k) for T_k,
 * where the exchange of the first stage of an outer level is divided by the machines of the level inside. It leaves transfers out unless
 * they are compressed. Different from both, machines may be left over.
 */
import type { PipedreamProblem } from './pipedreamProblem.ts';
import type { States } from './states.ts';

/** Layers that are in set `to` and not in set `from`, on machines of the innermost level. */
export interface LevelStage {
  readonly from: number;
  readonly to: number;
  readonly machines: readonly number[];
}

/** A stage of one level. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly replicas: number;
}

interface Bounds {
  /** Plans whose slowest stage is slower than this are left out. */
  readonly slowest: number;
  /** Steps after which the search gives up. */
  readonly steps: number;
}

/** Steps between two yields: some 5 ms. */
const slice = 2_000_000;
/** Sets of which each pair is planned on inner levels: 18 MB for each number of replicas around them. */
const mostInside = 1500;

/** A search that has begun. */
interface Run extends PipedreamProblem {
  readonly states: States;
  readonly bounds: Bounds;
  /** Plans whose slowest stage is slower are left out, with room for rounding. */
  readonly limit: number;
  /** By set: seconds of all layers in it, for all microbatches. */
  readonly compute: Float64Array;
  /** By level and replicas around it: seconds of an update of the layers between two sets on one machine of the level. */
  readonly inside: Map<string, Float64Array>;
  steps: number;
  /** Steps at which it yields next. */
  pause: number;
}

/** The plan over the sets of layers; `undefined`: the budget ended. */
export function* pipedreamLevels(
  problem: PipedreamProblem,
  states: States,
  bounds: Bounds,
): Generator<void, { readonly stages: readonly LevelStage[]; readonly seconds: number } | undefined> {
  const { levels, microbatches } = problem;
  if (levels.length > 1 && states.count > mostInside) return undefined;
  const limit = bounds.slowest * (1 + 1e-12);
  const run: Run = {
    ...problem,
    states,
    bounds,
    limit,
    compute: states.seconds.map((value) => microbatches * value),
    inside: new Map(),
    steps: 0,
    pause: slice,
  };
  return yield* stagesOf(run, {
    level: levels.length - 1,
    around: 1,
    start: 0,
    end: states.count - 1,
    bases: [0],
    most: limit,
    enough: 0,
  });
}

const allows = ({ replicates, microbatches }: Run, replicas: number): boolean =>
  replicas === 1 || (replicates && (microbatches === 1 || microbatches % replicas === 0));

interface Program {
  readonly level: number;
  /** Replicas that outer levels make of everything here. */
  readonly around: number;
  readonly start: number;
  /** Joins the slowest stage before with one more, or sums of squares. */
  readonly join: 'max' | 'squares';
  /** Stages slower than this are left out. */
  readonly limit: number;
  /** The last set that matters; absent: each set is an end. */
  readonly end?: number;
}

interface Table {
  /** For the layers between the start and a set, on at most `machines` machines. */
  value(machines: number, set: number): number;
  /** Stages as pairs of sets, in order, with their replicas. */
  trace(machines: number, set: number): readonly Step[];
}

/** 1 for a set and all that contain it. */
function behind(states: States, start: number): Uint8Array {
  const found = new Uint8Array(states.count);
  if (states.below === undefined) return found.fill(1, start);
  found[start] = 1;
  for (let set = start + 1; set < states.count; set += 1) if (isIn(states.below[set], start)) found[set] = 1;
  return found;
}

function* fill(
  run: Run,
  { level, around, start, join, limit: most, end }: Program,
): Generator<void, Table | undefined> {
  const { levels, microbatches, replicates, objective, states, compute, bounds } = run;
  const { count, gradients, sent } = states;
  const reach = end ?? count - 1;
  const { machines, bandwidth } = levels[level];
  const best = new Float64Array((machines + 1) * count).fill(Infinity);
  const before = new Int32Array(best.length);
  const taken = new Int32Array(best.length);
  for (let used = 0; used <= machines; used += 1) best[used * count + start] = 0;
  const choices = Array.from({ length: machines }, (_, index) => index + 1).filter((value) =>
    allows(run, around * value),
  );
  const times: (Float64Array | undefined)[] = [];
  for (const replicas of choices) {
    if (level === 0) break;
    const table = yield* insideOf(run, level - 1, microbatches === 1 || !replicates ? 1 : around * replicas);
    if (table === undefined) return undefined;
    times[replicas] = table;
  }
  const within = level === 0 ? 1 : levels[level - 1].machines;
  // A part computes for so long at most; more work than that needs another one.
  const longest =
    most * (level === 0 ? 1 : levels.slice(0, level).reduce((product, inner) => product * inner.machines, 1));
  // Work that takes no time needs no machines of its own: each stage has one.
  const needed = (seconds: number): number =>
    longest > 0 && longest < Infinity ? Math.ceil((seconds / longest) * (1 - 1e-9)) : 0;
  const isBehind = behind(states, start);
  for (let to = start + 1; to <= reach; to += 1) {
    if (isBehind[to] === 0) continue;
    const last = end === undefined ? machines : machines - needed(compute[end] - compute[to]);
    const below = states.below?.[to];
    const all = below?.length ?? to;
    run.steps += all;
    for (let index = below === undefined ? start : 0; index < all; index += 1) {
      const from = below === undefined ? index : below[index];
      if (isBehind[from] === 0) continue;
      const computing = compute[to] - compute[from];
      const least = Math.max(1, needed(computing));
      const first = needed(compute[from] - compute[start]);
      if (first + least > last || best[(last - least) * count + from] === Infinity) continue;
      let again = 0;
      if (level === 0 && states.again !== undefined) {
        again = microbatches * states.again.seconds(from, to);
        run.steps += states.again.steps;
      }
      const weights = gradients[to] - gradients[from];
      // What enters the first stage comes over an outer level.
      const transfer = from === start ? 0 : (2 * microbatches * sent[from]) / bandwidth;
      if (objective === 'paper' && transfer > most) continue;
      for (const replicas of choices) {
        if (replicas < least) continue;
        if (first + replicas > last) break;
        // A part of an outer level is cut further, and its stages recompute what each of them counts.
        const time = times[replicas]?.[from * count + to] ?? computing + again;
        const exchange = ((replicas - 1) * weights) / bandwidth;
        const stage =
          objective === 'paper'
            ? Math.max(Math.max(time, 2 * exchange) / replicas, transfer)
            : (time + (4 * exchange) / replicas / (from === start ? within : 1)) / replicas;
        run.steps += 1;
        if (stage > most) continue;
        run.steps += last - first - replicas;
        const added = join === 'max' ? stage : stage * stage;
        for (let used = first + replicas; used <= last; used += 1) {
          const rest = best[(used - replicas) * count + from];
          const value = join === 'max' ? (rest > added ? rest : added) : rest + added;
          const at = used * count + to;
          if (!(value < best[at])) continue;
          best[at] = value;
          before[at] = from;
          taken[at] = replicas;
        }
      }
    }
    if (run.steps > bounds.steps) return undefined;
    if (run.steps < run.pause) continue;
    run.pause = run.steps + slice;
    yield;
  }
  return {
    value: (used, set) => best[used * count + set],
    trace(used, set) {
      const found: Step[] = [];
      for (let at = set, left = used; at > start;) {
        const replicas = taken[left * count + at];
        found.push({ from: before[left * count + at], to: at, replicas });
        at = before[left * count + at];
        left -= replicas;
      }
      return found.toReversed();
    },
  };
}

/** Seconds that one replica of a stage may take so that the stage takes no more than `goal`. */
function enoughOf(
  { levels, objective, states: { gradients } }: Run,
  level: number,
  { from, to, replicas }: Step,
  start: number,
  goal: number,
): number {
  const exchange = ((replicas - 1) * (gradients[to] - gradients[from])) / levels[level].bandwidth;
  const within = from === start ? levels[level - 1].machines : 1;
  return objective === 'paper' ? goal * replicas : goal * replicas - (4 * exchange) / replicas / within;
}

/** For each two sets, at `from · count + to`: what one part of the level above takes for the layers between them. */
function* insideOf(run: Run, level: number, around: number): Generator<void, Float64Array | undefined> {
  const { inside, levels, limit } = run;
  const { count } = run.states;
  const key = `${level} ${around}`;
  const known = inside.get(key);
  if (known !== undefined) return known;
  const made = new Float64Array(count * count).fill(Infinity);
  // Outer levels divide it by their machines at most.
  const outer = levels.slice(level + 1).reduce((product, plannerLevel) => product * plannerLevel.machines, 1);
  const most = limit * outer * (1 + 1e-12);
  for (let start = 0; start < count - 1; start += 1) {
    const table = yield* fill(run, { level, around, start, join: 'max', limit: most });
    if (table === undefined) return undefined;
    for (let to = start + 1; to < count; to += 1) made[start * count + to] = table.value(levels[level].machines, to);
  }
  inside.set(key, made);
  return made;
}

/** The layers between two sets, on one level. */
interface Part {
  readonly level: number;
  readonly around: number;
  readonly start: number;
  readonly end: number;
  /** First machines of all parts of this level that do the same. */
  readonly bases: readonly number[];
  readonly most: number;
  /** Seconds of the slowest stage that are fast enough, since something else is as slow. */
  readonly enough: number;
}

/** Stages of the layers between two sets. */
function* stagesOf(
  run: Run,
  { level, around, start, end, bases, most, enough }: Part,
): Generator<void, { readonly stages: readonly LevelStage[]; readonly seconds: number } | undefined> {
  const { levels, microbatches, replicates } = run;
  const { machines } = levels[level];
  const slowest = yield* fill(run, { level, around, start, join: 'max', limit: most, end });
  if (slowest === undefined) return undefined;
  const seconds = slowest.value(machines, end);
  const goal = Math.max(seconds, enough);
  let fewest = machines;
  while (fewest > 1 && slowest.value(fewest - 1, end) <= goal) fewest -= 1;
  const even = yield* fill(run, { level, around, start, join: 'squares', limit: goal * (1 + 1e-12), end });
  if (even === undefined) return undefined;
  const unit = levels.slice(0, level).reduce((product, plannerLevel) => product * plannerLevel.machines, 1);
  const stages: LevelStage[] = [];
  let next = 0;
  for (const step of even.trace(fewest, end)) {
    const { from, to, replicas } = step;
    const first = next;
    next += replicas;
    const copies = bases.flatMap((base) => Array.from({ length: replicas }, (_, at) => base + (first + at) * unit));
    if (level === 0) stages.push({ from, to, machines: copies });
    else {
      const inner = microbatches === 1 || !replicates ? 1 : around * replicas;
      const within = yield* stagesOf(run, {
        level: level - 1,
        around: inner,
        start: from,
        end: to,
        bases: copies,
        most: Infinity,
        enough: enoughOf(run, level, step, start, goal),
      });
      if (within === undefined) return undefined;
      stages.push(...within.stages);
    }
  }
  return { stages, seconds };
}

/** Whether an ascending list has a number. */
function isIn(list: Int32Array, number: number): boolean {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < number) low = middle + 1;
    else high = middle;
  }
  return low < list.length && list[low] === number;
}
