/** Iterations of a pipeline whose operations take random times. */
import { drawKey, drawsFor, factorAt, factorTable, operationKey, tableLength } from '../order/jitter.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { kindOfRow, type Program, stageNumberOfStage } from '../values/program.ts';
import { transfersNeverQueue } from './channels.ts';
import { syncedAfter } from './gradients.ts';
import { type TwoNeeds, twoNeeds } from './twoNeeds.ts';
import { simulate } from './simulate.ts';
import { startOrder } from './startOrder.ts';
import { iterationSeconds, type Timeline, type Timing } from '../values/timeline.ts';

/** Operations in all draws. A general run takes about 20 times as long as a linear one. */
const most = { operations: 300_000_000, generalOperations: 15_000_000 };

/**
 * Seconds of the iteration, by draw. The order of the operations stays. An operation has the same factor in the
 * same draw under any schedule, so differences between schedules are not differences of luck.
 */
export function iterationsUnderJitter(plan: PipelinePlan, timeline: Timeline): Float64Array {
  const factors = factorsOf(plan, timeline);
  return linearDraws(timeline, factors) ?? generalDraws(timeline, factors);
}

const keyOf = (program: Program, row: number, microbatch: number): number =>
  operationKey(kindOfRow(program.stages, row), stageNumberOfStage(program, row % program.stages), microbatch);

/** Tables of factors one after the other, and where the table of each row begins. */
interface Factors {
  readonly tables: Float64Array;
  readonly from: Int32Array;
}

export function factorsOf({ jitter = [] }: PipelinePlan, { program, timing }: Timeline): Factors {
  const shares = [...new Set(jitter)];
  const tables = new Float64Array(shares.length * tableLength);
  shares.forEach((share, index) => tables.set(factorTable(share), index * tableLength));
  const from = Int32Array.from(timing.duration, (_, row) => shares.indexOf(jitter[row % program.stages]) * tableLength);
  return { tables, from };
}

/** By a linear pass for each draw; undefined if transfers may queue, or if more than the last operations decides the iteration. */
export function linearDraws({ program, timing }: Timeline, factors: Factors): Float64Array | undefined {
  const { single, flows, transfer, exchange, sharing, buckets, hostSteps, duration } = timing;
  if (program.fused !== undefined || single !== undefined || flows !== undefined || transfer !== undefined)
    return undefined;
  if (exchange !== undefined || sharing !== undefined || buckets !== undefined || hostSteps !== undefined)
    return undefined;
  // The first factor of a table is its least.
  const least = duration.map((seconds, row) => seconds * factors.tables[factors.from[row]]);
  if (!transfersNeverQueue(program, { ...timing, duration: least })) return undefined;
  const rows = twoNeeds(program, timing);
  const words = startOrder(program, timing);
  if (rows === undefined || words === undefined) return undefined;
  const mask = (1 << program.shift) - 1;
  const keys = words.map((word) => keyOf(program, word >> program.shift, word & mask));
  const end = new Float64Array(rows.made.reduce((last, slot) => Math.max(last, slot), 0) + program.microbatches).fill(
    NaN,
  );
  const last = new Float64Array(program.devices);
  return Float64Array.from({ length: drawsFor(words.length, most.operations) }, (_, draw) => {
    drawEnds(program.shift, rows, factors, { words, keys, draw: drawKey(draw), end, last: last.fill(0) });
    const exchanged = syncedAfter(last, timing);
    let iteration = 0;
    for (let device = 0; device < program.devices; device += 1)
      if (program.offsets[device] < program.offsets[device + 1])
        iteration = Math.max(iteration, exchanged[device] + timing.optimizer[device]);
    return iteration;
  });
}

/** Fills in the ends of operations with the factors of a draw, and the last end of each device. As `setEndsOfTwo`. */
function drawEnds(
  shift: number,
  { device: deviceOf, duration, made, first, second, firstDelay, secondDelay }: TwoNeeds,
  { tables, from }: Factors,
  {
    words,
    keys,
    draw,
    end,
    last,
  }: {
    readonly words: Int32Array;
    readonly keys: Int32Array;
    readonly draw: number;
    readonly end: Float64Array;
    readonly last: Float64Array;
  },
): void {
  const mask = (1 << shift) - 1;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    const row = word >> shift;
    const microbatch = word & mask;
    const device = deviceOf[row];
    let time = last[device];
    const firstArrival = end[first[row] + microbatch] + firstDelay[row];
    if (firstArrival > time) time = firstArrival;
    const secondArrival = end[second[row] + microbatch] + secondDelay[row];
    if (secondArrival > time) time = secondArrival;
    time += duration[row] * tables[from[row] + factorAt(keys[at], draw)];
    last[device] = time;
    end[made[row] + microbatch] = time;
  }
}

/** By a whole simulation for each draw. */
export function generalDraws({ program, timing }: Timeline, factors: Factors): Float64Array {
  const draws = drawsFor(program.order.length, most.generalOperations);
  return Float64Array.from({ length: draws }, (_, draw) => {
    const run = simulate(program, drawnTiming(program, timing, factors, drawKey(draw)));
    return run === undefined ? NaN : iterationSeconds(run);
  });
}

/** The times of a draw. */
function drawnTiming(program: Program, timing: Timing, { tables, from }: Factors, draw: number): Timing {
  const { microbatches, order, shift } = program;
  const { duration, single } = timing;
  const mask = (1 << shift) - 1;
  const seconds = new Float64Array(duration.length * microbatches);
  const layers = single?.layers ?? duration;
  const least = duration.slice();
  const longest = duration.slice();
  for (const word of order) {
    const row = word >> shift;
    const at = row * microbatches + (word & mask);
    const factor = tables[from[row] + factorAt(keyOf(program, row, word & mask), draw)];
    seconds[at] = (single === undefined ? duration[row] : single.seconds[at]) * factor;
    least[row] = Math.min(least[row], seconds[at]);
    longest[row] = Math.max(longest[row], seconds[at]);
  }
  return { ...timing, single: { ...single, seconds, layers, least, most: longest } };
}
