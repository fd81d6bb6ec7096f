/**
 * The last stages of DAPPLE's plans, transfers among them, as far as the latency of the whole plan depends on them.
 *
 * A suffix with pivot Q has these figures:
 * 1. P = F_Q + B_Q. F and B are the sums of all steps up to Q, and E is its ending phase.
 * 2. L = F + (M − 1)P + E.
 * 3. D = (M − 1)P + F + B − P. A step in front becomes the pivot if (M − 1)(F_s + B_s) > D.
 * 4. Λ is the ending phase of the whole suffix counted from its start, as it remains if a step in front becomes the pivot.
 *
 * Let two suffixes start with the same layer and replicas. One *dominates* the other if it takes no more machines and none of its
 * D, D + P, L and Λ is larger. Then no plan gets longer if the dominating suffix replaces the other. Proof, by induction over the
 * steps (f, b, AR) in front:
 * 1. Both keep their pivots: L' = max(L + f, D + P + f + AR + b), D' = D + f + b, Λ' = max(Λ − b, AR) do not decrease in
 *    L, D, D + P, Λ.
 * 2. Both take the new pivot: L' = f + (M − 1)(f + b) + max(AR + b, Λ − b), and everything else is equal or depends on Λ alone.
 * 3. Only the dominating one does (its D is smaller): (M − 1)(f + b) ≤ D of the other, so that D' and D' + P' are no larger. Its
 *    L' ≤ max(D + P + f + AR + b, L + f) of the other because P ≥ B_Q and Λ + B ≤ E + B_Q.
 */
import type { PlannedStage } from './layers.ts';

interface Size {
  readonly layers: number;
  readonly machines: number;
  readonly microbatches: number;
  /** Suffixes of least latency that are kept for each first layer, number of machines and replicas. */
  readonly kept: number;
  /** Whether the replicas of the first stage matter to the transfer before it. */
  readonly alone: boolean;
}

/** A stage that was put in front of a suffix. */
interface Stage {
  readonly from: number;
  readonly to: number;
  readonly replicas: number;
  readonly used: number;
  /** −1: of none. */
  readonly rest: number;
}

/** Figures of a suffix in `numbers`, the last one the latency that no plan with it is below. `EARLY`, `LATE`: ending phase of the steps up to the pivot, and of those behind it. */
const [P, PB, F, B, EARLY, LATE, D, L, END, LEAST] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const figures = 10;
/** Figures of a stage in `links`. */
const [TO, REPLICAS, USED, REST] = [0, 1, 2, 3];
const fields = 4;

/** Puts a step in front of the figures at `at`. `turns`: microbatches but one. */
function before(
  turns: number,
  from: Float64Array,
  at: number,
  f: number,
  b: number,
  reduce: number,
  into: Float64Array,
): void {
  const [p, forward, backward] = [from[at + P], from[at + F], from[at + B]];
  if (turns * (f + b) > turns * p + (forward + backward - p)) {
    into[LATE] = Math.max(from[at + EARLY] - (b + backward), from[at + LATE] - (b + backward - from[at + PB]));
    into[P] = f + b;
    into[PB] = b;
    into[F] = f;
    into[B] = b;
    into[EARLY] = reduce + b;
  } else {
    into[P] = p;
    into[PB] = from[at + PB];
    into[F] = f + forward;
    into[B] = b + backward;
    into[EARLY] = Math.max(from[at + EARLY], reduce + into[B]);
    into[LATE] = from[at + LATE];
  }
}

/** Figures that follow from the others. `turns`: microbatches but one. */
function derive(turns: number, made: Float64Array): void {
  made[D] = turns * made[P] + (made[F] + made[B] - made[P]);
  made[L] = made[F] + turns * made[P] + Math.max(made[EARLY], made[LATE]);
  made[END] = Math.max(made[EARLY] - made[B], made[LATE] - (made[B] - made[PB]));
}

const dominates = (one: Float64Array, a: number, other: Float64Array, b: number): boolean =>
  one[a + L] <= other[b + L] &&
  one[a + D] <= other[b + D] &&
  one[a + D] + one[a + P] <= other[b + D] + other[b + P] &&
  one[a + END] <= other[b + END];

export type Suffixes = ReturnType<typeof suffixesOf>;

export function suffixesOf({ layers, machines, microbatches, kept, alone }: Size) {
  const turns = microbatches - 1;
  const width = machines + 1;
  let count = 0;
  let comparisons = 0;
  let numbers = new Float64Array(1024 * figures);
  let links = new Int32Array(1024 * fields);
  const cells: (number[] | undefined)[][] = Array.from({ length: layers }, () => []);
  /** The suffix and transfer that stages are put in front of, and what `put` makes. */
  const base = new Float64Array(figures);
  const made = new Float64Array(figures);
  let empty = true;

  /** Numbers of suffixes that nothing refers to. */
  const free: number[] = [];
  const store = ({ to, replicas, used, rest }: Stage): number => {
    const suffix = free.pop() ?? count;
    if (suffix === count) count += 1;
    if (count * figures > numbers.length) {
      const [oldNumbers, oldLinks] = [numbers, links];
      numbers = new Float64Array(2 * oldNumbers.length);
      numbers.set(oldNumbers);
      links = new Int32Array(2 * oldLinks.length);
      links.set(oldLinks);
    }
    numbers.set(made, suffix * figures);
    links[suffix * fields + TO] = to;
    links[suffix * fields + REPLICAS] = replicas;
    links[suffix * fields + USED] = used;
    links[suffix * fields + REST] = rest;
    return suffix;
  };

  return {
    /** Suffixes that are kept. */
    count: () => count - free.length,
    /** Pairs of suffixes that have been compared. */
    comparisons: () => comparisons,
    used: (suffix: number): number => links[suffix * fields + USED],
    replicas: (suffix: number): number => links[suffix * fields + REPLICAS],
    /** Stages are put in front of nothing. */
    start(): void {
      empty = true;
    },
    /** Stages are put in front of a suffix and a transfer of `seconds` to it. */
    send(suffix: number, seconds: number): void {
      empty = false;
      before(turns, numbers, suffix * figures, seconds, seconds, 0, base);
    },
    /** Puts a stage in front: seconds of its forward, its backward, and its exchange of gradients. */
    put(f: number, b: number, reduce: number): void {
      if (empty) {
        made[P] = f + b;
        made[PB] = b;
        made[F] = f;
        made[B] = b;
        made[EARLY] = reduce + b;
        made[LATE] = -Infinity;
      } else before(turns, base, 0, f, b, reduce, made);
      derive(turns, made);
    },
    /** L of what `put` made. */
    latency: (): number => made[L],
    /**
     * Latency that no plan with the suffix that `put` made is below, if the steps in front add `seconds` at least as long as none of them becomes
     * the pivot. The last one that does has (M − 1)(f + b) > D, and L ≥ M(f + b).
     */
    leastLatency(seconds: number): number {
      const growth = turns === 0 ? seconds : Math.min(seconds, made[D] / turns - made[P]);
      return made[D] + made[P] + growth;
    },
    /** Keeps what `put` made unless another suffix dominates it. `leastLatency`: of the plans with it. */
    keep(stage: Stage, leastLatency: number): void {
      const place = stage.used * width + (alone ? stage.replicas : 0);
      const cell = (cells[stage.from][place] ??= []);
      comparisons += cell.length;
      for (const other of cell) if (dominates(numbers, other * figures, made, 0)) return;
      if (cell.length >= kept && made[L] >= numbers[cell[kept - 1] * figures + L]) return;
      made[LEAST] = leastLatency;
      let left = 0;
      for (const other of cell) {
        if (dominates(made, 0, numbers, other * figures)) free.push(other);
        else {
          cell[left] = other;
          left += 1;
        }
      }
      cell.length = left;
      cell.push(store(stage));
      if (kept === Infinity) return;
      for (let at = left; at > 0 && made[L] < numbers[cell[at - 1] * figures + L]; at -= 1)
        [cell[at - 1], cell[at]] = [cell[at], cell[at - 1]];
      if (cell.length > kept) free.push(...cell.splice(kept));
    },
    /** Suffixes that start with layer `to`, one after the other, without those that one with fewer machines dominates. */
    *undominated(to: number): Generator<number, void> {
      const found: number[][] = Array.from({ length: width }, () => []);
      for (const [place, cell] of cells[to].entries()) {
        if (cell === undefined) continue;
        const fewer = found[place % width];
        const before = fewer.length;
        for (const suffix of cell) {
          let at = 0;
          while (at < before && !dominates(numbers, fewer[at] * figures, numbers, suffix * figures)) at += 1;
          comparisons += at;
          if (at < before) {
            free.push(suffix);
            continue;
          }
          fewer.push(suffix);
          yield suffix;
        }
      }
      cells[to] = [];
    },
    /** Latency that no plan is below that has any of the suffixes kept for the first `to` layers. */
    leastPending(to: number): number {
      let least = Infinity;
      for (let first = 1; first <= to; first += 1)
        for (const cell of cells[first])
          for (const suffix of cell ?? []) least = Math.min(least, numbers[suffix * figures + LEAST]);
      return least;
    },
    /** Stages of a suffix, which starts with layer `first`, in order. */
    stages(suffix: number, first: number): readonly PlannedStage[] {
      const found: PlannedStage[] = [];
      for (let at = suffix, from = first; at >= 0; at = links[at * fields + REST]) {
        const to = links[at * fields + TO];
        found.push({ from, to, replicas: links[at * fields + REPLICAS] });
        from = to;
      }
      return found;
    },
  };
}
