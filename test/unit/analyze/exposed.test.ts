/** `comm/exposed` counts how long devices wait; the causes of the bubble count what would be saved. By hand, as in the docs. */
import { describe, expect, test } from 'vitest';
import picocolors from 'picocolors';
import { reportText } from '../../../cli/output/reportText.ts';
import { exposedCommunication } from '../../../engine/analyze/shares.ts';
import { share } from '../../../engine/basics/quantities.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { analyse } from '../../support/analyse.ts';
import { policy, recipePlan, type Recipe } from '../support/plans.ts';

const chain: Recipe = {
  devices: 2,
  microbatches: 1,
  schedule: policy('1f1b'),
  forward: [10],
  backwardInput: [10],
  backwardWeight: [0],
};

function figuresOf(plan: PipelinePlan) {
  const { run, findings } = evaluate(plan, defaultOptions);
  if (run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  const { report } = run;
  return { ...report, exposed: findings.find(({ code }) => code === 'comm/exposed')?.message };
}

describe('transfers on a chain of one microbatch', () => {
  test('F = B = transfer = 10: 16.7 % waiting, 33.3 % to save', () => {
    const { iteration, bubble, exposed } = figuresOf(recipePlan({ ...chain, latency: 10 }));
    expect(iteration).toBeCloseTo(60, 12);
    expect(bubble.causes.communication).toBeCloseTo(20 / 60, 12);
    expect(exposed).toContain('10 s on average (16.7 %');
  });

  // Each of the 2(p − 1) transfers delays all devices and lets one of them wait, also where nothing computes.
  test.each([
    [2, 10],
    [3, 10],
    [5, 1],
    [4, 0],
  ])('%i stages of %i s: a device waits 1/p of what would be saved', (p, work) => {
    const { iteration, bubble, links } = figuresOf(
      recipePlan({ ...chain, devices: p, latency: 3, forward: [work], backwardInput: [work] }),
    );
    const transfers = 2 * (p - 1) * 3;
    expect(iteration).toBeCloseTo(transfers + 2 * p * work, 9);
    expect(bubble.causes.communication).toBeCloseTo(transfers / iteration, 12);
    expect(links.reduce((sum, link) => sum + link.exposed, 0)).toBeCloseTo(transfers, 9);
  });
});

test('an exchange while another device computes: 12.5 % waiting, nothing to save', () => {
  const plan = recipePlan(chain);
  const step = plan.step.map((_, device) => ({ sync: device === 1 ? 10 : 0, optimizer: 0 }));
  const { iteration, bubble, exposed, devices } = figuresOf({ ...plan, step });
  expect(iteration).toBeCloseTo(40, 12);
  expect(bubble.causes.sync).toBe(0);
  expect(devices[1].sync.exposed).toBeCloseTo(10, 12);
  expect(exposed).toContain('5 s on average (12.5 %');
});

describe('advice on gradients that are exchanged during the last backward', () => {
  const adviceOf = (sync: string, layers: number): string | undefined =>
    analyse(`
model m { layer a[${layers}] { forward = 1ms  backward = 2ms  weights = 400MB } }
device gpu { memory = 64GiB }
cluster c { gpu[2] = gpu  link = 10GB/s }
pipeline p { model = m devices = c microbatches = 1 stages = balance(1) schedule = 1f1b data = 2  sync = ${sync} }
`).findings.find(({ code }) => code === 'comm/exposed')?.message;

  test('is smaller buckets only if a bucket holds more than one layer', () => {
    const smaller = 'Smaller buckets begin earlier; more microbatches spread it over more work.';
    expect(adviceOf('overlap(bucket = 1GB)', 4)).toContain(smaller);
    expect(adviceOf('overlap(bucket = 400MB)', 4)).not.toContain('Smaller');
    expect(adviceOf('overlap(bucket = 400MB)', 4)).toContain('More microbatches spread it over more work.');
    // One layer makes one bucket, whatever its size is.
    expect(adviceOf('overlap(bucket = 1GB)', 1)).toContain('More microbatches spread it over more work.');
    expect(adviceOf('end', 4)).toContain('`sync = overlap` begins it during the last backwards.');
  });
});

describe('exposed communication', () => {
  // Slow links, tensor ranks, sharded weights, and gradients of data ranks: something of each kind.
  const text = (share: string) => `
device gpu { memory = 80GiB  compute = 100TFLOPS }
cluster box { gpu[8] = gpu  link = 4GB/s }
model m { micro_batch = 1  sequence = 512  precision = bf16  layer block[4] = transformer(hidden = 1024, heads = 16) }
pipeline train {
  model = m  devices = box  tensor = 2  data = 2  stages = balance(2)  microbatches = 4  schedule = 1f1b
  optimizer = adam_mixed(shard = zero3)
}
expect train { exposed_communication == ${share} }`;

  test('is the sum over all kinds, the same in findings, expectations and the terminal', () => {
    const found = analyse(text('0%'));
    const run = found.pipelines[0].run;
    if (run === undefined) throw new Error('it does not run');
    const { report } = run;
    const of = (parts: readonly { readonly exposed: number }[]) => parts.reduce((sum, part) => sum + part.exposed, 0);
    // Each stage is on one device, so sums over stages are sums over devices.
    const kinds = [
      of(report.links),
      ...(['tensor', 'weights'] as const).map((kind) =>
        of(report.stages.flatMap(({ traffic }) => traffic?.[kind] ?? [])),
      ),
      of(report.devices.map(({ sync }) => sync)),
    ];
    for (const seconds of kinds) expect(seconds).toBeGreaterThan(0);
    const all = kinds.reduce((sum, seconds) => sum + seconds, 0) / (report.devices.length * report.iteration);
    expect(exposedCommunication(report)).toBeCloseTo(all, 12);
    const message = (code: string) => found.findings.find((finding) => finding.code === code)?.message;
    expect(message('comm/exposed')).toContain(`(${share(all)} of the iteration) for communication`);
    expect(message('expect/failed')).toBe(`Expected exposed_communication == 0%, but it is ${share(all)}.`);
    expect(reportText(found.pipelines[0].plan, run, 120, picocolors.createColors(false))).toMatch(
      new RegExp(`Exposed +${share(all)} +communication: `),
    );
  });

  test('is not denied where operations follow each other without a gap, and promises no fix', () => {
    const alone = text('0%')
      .replace('tensor = 2  data = 2  stages = balance(2)', 'data = 8  stages = balance(1)')
      .replace('microbatches = 4', 'microbatches = 40');
    const shown = (written: string): string => {
      const { run, plan } = analyse(written).pipelines[0];
      if (run === undefined) throw new Error('it does not run');
      return reportText(plan, run, 120, picocolors.createColors(false));
    };
    expect(shown(alone)).toMatch(/Bubble +0 % +no gap between operations; .* exposed communication/);
    expect(analyse(alone).findings.find(({ code }) => code === 'comm/exposed')?.message).toMatch(/ more memory\.$/);
    const still = alone.replace('data = 8', 'data = 1').replace('shard = zero3', '').replace('gpu[8]', 'gpu[1]');
    expect(shown(still)).toMatch(/Bubble +0 % +no device ever waits/);
  });
});
