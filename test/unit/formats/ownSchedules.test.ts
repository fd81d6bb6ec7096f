/** What each format of `export` does with each construct of a schedule: it refuses it, names it with its number, or has all of it. */
import { describe, expect, it } from 'vitest';
import { figureFormats } from '../../../cli/figure.ts';
import { call, type Called } from '../cli/harness.ts';

interface Construct {
  readonly name: string;
  /** What the schedule says. */
  readonly text: string;
  readonly pipeline?: string;
  readonly stages?: number;
  /** What both PyTorch formats say; otherwise why they write nothing. */
  readonly notes?: readonly string[];
  readonly refused?: string;
  /** Why the program is refused though the table is written. */
  readonly script?: string;
  /** Operations of the timeline, by letter or name. */
  readonly operations: Readonly<Record<string, number>>;
}

const plain = 'row(d) = F[0..<microbatches], B[0..<microbatches]';
const forwardsAndBackwards = { F: 8, B: 8 };

const constructs: readonly Construct[] = [
  {
    name: 'rows',
    text: plain,
    notes: ['The table is the order of "mine" for these numbers, not the schedule that gives it.'],
    operations: forwardsAndBackwards,
  },
  {
    name: 'parameters and conditions',
    text: 'param warm = 2 in 1..4  require warm <= microbatches  row(d) = F[0..<warm], zip(F[warm..<microbatches], B[0..<microbatches])',
    notes: ['not the schedule that gives it'],
    operations: forwardsAndBackwards,
  },
  {
    name: 'slots',
    text: 'slot(F, s, j) = 2 * j + s  slot(B, s, j) = 2 * j + 2 * devices - 1 - s',
    notes: ['not the schedule that gives it'],
    operations: forwardsAndBackwards,
  },
  {
    name: 'a rule',
    text: 'order = greedy(prefer = [B, F])  allow(F, s) = held(s) < 2',
    notes: ['not the rule that decides it'],
    operations: forwardsAndBackwards,
  },
  {
    name: 'a split backward',
    text: 'row(d) = F[0..<microbatches], each(j in 0..<microbatches, I[j], W[j])',
    notes: [],
    operations: { F: 8, I: 8, W: 8 },
  },
  {
    name: 'chunks',
    text: 'placement = loop(2)  row(d) = F[0..<microbatches, chunk = 0], F[0..<microbatches, chunk = 1], B[0..<microbatches, chunk = 1], B[0..<microbatches, chunk = 0]',
    stages: 4,
    notes: [],
    operations: { F: 16, B: 16 },
  },
  {
    name: 'an order of forwards in which losses are mixed up',
    text: 'row(d) = F[microbatches-1..0 step -1], B[0..<microbatches]',
    notes: [],
    script: '1F3 runs where 1F0 is due',
    operations: forwardsAndBackwards,
  },
  {
    name: 'fused operations with an overlap',
    text: 'row(d) = if(d == 0, [F[0..<microbatches], B[0..<microbatches]], [F[0], each(j in 1..<microbatches, fused(F[j], B[j-1], overlap = 40%)), B[microbatches-1]])',
    notes: ['The overlap of fused operations (3 pairs) is not in the table'],
    operations: forwardsAndBackwards,
  },
  {
    name: 'copies by `on`',
    text: `on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)  order = greedy(prefer = [B, F])`,
    refused: 'stage 0 has copies on 2 devices: in PyTorch each stage is on one rank',
    operations: forwardsAndBackwards,
  },
  {
    name: 'copies by a placement',
    text: 'placement = bidirectional  order = greedy(prefer = [B, F])',
    refused: 'has copies on 2 devices',
    operations: forwardsAndBackwards,
  },
  {
    name: 'spare copies',
    text: 'on(s, j) = [s, mod(s - 1, devices)]  spare = true  row(d) = F[0..<microbatches], F[0..<microbatches, stage = 1 - d], B[0..<microbatches]',
    refused: 'stage 0 has a spare copy',
    operations: { F: 16, B: 8 },
  },
  {
    name: 'parts',
    text: 'parts = 2  row(d) = each(j in 0..<microbatches, F[j, part = 0..<2]), each(j in microbatches-1..0 step -1, B[j, part = 1..0 step -1])',
    refused: 'stage 0 computes the sequence in 2 segments: PyTorch cuts microbatches along the batch only',
    operations: { F: 16, B: 16 },
  },
  {
    name: 'recomputation in rows',
    text: 'row(d) = F[0..<microbatches], each(j in 0..<microbatches, R[j], B[j])',
    pipeline: 'recompute = full',
    notes: ['Recomputation as a separate operation (R), 8 operations, is not in the table', 'torch.utils.checkpoint'],
    operations: { ...forwardsAndBackwards, R: 8 },
  },
  {
    name: 'activations in the memory of the host',
    text: 'row(d) = each(j in 0..<microbatches, F[j], E[j, to = host]), each(j in 0..<microbatches, L[j], B[j])',
    notes: ['Moving activations to another device and back (E, L), 16 operations, is not in the table'],
    operations: { ...forwardsAndBackwards, E: 8, L: 8 },
  },
  {
    name: 'updates without a flush',
    text: 'weights = stash  row(d) = each(j in 0..<microbatches * iterations, F[j], B[j], if(mod(j, microbatches) == microbatches - 1, U[j], []))',
    pipeline: 'iterations = 2',
    refused:
      'the schedule "mine" updates weights without a flush (the rule "stash"): PyTorch runs the 4 microbatches of a step with the same weights',
    operations: { F: 16, B: 16, U: 4 },
  },
  {
    name: 'declared operations',
    text: 'operation loss { time = 3ms  after(j) = F[j, stage = 1]  before(j) = B[j, stage = 1] }  row(d) = F[0..<microbatches], if(d == 1, loss[0..<microbatches], []), B[0..<microbatches]',
    notes: ['What the schedule declares as "loss", 4 operations, is not in the table'],
    operations: { ...forwardsAndBackwards, loss: 4 },
  },
];

const fileOf = ({ text, pipeline = '', stages = 2 }: Construct): string => `
device d { memory = 16GiB  host = 24GB/s + 6us }
cluster box { gpu[2] = d  link = 25GB/s + 5us }
model toy { layer block[${stages}] { forward = 4ms  backward_input = 4ms  backward_weight = 4ms  activation = 1MiB } }
schedule mine { ${text} }
pipeline train { model = toy  devices = box  microbatches = 4  stages = balance(${stages})  schedule = mine  ${pipeline} }
`;

const exported = (construct: Construct, format: string, ...more: readonly string[]): Promise<Called> =>
  call(['export', 'a.pipe', '--to', format, ...more], { files: { 'a.pipe': fileOf(construct) } });

describe.each(constructs)('$name', (construct) => {
  const { notes = [], refused, script } = construct;

  it.each(['torch-csv', 'torch-script'])('%s', async (format) => {
    const { status, out, err } = await exported(construct, format);
    const problem = refused ?? (format === 'torch-script' ? script : undefined);
    if (problem !== undefined) {
      expect([status, out, err]).toEqual([1, '', expect.stringContaining(problem)]);
      return;
    }
    expect([status, err]).toEqual([0, expect.any(String)]);
    for (const note of notes) expect(err).toContain(note);
    const table = format === 'torch-csv' ? out : (/SCHEDULE = """\n([^"]*)"""/.exec(out)?.[1] ?? '');
    const written = [...table.matchAll(/\d+([FBIW])\d+/g)].map(([, letter]) => letter);
    for (const letter of 'FBIW')
      expect(written.filter((other) => other === letter)).toHaveLength(construct.operations[letter] ?? 0);
  });

  it.each(figureFormats.filter((format) => format === 'svg' || format === 'trace'))('%s', async (format) => {
    const { status, out, err } = await exported(construct, format);
    expect([status, err]).toEqual([0, '']);
    if (format === 'svg') {
      expect(out).toMatch(/<\/svg>\s*$/);
      return;
    }
    const events: readonly { readonly ph: string; readonly args?: { readonly kind?: string } }[] =
      JSON.parse(out).traceEvents;
    const counts: Record<string, number> = {};
    // Fused operations are one slice.
    for (const kind of events.flatMap(({ ph, args }) => (ph === 'X' ? (args?.kind?.split(';') ?? []) : [])))
      counts[kind] = (counts[kind] ?? 0) + 1;
    expect(counts).toEqual(construct.operations);
  });
});
