/**
 * Asynchronous orders for fewer minibatches in flight than stages, one stage per device.
 *
 * Bound: a microbatch takes L = Σ(F + B) + 2Σc from its first forward to the end of its last backward, and N of them share that
 * time. So a period is at least L / N; nor is it under the F + B of any stage. With equal stages and free transfers the even
 * order reaches the larger of the two: microbatch j enters at slot ⌊jp / N⌋, each slot F + B long. Microbatch j + N then enters p
 * slots after j, just when j has left. No operation waits: on stage s a forward and the backward of a microbatch that entered p −
 * 1 − s slots earlier share a slot.
 */
import { dependenciesOf } from '../../order/dependencies.ts';
import { listSchedule } from '../../order/listSchedule.ts';
import type { Shape } from '../policy.ts';
import { B, kindOf, microbatchOf } from '../../values/program.ts';
import { linear } from '../placement.ts';
import { microbatchesOfRun } from './withoutFlush.ts';
import { type Ahead, type Times, leastPeriod, periodOf, timesOf } from './period.ts';

/** The even order: on stage s the forwards of all microbatches that enter no later than p − 1 − s slots after this one. */
const evenEntries =
  (stages: number, inFlight: number): Ahead =>
  (stage, microbatch) =>
    Math.ceil(((Math.floor((microbatch * stages) / inFlight) + stages - stage) * inFlight) / stages);

/** The same number of forwards ahead of every backward of a stage. */
const constantAhead =
  (warmup: ArrayLike<number>): Ahead =>
  (stage, microbatch) =>
    microbatch + warmup[stage];

/** What a free stage does next: a ready backward, otherwise a ready forward, with no more than `inFlight` at stage 0. */
function asReady({ forward, backward, transfer }: Times, inFlight: number, runs: number): Ahead {
  const stages = forward.length;
  const edges = Array.from({ length: stages - 1 }, (_, stage) => ({ from: stage, to: stage + 1, bytes: 0 }));
  const dependencies = dependenciesOf(edges, stages);
  const duration = new Float64Array(3 * stages);
  duration.set(forward);
  duration.set(backward, stages);
  const transfers = new Float64Array(dependencies.needs.length);
  for (let row = 0; row < 2 * stages; row += 1) {
    for (let need = dependencies.offsets[row]; need < dependencies.offsets[row + 1]; need += 1) {
      const [from, to] = [dependencies.needs[need] % stages, row % stages];
      if (from !== to) transfers[need] = transfer[Math.min(from, to)];
    }
  }
  const limits = new Float64Array(stages).fill(Infinity);
  limits[0] = inFlight;
  const program = listSchedule(
    {
      devices: stages,
      placement: linear(stages),
      microbatches: runs,
      limits,
      dependencies,
      ticks: { duration, transfer: transfers },
    },
    { prefer: ['B', 'F'], split: false },
  );
  const found = new Int32Array(stages * runs);
  for (let stage = 0; stage < stages; stage += 1) {
    let forwards = 0;
    for (let at = program.offsets[stage]; at < program.offsets[stage + 1]; at += 1) {
      const word = program.order[at];
      if (kindOf(program, word) !== B) forwards += 1;
      else found[stage * runs + microbatchOf(program, word)] = forwards;
    }
  }
  // The input stage keeps all that it may in flight.
  for (let microbatch = 0; microbatch < runs; microbatch += 1) found[microbatch] = microbatch + inFlight;
  return (stage, microbatch) => found[stage * runs + microbatch];
}

/** Operations that the comparison of orders may visit. For longer pipelines the even order is taken. */
const budget = 2e7;

const chosen = new WeakMap<Shape, Ahead>();

/**
 * The order of the least period among three: the even order, operations as they become ready, and a constant number of forwards
 * ahead (`warmup`). Of equal ones, the first.
 */
export function fewInFlight(shape: Shape, inFlight: number, warmup: ArrayLike<number>): Ahead {
  const known = chosen.get(shape);
  if (known !== undefined) return known;
  const { stages } = shape;
  const even = evenEntries(stages, inFlight);
  // Whole rounds of the even order, which repeats after `inFlight` microbatches: as many to settle as to measure.
  const window = inFlight * Math.max(8, Math.ceil((4 * stages) / inFlight));
  const measure = { runs: 2 * window + inFlight, drain: inFlight, window };
  const { runs } = measure;
  const found = 3 * 2 * stages * runs > budget ? even : shortest();
  chosen.set(shape, found);
  return found;

  function shortest(): Ahead {
    const microbatches = microbatchesOfRun(shape);
    const times = timesOf(shape, Math.max(runs, microbatches));
    const least = leastPeriod(times, inFlight);
    let best = even;
    let period = periodOf(times, even, measure);
    for (const order of [() => asReady(times, inFlight, Math.max(runs, microbatches)), () => constantAhead(warmup)]) {
      if (period <= least * (1 + 1e-9)) break;
      const candidate = order();
      const found = periodOf(times, candidate, measure);
      if (found < period * (1 - 1e-9)) [best, period] = [candidate, found];
    }
    return best;
  }
}
