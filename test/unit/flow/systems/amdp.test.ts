import { expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';

test('amdp.pipe: two and four copies of the weights, one update late at most, and never faster than the work', () => {
  const runs = analyseExample('systems/amdp.pipe').pipelines.map((pipeline) => pipeline.run?.report);
  expect(runs).toHaveLength(2);
  for (const [index, report] of runs.entries()) {
    const ways = index === 0 ? 2 : 4;
    const layers = 8 / (report?.devices.length ?? 1);
    expect(Math.max(...(report?.stages ?? []).map((stage) => stage.staleness))).toBe(1);
    for (const device of report?.devices ?? []) {
      expect(device.memory.weights).toBe(ways * layers * 64 * 2 ** 20);
      expect(device.busy).toBeCloseTo((report?.microbatches ?? 0) * layers * 3e-3, 9);
      expect(report?.iteration).toBeGreaterThanOrEqual(device.busy);
    }
  }
});
