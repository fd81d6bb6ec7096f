/** Ends of an order whose operations take random times, with the factors that a simulation draws. */
import { drawKey, drawsFor, factorAt, factorTable, operationKey, percentile, tableLength } from '../order/jitter.ts';
import { B, F, I, W } from '../values/program.ts';
import type { Layout, Words } from './layout.ts';
import { makespanOf, type Timing, timingFor } from './timing.ts';

/** Operations that all draws of all orders may visit. */
const room = 6e7;

/** What random times do to the order of a search, and to the shortest order that it found. In ticks. */
export interface Risk {
  readonly p95: number;
  readonly shortest: { readonly makespan: number; readonly p95: number };
  /** Orders that were compared, and draws for each. */
  readonly orders: number;
  readonly draws: number;
  /** Whether slow devices are in these times. The orders were compared without them. */
  readonly isSlowed?: boolean;
}

export interface RiskMeter {
  readonly draws: number;
  /** Ticks that 95 of 100 draws do not exceed. */
  p95(words: Words): number;
  /** Ticks without random times. */
  end(words: Words): number;
}

/**
 * `jitter`: by stage, the standard deviation of a time as a share of it. `orders`: how many will be compared. `whole`: whether backwards
 * are. `slow`: a factor on the times of each device.
 */
export function riskMeter(
  layout: Layout,
  jitter: Float64Array,
  whole: boolean,
  orders: number,
  slow?: Float64Array,
): RiskMeter {
  const { problem, stages, codes, ticks, device: deviceOf, feeds, delay, local } = layout;
  const { microbatches, devices, step } = problem;
  const draws = drawsFor(orders * local.length * microbatches, room);
  const shares = [...new Set(jitter)];
  const tables = new Float64Array(shares.length * tableLength);
  shares.forEach((share, index) => tables.set(factorTable(share), index * tableLength));
  const from = Int32Array.from({ length: codes }, (_, code) => shares.indexOf(jitter[code % stages]) * tableLength);
  const kinds = [F, whole ? B : I, W];
  const keys = Int32Array.from({ length: codes * microbatches }, (_, operation) => {
    const code = Math.floor(operation / microbatches);
    return operationKey(kinds[Math.floor(code / stages)], code % stages, operation % microbatches);
  });
  const timing: Timing = timingFor(layout);
  const ends = new Float64Array(draws);
  const free = new Float64Array(devices);
  const end = new Float64Array(codes * microbatches);
  const taken = ticks.map((each, code) => each * (slow?.[deviceOf[code]] ?? 1));
  /** The end of the sequence in `timing`. `key`: of a draw. */
  function endOf(key: number | undefined): number {
    const { sequence, operation } = timing;
    free.fill(0);
    for (const at of sequence) {
      const op = operation[at];
      const code = Math.floor(op / microbatches);
      const device = deviceOf[code];
      let now = free[device];
      const needs = feeds[code];
      if (needs >= 0) now = Math.max(now, end[op + (needs - code) * microbatches] + delay[code]);
      now += taken[code] * (key === undefined ? 1 : tables[from[code] + factorAt(keys[op], key)]);
      end[op] = now;
      free[device] = now;
    }
    return free.reduce((last, ticksOf, device) => Math.max(last, ticksOf + step[device]), 0);
  }
  return {
    draws,
    end(words) {
      makespanOf(layout, words, timing);
      return endOf(undefined);
    },
    p95(words) {
      makespanOf(layout, words, timing);
      for (let draw = 0; draw < draws; draw += 1) ends[draw] = endOf(drawKey(draw));
      return percentile(ends.slice().sort(), 0.95);
    },
  };
}
