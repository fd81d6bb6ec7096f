import { expect, test } from 'vitest';
import { inFlightOf, rowsOf } from '../../schedule/bruteForce.ts';
import { placed, run } from '../../schedule/chunked.ts';
import { inFlight, systemReport } from './system.ts';

// Four devices, a chunk of 10 ms each for F, I and W. Peaks and idle chunks of Qi et al., "Pipeline Parallelism with Controllable
// Memory" (2024), as their own scheduler gives them for four devices.
const [p, chunk] = [4, 0.01];

test.each([
  ['full_memory', 2 * p, 3],
  ['half', 6, 5],
  ['least', 4, 11],
] as const)('%s: %i chunks in flight, %i chunks idle, however many microbatches', (pipeline, held, idle) => {
  for (const m of [8, 12, 24]) {
    const report = systemReport('v_schedules', pipeline, { microbatches: m });
    expect(inFlight(report)).toEqual([held, held, held, held]);
    expect(report.iteration).toBeCloseTo((6 * m + idle) * chunk, 9);
  }
});

test('with the memory of 1F1B, iterations that tile leave nothing idle', () => {
  expect(systemReport('v_schedules', 'full_memory').bubble.span).toBeCloseTo(0, 9);
});

test.each([
  ['zb_v', [8, 12, 16], [3, 5, 7]],
  ['v_half', [6, 8, 10], [5, 11, 17]],
  ['v_min', [4, 6, 8], [11, 17, 27]],
] as const)('%s: %o chunks in flight and at most %o idle on 4, 6 and 8 devices', (name, held, idle) => {
  for (const [index, devices] of [4, 6, 8].entries()) {
    const { program } = placed(name, devices, 24);
    expect(run(name, devices, 24).idle[0]).toBeLessThanOrEqual(idle[index]);
    expect(Math.max(...rowsOf(program).map(inFlightOf))).toBe(held[index]);
  }
});
