import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../../engine/basics/host.ts';
import { evaluateJob } from '../../../../engine/job/evaluateJob.ts';
import type { JobPlan } from '../../../../engine/values/plan.ts';
import { textOf } from '../../docs/pages.ts';
import { analyseExample } from '../../../support/analyse.ts';

const analysis = analyseExample('systems/hetpipe.pipe');
const jobs = ['node', 'node_loose', 'equal', 'equal_ahead', 'hybrid'];

/** The report of a job of the file, with parts of its plan changed. */
function reportOf(name: string, change: Partial<JobPlan> = {}) {
  const found = analysis.jobs.find((job) => job.plan.name === name);
  if (found === undefined) throw new Error(`no job ${name}`);
  const { report } = evaluateJob({ ...found.plan, ...change }, found.workers, defaultOptions);
  if (report?.sync !== 'wsp') throw new Error(`${name} does not run under wsp`);
  return report;
}
/** Pushes and pulls that take no time. */
const free = { link: undefined };

test.each(jobs)('%s: local staleness N − 1, global bound (D + 1)(s + 1) + s − 1, and no minibatch over it', (name) => {
  const { distance, wave, staleness } = reportOf(name);
  const s = wave - 1;
  expect(wave).toBe(4);
  expect(staleness.local).toBe(s);
  expect(staleness.bound).toBe((distance + 1) * (s + 1) + s - 1);
  expect(staleness.observed).toBeLessThanOrEqual(staleness.bound);
  expect(staleness.observed).toBeGreaterThanOrEqual(s);
});

test.each(jobs)('%s: each wave a worker pushes and pulls all parameters once', (name) => {
  const { workers, server_traffic } = reportOf(name);
  for (const worker of workers) {
    expect(worker.pushed).toBeCloseTo(60.2e6 * 4, 3);
    expect(worker.pulled).toBeCloseTo(60.2e6 * 4, 3);
  }
  const expected = workers.reduce((sum, worker) => sum + (2 * 60.2e6 * 4) / worker.period, 0);
  // Over half of the waves, one push or pull may lie on either side of the edge.
  expect(Math.abs(server_traffic / expected - 1)).toBeLessThan(1 / 16);
});

describe('node partition', () => {
  test('every worker goes at the pace of the slowest node', () => {
    const { workers, throughput } = reportOf('node', free);
    const slowest = Math.max(...workers.map((worker) => worker.period_alone));
    // Four Quadro P4000, of 50 blocks of 30 ms: the largest stage has 13, a wave is four minibatches; transfers add a little.
    expect(slowest).toBeGreaterThanOrEqual(4 * 13 * 0.03);
    expect(slowest).toBeLessThan(4 * 13 * 0.03 * 1.01);
    for (const worker of workers) expect(worker.period).toBeCloseTo(slowest, 9);
    expect(throughput).toBeCloseTo((4 * 4 * 32) / slowest, 6);
  });

  test('the faster a node, the longer it waits, and the slowest never does', () => {
    const { workers } = reportOf('node', free);
    const byPace = workers.toSorted((a, b) => b.period_alone - a.period_alone);
    expect(byPace.map((jobWorkerReport) => jobWorkerReport.name)).toEqual(['node_q', 'node_g', 'node_v', 'node_r']);
    expect(byPace[0].waiting).toBe(0);
    for (const [index, one] of byPace.slice(1).entries()) expect(one.waiting).toBeGreaterThan(byPace[index].waiting);
  });

  test('a larger distance is a lead, not a pace', () => {
    const { workers, steady } = reportOf('node_loose');
    expect(steady).toBe(true);
    expect(workers.map((worker) => worker.lead)).toEqual([4, 4, 4, 0]);
    const slowest = Math.max(...workers.map((worker) => worker.period_alone));
    for (const worker of workers) expect(worker.period / slowest).toBeCloseTo(1, 3);
  });
});

describe('equal distribution', () => {
  test('nobody waits for a straggler: without the way to the servers nobody waits at all, distance 0 included', () => {
    const { workers, throughput } = reportOf('equal', free);
    for (const worker of workers) {
      expect(worker.waiting).toBe(0);
      expect(worker.period).toBeCloseTo(worker.period_alone, 9);
    }
    const [one] = workers;
    expect(throughput).toBeCloseTo((4 * 4 * 32) / one.period_alone, 6);
  });

  test('one wave ahead hides pushes and pulls', () => {
    const [locked, ahead] = ['equal', 'equal_ahead'].map((name) => reportOf(name));
    for (const worker of locked.workers) expect(worker.waiting).toBeGreaterThan(0);
    for (const worker of ahead.workers) expect(worker.waiting).toBe(0);
    expect(ahead.throughput).toBeGreaterThan(locked.throughput);
  });

  test('waits less and trains faster than node partition', () => {
    const [node, equal, hybrid] = ['node', 'equal', 'hybrid'].map((name) => reportOf(name));
    const longest = ({ workers }: typeof node) => Math.max(...workers.map((worker) => worker.waiting_share));
    expect(longest(equal)).toBeLessThan(longest(hybrid));
    expect(longest(hybrid)).toBeLessThan(longest(node));
    expect(equal.throughput).toBeGreaterThan(1.5 * node.throughput);
    expect(hybrid.throughput).toBeGreaterThan(1.5 * node.throughput);
  });
});

test('the default link is that between the nodes of the hybrid workers', () => {
  const found = analysis.jobs.find((job) => job.plan.name === 'hybrid');
  expect(found?.plan.link).toEqual({ bandwidth: 7e9, latency: 5e-6, duplex: 'full' });
});

test('the page says the figures of the example', () => {
  const page = textOf('docs/schedules/hetpipe.md');
  const rounded = (name: string) => {
    const { throughput, workers } = reportOf(name);
    const waits = [...new Set(workers.map((worker) => `${Math.round(100 * worker.waiting_share)} %`))];
    return { throughput: `${Math.round(throughput)} samples/s`, waits };
  };
  const [node, equal, ahead, hybrid] = ['node', 'equal', 'equal_ahead', 'hybrid'].map(rounded);
  expect(page).toContain(`different workers | ${node.throughput}; the fastest waits ${node.waits[1]} of the time |`);
  expect(page).toContain(
    `equal workers | ${equal.throughput}; waits of ${equal.waits.join(' and ')} for the servers only |`,
  );
  expect(page).toContain(`and the two middle kinds | ${hybrid.throughput}; waits of ${hybrid.waits.join(' and ')} |`);
  expect(page).toContain(`with \`distance = 1\` no worker waits: ${ahead.throughput}`);
});
