import * as fc from '../../support/property.ts';
import { recipePlan, policy } from './plans.ts';
import { programOf, randomRows } from './programs.ts';

/**
 * Random shapes that always run: whole and split backwards mixed, uneven integer costs, latencies, loops and skip connections,
 * in a random order that cannot deadlock.
 */
export const runnable = fc
  .record({
    devices: fc.integer({ min: 1, max: 5 }),
    chunks: fc.integer({ min: 1, max: 3 }),
    microbatches: fc.integer({ min: 1, max: 6 }),
    forward: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 }),
    backwardInput: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 4 }),
    backwardWeight: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 3 }),
    latency: fc.integer({ min: 0, max: 7 }),
    sync: fc.integer({ min: 0, max: 5 }),
    skips: fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 3 }),
    picks: fc.array(fc.nat(1000), { minLength: 40, maxLength: 40 }),
  })
  .map((one) => {
    const stages = one.devices * one.chunks;
    const placement = Array.from({ length: stages }, (_, stage) => stage % one.devices);
    const chain = Array.from({ length: stages - 1 }, (_, from) => ({ from, to: from + 1, bytes: 0 }));
    const skips = one.skips.flatMap(([a, b]) => {
      const [from, to] = [Math.min(a % stages, b % stages), Math.max(a % stages, b % stages)];
      return to - from > 1 ? [{ from, to, bytes: 0 }] : [];
    });
    let turn = 0;
    const rows = randomRows(
      one.devices,
      stages,
      one.microbatches,
      placement,
      (below) => one.picks[turn++ % 40] % below,
    );
    const plan = recipePlan({ ...one, stages, placement, edges: [...chain, ...skips], schedule: policy('1f1b') });
    return { plan, program: programOf(rows, stages, one.microbatches, placement) };
  });
