/** Iterations of a pipeline whose operations take random times. */
import { drawKey, drawsFor, factorAt, factorTable, operationKey, tableLength } from '../order/jitter.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { kindOfRow, type Program, stageNumberOfStage } from '../values/program.ts';
import { transfersNeverQueue } from './channels.ts';
import type { Factors } from './drawnPass.ts';
import { syncedAfter } from './gradients.ts';
import { lastEndsOfDraw } from './rowLoops.ts';
import { endsAndAlways } from './rowTables.ts';
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
  if (timing.crowd !== undefined || timing.linkSeconds !== undefined || timing.outer !== undefined) return undefined;
  if (exchange !== undefined || sharing !== undefined || buckets !== undefined || hostSteps !== undefined)
    return undefined;
  // The first factor of a table is its least.
  const least = duration.map((seconds, row) => seconds * factors.tables[factors.from[row]]);
  if (!transfersNeverQueue(program, { ...timing, duration: least })) return undefined;
  const words = startOrder(program, timing);
  if (words === undefined) return undefined;
  const { shift, devices, offsets } = program;
  const mask = (1 << shift) - 1;
  const order = { words, keys: words.map((word) => keyOf(program, word >> shift, word & mask)), shift };
  const { all } = endsAndAlways(program);
  const iterations = new Float64Array(drawsFor(words.length, most.operations));
  for (let draw = 0; draw < iterations.length; draw += 1) {
    const last = lastEndsOfDraw(program, timing, order, { factors, draw: drawKey(draw), all });
    if (last === undefined) return undefined;
    const exchanged = syncedAfter(last, timing);
    for (let device = 0; device < devices; device += 1)
      if (offsets[device] < offsets[device + 1])
        iterations[draw] = Math.max(iterations[draw], exchanged[device] + timing.optimizer[device]);
  }
  return iterations;
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
