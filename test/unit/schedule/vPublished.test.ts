/**
 * V-Half and V-Min where all operations take the same time and transfers none: most chunks held and idle chunk slots of the
 * order that the authors' code gives, megatron/core/pipeline_parallel/zerobubble/scheduler/zbv_greedy.py of sail-sg's repository
 * at 39f2c186.
 */
import { expect, test } from 'vitest';
import { run } from './chunked.ts';

/** Policy, devices, microbatches, chunks, idle slots. */
const published: readonly (readonly [string, number, number, number, number])[] = [
  ['v_half', 2, 2, 4, 3],
  ['v_half', 2, 6, 4, 1],
  ['v_half', 3, 3, 4, 5],
  ['v_half', 3, 9, 4, 5],
  ['v_half', 4, 4, 6, 10],
  ['v_half', 4, 12, 6, 5],
  ['v_half', 5, 5, 6, 14],
  ['v_half', 5, 15, 6, 11],
  ['v_half', 6, 6, 8, 12],
  ['v_half', 6, 18, 8, 11],
  ['v_half', 7, 7, 8, 24],
  ['v_half', 7, 21, 8, 17],
  ['v_half', 8, 8, 10, 17],
  ['v_half', 8, 24, 10, 17],
  ['v_half', 9, 9, 10, 28],
  ['v_half', 9, 27, 10, 23],
  ['v_half', 10, 10, 12, 23],
  ['v_half', 10, 30, 12, 23],
  ['v_half', 11, 11, 12, 38],
  ['v_half', 11, 33, 12, 29],
  ['v_half', 12, 12, 14, 29],
  ['v_half', 12, 36, 14, 29],
  ['v_half', 13, 39, 14, 35],
  ['v_half', 14, 42, 16, 35],
  ['v_half', 15, 45, 16, 41],
  ['v_half', 16, 48, 18, 41],
  ['v_half', 17, 51, 18, 47],
  ['v_half', 18, 54, 20, 47],
  ['v_half', 19, 57, 20, 53],
  ['v_half', 20, 60, 22, 53],
  ['v_half', 21, 63, 22, 59],
  ['v_half', 22, 66, 24, 59],
  ['v_half', 23, 69, 24, 65],
  ['v_half', 24, 72, 26, 65],
  ['v_min', 2, 2, 4, 3],
  ['v_min', 2, 6, 4, 3],
  ['v_min', 3, 3, 4, 8],
  ['v_min', 3, 9, 4, 5],
  ['v_min', 4, 4, 4, 11],
  ['v_min', 4, 12, 4, 11],
  ['v_min', 5, 5, 6, 15],
  ['v_min', 5, 15, 6, 15],
  ['v_min', 6, 6, 6, 17],
  ['v_min', 6, 18, 6, 17],
  ['v_min', 7, 7, 6, 23],
  ['v_min', 7, 21, 6, 23],
  ['v_min', 8, 8, 8, 27],
  ['v_min', 8, 24, 8, 27],
  ['v_min', 9, 9, 8, 29],
  ['v_min', 9, 27, 8, 29],
  ['v_min', 10, 10, 8, 35],
  ['v_min', 10, 30, 8, 35],
  ['v_min', 11, 11, 10, 39],
  ['v_min', 11, 33, 10, 39],
  ['v_min', 12, 12, 10, 41],
  ['v_min', 12, 36, 10, 41],
  ['v_min', 13, 39, 10, 47],
  ['v_min', 14, 42, 12, 51],
  ['v_min', 15, 45, 12, 53],
  ['v_min', 16, 48, 12, 59],
  ['v_min', 17, 51, 14, 63],
  ['v_min', 18, 54, 14, 65],
  ['v_min', 19, 57, 14, 71],
  ['v_min', 20, 60, 16, 75],
  ['v_min', 21, 63, 16, 77],
  ['v_min', 22, 66, 16, 83],
  ['v_min', 23, 69, 18, 87],
  ['v_min', 24, 72, 18, 89],
];

test.each(published)(
  '%s on %i devices with %i microbatches holds %i chunks and idles %i slots at most',
  (name, p, m, chunks, idle) => {
    const found = run(name, p, m);
    expect(Math.max(...found.inFlight)).toBeLessThanOrEqual(chunks);
    expect(found.makespan - 6 * m).toBeLessThanOrEqual(idle);
  },
);

test('V-Half on 16 devices idles 41 slots, however many the microbatches', () => {
  for (const m of [32, 48, 64, 80]) expect(run('v_half', 16, m).makespan - 6 * m).toBe(41);
});
