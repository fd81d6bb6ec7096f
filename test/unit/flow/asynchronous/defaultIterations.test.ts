/** Iterations that are simulated unless the file says how many: as many as the pipeline needs to be in step. */
import { describe, expect, test } from 'vitest';
import { runOf } from '../../../support/analyse.ts';

/** Stages whose times differ, the first with replicas that take microbatches in turn. */
const replicated = (more = ''): string => `
model m {
  layer wide { forward = 21ms  backward = 48ms  weights = 4GiB  activation = 60MiB  output = 16MiB }
  layer narrow[3] { forward = 3ms  backward = 5.5ms  weights = 1GiB  activation = 60MiB  output = 16MiB }
}
device d { memory = 800GiB }
cluster c { gpu[11] = d  link = 250GB/s }
pipeline p {
  model = m  devices = c  microbatches = 1  schedule = pipedream ${more}
  stage first { layers = wide  on = gpu[0..7]  replicate = round_robin }
  stage second { layers = narrow[0]  on = gpu[8] }
  stage third { layers = narrow[1]  on = gpu[9] }
  stage fourth { layers = narrow[2]  on = gpu[10] }
}`;

describe('a pipeline of 4 stages on 11 ranks', () => {
  test('runs 8 iterations for each rank, not for each stage', () => {
    expect(runOf(replicated()).run.report.asynchronous?.iterations).toBe(8 * 11);
  });

  test('has the period and the peak memory that many more iterations give', () => {
    const [usual, long] = [replicated(), replicated('iterations = 1000')].map((text) => runOf(text).run.report);
    expect(usual.iteration).toBeCloseTo(long.iteration, 9);
    expect(usual.devices.map(({ peak }) => peak)).toEqual(long.devices.map(({ peak }) => peak));
  });
});
