import { describe, expect, it } from 'vitest';
import type { PipelineReport } from '../../../../engine/values/report.ts';
import { runOf } from '../../../support/analyse.ts';
import { breaches } from '../holds.ts';

const file = (lengths: string, pipeline: string) => `
model toy {
  sequence = 1000
  layer block[16] {
    forward = 4ms  backward_input = 3ms  backward_weight = 5ms  weights = 64MiB  activation = 512MiB
    activation_for_weight = 256MiB  workspace = 32MiB  output = 30MB
  }
}
model other { layer task[2] { forward = 1ms  backward = 2ms } }
device gpu { memory = 200GiB  host = 20GB/s }
cluster box { gpu[8] = gpu  link = 10GB/s + 10us }
cluster ring { gpu[4] = gpu  link gpu[0] -- gpu[1] = 10GB/s  link gpu[1] -- gpu[2] = 10GB/s  link gpu[2] -- gpu[3] = 10GB/s }
schedule rule { order = greedy(prefer = [I, F, W])  backward = split  in_flight(s) = stages - s }
schedule seldom {
  row(d) = F[0..<microbatches], R[0..<microbatches], B[0..<microbatches]
}
pipeline p { model = toy  microbatches = 8  ${lengths}  ${pipeline} }`;

const linear = 'devices = box  stages = balance(8)';
const four = 'devices = ring  stages = balance(4)';
const settings: readonly (readonly [name: string, pipeline: string])[] = [
  ...['gpipe', '1f1b', 'eager_1f1b', 'dapple', 'torchgpipe', 'zb_h1', 'zb_h2', 'zb_auto', 'rule'].map(
    (name) => [name, `${linear}  schedule = ${name}`] as const,
  ),
  ...['interleaved_1f1b(chunks = 2)', 'breadth_first(chunks = 2)', 'hanayo(waves = 1)', 'zb_v', 'v_half', 'v_min'].map(
    (name) => [name, `devices = box  stages = balance(16)  schedule = ${name}`] as const,
  ),
  ...['chimera', 'dualpipe'].map((name) => [name, `${four}  schedule = ${name}`] as const),
  ['dualpipe_v', 'devices = ring  stages = balance(8)  schedule = dualpipe_v'],
  ...['pipedream', 'pipedream_2bw', 'pipemare', 'xpipe'].map(
    (name) => [name, `${four}  schedule = ${name}  iterations = 8`] as const,
  ),
  ['segments', `${linear}  schedule = seq1f1b(segments = 4)`],
  ['segments of different shares', `${linear}  schedule = seq1f1b(segments = 2, shares = [75, 25])  recompute = full`],
  ['recomputation', `${linear}  schedule = 1f1b  recompute = full`],
  ['recomputation apart', `${linear}  schedule = seldom  recompute = full`],
  ['blocking transfers', `${four}  schedule = gpipe  transfer = rendezvous`],
  ['blocking transfers in batches', `${four}  schedule = zb_h1  transfer = rendezvous(batched = true)`],
  ['a route over several hops', `${four}  schedule = interleaved_1f1b(chunks = 2)`.replace('balance(4)', 'balance(8)')],
  [
    'gradients in buckets',
    'devices = box  stages = balance(4)  data = 2  schedule = 1f1b  sync = overlap(bucket = 100MB)',
  ],
  ['a rule of exchange', 'devices = box  stages = balance(4)  data = 2  schedule = 1f1b  sync = bytescheduler'],
  ['a fill job', `${linear}  schedule = 1f1b  fill = training(other)`],
];

/** Documents of equal sums are two kinds of microbatches that take the same where layers are measured. */
const alike =
  'documents = [[500, 500], [400, 600], [400, 600], [500, 500], [500, 500], [400, 600], [500, 500], [400, 600]]';

/** What no order of equally good ones decides. The bound of equal microbatches may be proven higher. */
const figures = ({ critical_path: _path, lengths: _lengths, ...report }: PipelineReport) => ({
  ...report,
  bubble: { ...report.bubble, bound: 0, causes: { lengths: 0, ...report.bubble.causes } },
});

/** Numbers that differ by more than rounding, by path. */
function differences(a: unknown, b: unknown, path: string): readonly string[] {
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= 1e-9 * Math.max(1e-3, Math.abs(a)) ? [] : [`${path}: ${a} and ${b}`];
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null)
    return a === b ? [] : [`${path}: ${String(a)} and ${String(b)}`];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Array.from(keys).flatMap((key) => differences(Reflect.get(a, key), Reflect.get(b, key), `${path}.${key}`));
}

describe.each(settings)('%s', (_, pipeline) => {
  it('gives equal microbatches of two kinds the figures of equal microbatches', () => {
    const [plain, kinds] = ['', alike].map((lengths) => runOf(file(lengths, pipeline)));
    expect(kinds.plan.lengths?.kinds).toHaveLength(2);
    expect(differences(figures(plain.run.report), figures(kinds.run.report), 'report')).toEqual([]);
    expect(kinds.run.report.bubble.bound).toBeLessThanOrEqual(plain.run.report.bubble.bound + 1e-9);
  });

  it('gives different ones figures that fit each other', () => {
    expect(breaches(file('tokens = [1000, 20, 700, 300, 999, 1, 450, 450]', pipeline), 'in turn')).toEqual([]);
  });
});
