/** The least makespan of programs whose schedule declares operations: by what each row of operations waits for, and who waits for it. */
import { B, I, kindOfRow, type Program, microbatchOf, needSlot, resultRowOf, rowOf } from '../values/program.ts';
import { leastExposed } from '../simulate/gradients.ts';
import { leastHosted } from '../simulate/hostStep.ts';
import { secondsOf, type Timing } from '../values/timeline.ts';

/** Heads of a device that are tried. More would be quadratic in its rows, and leaving some out keeps a bound a bound. */
const mostHeads = 64;

/**
 * A makespan that no order of these operations can be under, seconds. A row cannot begin before its head, and its last operation is
 * followed by its tail. So operations of a device take at least the earliest of their heads, their work, and the shortest of their
 * tails. This holds for any of its rows. With `split`, orders that split the backwards into I and W are included. Two fused operations take at least their sum without half of the overlap.
 */
export function leastWithDeclared(program: Program, timing: Timing, split: boolean): number {
  const { head, tail, least, through, work } = rowPaths(program, timing, split);
  const { devices, stages, placement, overlap = 0 } = program;
  const partsOn: DevicePart[][] = Array.from({ length: devices }, () => []);
  let bound = 0;
  for (let row = 0; row < head.length; row += 1) {
    if (Number.isNaN(head[row])) continue;
    bound = Math.max(bound, head[row] + Math.max(least[row], through[row] + tail[row]));
    const first = least[row] > 0 ? work[row] * (through[row] / least[row]) : work[row];
    const parts = partsOn[placement[row % stages]];
    parts.push({ head: head[row], work: first, tail: tail[row] });
    // Weight gradients that a backward leaves may run last.
    if (first < work[row]) parts.push({ head: head[row] + through[row], work: work[row] - first, tail: 0 });
  }
  for (const [device, parts] of partsOn.entries()) {
    const exchanged = leastExposed(program, timing, device) + timing.sync[device];
    const step = Math.max(exchanged + timing.optimizer[device], leastHosted(program, timing, device));
    const byTail = parts.toSorted((a, b) => b.tail - a.tail);
    const heads = [...new Set(parts.map((part) => part.head))].sort((a, b) => a - b);
    const every = Math.ceil(heads.length / mostHeads);
    for (const from of heads.filter((_, at) => at % every === 0)) {
      let seconds = 0;
      for (const part of byTail) {
        if (part.head < from) continue;
        seconds += part.work;
        bound = Math.max(bound, from + seconds * (1 - overlap / 2) + Math.max(part.tail, step));
      }
    }
  }
  return bound;
}

/** Operations of a row on their device: seconds before, of and after them. */
interface DevicePart {
  readonly head: number;
  readonly work: number;
  readonly tail: number;
}

interface RowPaths {
  /** Seconds before any operation of a row can start; NaN for rows without operations. */
  readonly head: Float64Array;
  /** Seconds of operations and transfers that follow every operation of a row. */
  readonly tail: Float64Array;
  /** Seconds of the shortest operation of a row, until its result is there, and of all of its operations. */
  readonly least: Float64Array;
  readonly through: Float64Array;
  readonly work: Float64Array;
}

/**
 * Longest paths over rows. A need is part of a head if every operation of its row has it, and of a tail if every operation that
 * is asked for has someone who waits. What only some microbatches wait for is left out: the bound holds without it.
 */
function rowPaths(program: Program, timing: Timing, split: boolean): RowPaths {
  const { stages, microbatches, order } = program;
  const least = timing.single?.least ?? timing.duration;
  const rows = least.length;
  // A backward may be split: its result is there after the input gradient.
  const through = least.map((seconds, row) =>
    split && kindOfRow(stages, row) === B ? Math.min(seconds, least[I * stages + (row % stages)]) : seconds,
  );
  const work = new Float64Array(rows);
  const head = new Float64Array(rows).fill(NaN);
  const tail = new Float64Array(rows);
  const numbers: number[][] = Array.from({ length: rows }, () => []);
  /** By result slot: the row of its operation, + 1. */
  const maker = new Int32Array(rows * microbatches);
  for (const word of order) {
    const row = rowOf(program, word);
    work[row] += secondsOf(timing, program, word);
    numbers[row].push(microbatchOf(program, word));
    maker[resultRowOf(stages, row) * microbatches + microbatchOf(program, word)] = row + 1;
    head[row] = timing.release?.[row] ?? 0;
  }
  const { into, outOf } = edges(timing, microbatches, numbers, maker);
  // Rows after all that they wait for. Rows that wait for each other in a circle cannot run, and keep what they have.
  const left = into.map((row) => row.reduce((sum, { makers }) => sum + makers.length, 0));
  const ready = left.flatMap((count, row) => (count === 0 ? [row] : []));
  const users = into.map((): number[] => []);
  for (const [row, needs] of into.entries())
    for (const { makers } of needs) for (const made of makers) users[made].push(row);
  for (let at = 0; at < ready.length; at += 1) {
    const row = ready[at];
    for (const { makers, delay } of into[row]) {
      // Operations of several rows may make a result; the first of them is early enough for one of the microbatches.
      const end = makers.reduce((first, made) => Math.min(first, head[made] + through[made]), Infinity);
      head[row] = Math.max(head[row], end + delay);
    }
    for (const user of users[row]) {
      left[user] -= 1;
      if (left[user] === 0) ready.push(user);
    }
  }
  for (const row of ready.reverse())
    for (const { user, delay } of outOf[row]) tail[row] = Math.max(tail[row], delay + through[user] + tail[user]);
  return { head, tail, least, through, work };
}

/** Needs that all operations of a row have, by row, with the rows that may make the result; and rows that follow all of a row. */
function edges(timing: Timing, microbatches: number, numbers: readonly (readonly number[])[], maker: Int32Array) {
  const into = numbers.map((): { readonly makers: readonly number[]; readonly delay: number }[] => []);
  const outOf = numbers.map((): { readonly user: number; readonly delay: number }[] => []);
  for (const [row, who] of numbers.entries()) {
    for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1) {
      const delay = (timing.sizes?.least ?? timing.needOccupancy)[need] + timing.needLatency[need];
      const made = new Map<number, number>();
      let found = 0;
      for (const microbatch of who) {
        const slot = needSlot(timing, microbatches, need, microbatch);
        if (slot < 0 || maker[slot] === 0) continue;
        const by = maker[slot] - 1;
        found += 1;
        made.set(by, (made.get(by) ?? 0) + 1);
      }
      if (found > 0 && found === who.length) into[row].push({ makers: [...made.keys()], delay });
      // A need has one shift: it asks for as many operations as it has.
      for (const [by, count] of made) if (count === numbers[by].length) outOf[by].push({ user: row, delay });
    }
  }
  return { into, outOf };
}
