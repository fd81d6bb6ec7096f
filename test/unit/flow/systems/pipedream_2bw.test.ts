import { expect, test } from 'vitest';
import { analyseExample } from '../../../support/analyse.ts';

test.each([4, 5, 8, 32])('pipedream_2bw.pipe with %i microbatches: two versions, one update late, no bubble', (m) => {
  const [async, flush] = analyseExample('systems/pipedream_2bw.pipe', { microbatches: m }).pipelines.map(
    (pipeline) => pipeline.run?.report,
  );
  const [p, MiB] = [4, 2 ** 20];
  expect(async?.asynchronous).toMatchObject({ weights: 'double_buffer', steady: true });
  expect(async?.iteration).toBeCloseTo(m * 3e-3, 6);
  for (const [s, stage] of (async?.stages ?? []).entries()) {
    expect([stage.versions, stage.staleness, stage.staleness_mean]).toEqual([2, 1, 1]);
    expect(async?.devices[s].memory.versions).toBe(64 * MiB);
    // As many activations as with a flush.
    expect(async?.devices[s].in_flight).toBe(flush?.devices[s].in_flight);
  }
  expect(flush?.iteration).toBeCloseTo((m + p - 1) * 3e-3, 6);
  expect(flush?.bubble.makespan).toBeCloseTo((p - 1) / (m + p - 1), 5);
});
