/** Ends of an order whose operations take random times, with the factors that a simulation draws. */
import { drawKey, drawsFor, factorAt, factorTable, operationKey, percentile, tableLength } from '../order/jitter.ts';
import { B, F, I, W } from '../program.ts';
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
}

export interface RiskMeter {
  readonly draws: number;
  /** Ticks that 95 of 100 draws do not exceed. */
  p95(words: Words): number;
}

/** `jitter`: by stage, the standard deviation of a time as a share of it. `orders`: how many will be compared. `whole`: whether backwards are. */
export function riskMeter(layout: Layout, jitter: Float64Array, whole: boolean, orders: number): RiskMeter {
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
  return {
    draws,
    p95(words) {
      makespanOf(layout, words, timing);
      const { sequence, operation } = timing;
      for (let draw = 0; draw < draws; draw += 1) {
        const key = drawKey(draw);
        free.fill(0);
        for (const at of sequence) {
          const op = operation[at];
          const code = Math.floor(op / microbatches);
          const device = deviceOf[code];
          let now = free[device];
          const needs = feeds[code];
          if (needs >= 0) now = Math.max(now, end[op + (needs - code) * microbatches] + delay[code]);
          now += ticks[code] * tables[from[code] + factorAt(keys[op], key)];
          end[op] = now;
          free[device] = now;
        }
        ends[draw] = free.reduce((last, ticksOf, device) => Math.max(last, ticksOf + step[device]), 0);
      }
      return percentile(ends.slice().sort(), 0.95);
    },
  };
}
