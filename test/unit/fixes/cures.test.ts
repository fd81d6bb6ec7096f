/** Each kind of change writes what it says, and combinations of them have no part that they do not need. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { toEnd } from '../../../engine/basics/steps.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { packedWeightsCandidates } from '../../../engine/fixes/adapters.ts';
import { type Subject, subjectOf } from '../../../engine/fixes/candidates.ts';
import { expertsForTensor, fewerExpertRanks, moreExpertRanks, wholeExperts } from '../../../engine/fixes/experts.ts';
import { lossCandidates } from '../../../engine/fixes/loss.ts';
import { simulated } from '../../../engine/fixes/outcome.ts';
import { apply, type Edit } from '../../../engine/fixes/proposal.ts';
import {
  contextCandidates,
  contextForPipeline,
  contextExchangeCandidates,
  fewerTensorRanks,
  moreTensorRanks,
  overlapTensorCandidates,
  sequenceCandidates,
} from '../../../engine/fixes/ranks.ts';
import { moreNodes } from '../../../engine/fixes/moreNodes.ts';
import { everyStage } from '../../../engine/fixes/recompute.ts';
import { groupedShardCandidates } from '../../../engine/fixes/shard.ts';
import { type Candidate, fixesAmong } from '../../../engine/fixes/trial.ts';
import { analyse, analyseExample, checkedAfter, fixesOf } from '../../support/analyse.ts';
import { exampleText } from '../../support/example.ts';
import { contextChoice } from '../../../engine/sweep/space/ranks.ts';
import { sweepCase } from '../sweep/sweepCase.ts';
import { checkFigures } from './promise.ts';

interface Written {
  readonly layer?: string;
  readonly head?: string;
  readonly model?: string;
  readonly keys?: string;
  readonly batch?: string;
  readonly optimizer?: string;
  readonly stages?: string;
  readonly sequence?: number;
}

const dense = 'transformer(hidden = 4096, heads = 32, flash = true)';
const sparse = 'transformer(hidden = 2048, heads = 16, flash = true, experts = 8, experts_per_token = 2)';

const file = ({
  layer = dense,
  head = 'lm_head(vocab = 32000, hidden = 4096)',
  model = '',
  keys = '',
  batch = 'microbatches = 8',
  optimizer = 'adam_mixed',
  stages = 'balance',
  sequence = 4096,
}: Written): string => `
model m {
  precision = bf16  sequence = ${sequence}  micro_batch = 1
  ${model}
  layer embed = embedding(vocab = 32000, hidden = 4096)
  layer block[14] = ${layer}
  layer head = ${head}
}
device gpu { memory = 80GiB  compute(bf16) = 300TFLOPS  bandwidth = 2TB/s }
cluster box { node[2] { gpu[8] = gpu  link = 200GB/s }  link = 25GB/s }
pipeline train {
  model = m  devices = box  schedule = 1f1b  stages = ${stages}
  optimizer = ${optimizer}
  ${batch}
  ${keys}
}
`;

type Kind = (subject: Subject) => Iterable<Candidate | undefined>;

/** What a kind of change offers for a file: words, and the keys that it writes. */
function offered(written: Written, kind: Kind): Readonly<Record<string, string>> {
  const analysis = analyse(file(written));
  const subject = subjectOf(analysis, 'train', analyse);
  if (subject === undefined) throw new Error(analysis.findings.map(({ message }) => message).join('\n'));
  const candidates = [...kind(subject)].flatMap((candidate) => candidate ?? []);
  const goal = { pipeline: 'train', emphasis: 'time', met: () => true, most: 20, mostOfKind: 20 } as const;
  for (const { title, edits } of toEnd(fixesAmong(analysis, goal, candidates, analyse)))
    checkFigures(analysis, analyse(apply(analysis.syntax.text, edits)), title);
  return Object.fromEntries(
    candidates.map(({ what, edits }) => {
      const written = edits.filter((edit): edit is Edit => edit !== undefined);
      const changed = analyse(apply(analysis.syntax.text, written));
      expect(simulated(changed, 'train'), what).toBeDefined();
      const lines = changed.syntax.text.split('\n');
      const old = new Set(analysis.syntax.text.split('\n'));
      return [what, lines.flatMap((line) => (old.has(line) ? [] : line.trim())).join('; ')];
    }),
  );
}

describe('a change of the ranks', () => {
  it('splits what lies between the products, under the name that the file has', () => {
    expect(offered({ keys: 'tensor = 4' }, sequenceCandidates)).toEqual({
      'Set sequence_parallel = true': 'sequence_parallel = true',
    });
    expect(offered({ keys: 'tensor = 4  sequence = false' }, sequenceCandidates)).toEqual({
      'Set sequence = true': 'tensor = 4  sequence = true',
    });
    expect(offered({ keys: 'tensor = 4  sequence = true' }, sequenceCandidates)).toEqual({});
    expect(offered({}, sequenceCandidates)).toEqual({});
  });

  it('takes context ranks from data ranks and keeps the batch', () => {
    const sequence = 16_384;
    expect(offered({ sequence, keys: 'data = 4' }, contextCandidates)).toEqual({
      'Use 2 context and 2 data ranks with 16 microbatches': 'microbatches = 16; data = 2; context = 2',
      'Use 4 context and 1 data rank with 32 microbatches': 'microbatches = 32; data = 1; context = 4',
    });
    expect(offered({ sequence, keys: 'data = 4', batch: 'global_batch = 32' }, contextCandidates)).toEqual({
      'Use 2 context and 2 data ranks with 16 microbatches': 'data = 2; context = 2',
      'Use 4 context and 1 data rank with 32 microbatches': 'data = 1; context = 4',
    });
    expect(offered({ sequence }, contextCandidates)).toEqual({});
  });

  it.each([4096, 8192, 12_288, 16_384])('splits samples of %i tokens as far as a search does', (sequence) => {
    const { base } = sweepCase('recompute = none', {
      text: file({ sequence, keys: 'data = 16', stages: 'balance(1)', batch: 'global_batch = 32' }),
    });
    const searched = contextChoice(base).axis?.values.slice(1) ?? [];
    const fixed = Object.keys(offered({ sequence, keys: 'data = 16', stages: 'balance(1)' }, contextCandidates));
    expect(fixed.map((what) => /\d+/u.exec(what)?.[0])).toEqual(searched);
    expect(searched).toEqual({ 4096: [], 8192: ['2'], 12_288: ['2'], 16_384: ['2', '4'] }[sequence]);
  });

  it('takes context ranks from pipeline ranks where no data ranks are left', () => {
    const sequence = 16_384;
    expect(offered({ sequence }, contextForPipeline)).toEqual({
      'Use 2 context and 8 pipeline ranks with 8 microbatches': 'context = 2',
      'Use 4 context and 4 pipeline ranks with 8 microbatches': 'context = 4',
    });
    expect(offered({ sequence, keys: 'data = 16', stages: 'balance(1)' }, contextForPipeline)).toEqual({});
    expect(offered({ sequence, keys: 'data = 2', stages: 'balance(8)' }, contextForPipeline)).toMatchObject({
      'Use 4 context, 1 data and 4 pipeline ranks with 16 microbatches': expect.stringContaining('balance(4)'),
    });
    expect(
      offered({ sequence, keys: 'data = 2', stages: 'split(2, 2, 2, 2, 2, 2, 2, 2)' }, contextForPipeline),
    ).toMatchObject({
      'Use 4 context, 1 data and 4 pipeline ranks with 16 microbatches': expect.stringContaining('balance(4)'),
    });
  });

  it('takes tensor ranks from data ranks, within a node', () => {
    expect(offered({ keys: 'tensor = 4  data = 4' }, moreTensorRanks)).toEqual({
      'Use 8 tensor and 2 data ranks with 16 microbatches and sequence parallelism':
        'microbatches = 16; tensor = 8  data = 2; sequence_parallel = true',
    });
    for (const written of ['sequence_parallel = true', 'sequence = false'])
      expect(offered({ keys: `tensor = 4  data = 4  ${written}` }, moreTensorRanks)).toEqual({
        'Use 8 tensor and 2 data ranks with 16 microbatches': `microbatches = 16; tensor = 8  data = 2  ${written}`,
      });
    // How layers are split is in the layers of its users.
    expect(Object.keys(offered({ keys: 'tensor = 4  data = 4  engine = deepspeed' }, moreTensorRanks))).toEqual([
      'Use 8 tensor and 2 data ranks with 16 microbatches',
    ]);
    expect(offered({ keys: 'tensor = 8  data = 2' }, moreTensorRanks)).toEqual({});
    expect(offered({ keys: 'tensor = 4' }, moreTensorRanks)).toEqual({});
  });

  it('takes more nodes with as many more pipeline ranks, or data ranks that share everything', () => {
    const more = offered({ keys: 'data = 2', stages: 'balance(8)' }, moreNodes);
    expect(more['Use 4 nodes and 16 pipeline ranks']).toContain('node[4]');
    expect(more['Use 4 nodes and 16 pipeline ranks']).toContain('balance(16)');
    const data =
      more['Use 4 nodes and 4 data ranks that share optimizer, gradients and weights, and recompute every stage'];
    for (const written of ['node[4]', 'data = 4', 'microbatches = 4', 'adam_mixed(shard = zero3)', 'recompute = full'])
      expect(data).toContain(written);
  });

  it('takes data ranks from tensor ranks', () => {
    expect(offered({ keys: 'tensor = 4' }, fewerTensorRanks)).toEqual({
      'Use 2 tensor and 2 data ranks with 4 microbatches': 'microbatches = 4; tensor = 2; data = 2',
    });
    expect(offered({ keys: 'tensor = 4', batch: 'microbatches = 7' }, fewerTensorRanks)).toEqual({});
  });

  it('sends keys to context ranks in the other way', () => {
    expect(offered({ keys: 'context = 2' }, contextExchangeCandidates)).toEqual({
      'Set context_exchange = all_to_all': 'context_exchange = all_to_all',
    });
    expect(offered({ keys: 'context = 2  context_exchange = all_to_all' }, contextExchangeCandidates)).toEqual({
      'Set context_exchange = ring': 'context = 2  context_exchange = ring',
    });
    expect(offered({}, contextExchangeCandidates)).toEqual({});
  });

  it('gives the experts more ranks, or fewer', () => {
    const experts = { layer: sparse, head: 'lm_head(vocab = 32000, hidden = 2048)' };
    expect(offered({ ...experts, keys: 'data = 4' }, moreExpertRanks)).toEqual({
      'Use 2 expert ranks': 'expert = 2',
      'Use 4 expert ranks': 'expert = 4',
    });
    expect(offered({ ...experts, keys: 'data = 4  expert = 4' }, fewerExpertRanks)).toEqual({
      'Use 2 expert ranks': 'data = 4  expert = 2',
      'Use 1 expert rank': 'data = 4  expert = 1',
    });
    const split = { ...experts, keys: 'tensor = 2  sequence_parallel = true  data = 2  expert = 2' };
    expect(offered(split, wholeExperts)).toEqual({
      'Keep every expert whole on 4 expert ranks':
        'tensor = 2  sequence_parallel = true  data = 2  expert = 4; expert_tensor = 1',
    });
    const split4 = { ...experts, keys: 'data = 2\n  tensor = 4\n  sequence_parallel = true' };
    expect(offered(split4, expertsForTensor)).toEqual({
      'Use 1 tensor and 8 data ranks with 2 microbatches, and 8 expert ranks':
        'microbatches = 2; data = 8; tensor = 1; expert = 8',
      'Use 1 tensor and 8 data ranks with 2 microbatches, and 4 expert ranks':
        'microbatches = 2; data = 8; tensor = 1; expert = 4',
      'Use 2 tensor and 4 data ranks with 4 microbatches, and 4 expert ranks':
        'microbatches = 4; data = 4; tensor = 2; expert = 4; expert_tensor = 1',
      'Use 2 tensor and 4 data ranks with 4 microbatches, and 2 expert ranks':
        'microbatches = 4; data = 4; tensor = 2; expert = 2; expert_tensor = 1',
    });
    for (const kind of [moreExpertRanks, fewerExpertRanks, wholeExperts, expertsForTensor])
      expect(offered({ keys: 'tensor = 2  data = 4' }, kind)).toEqual({});
  });
});

describe('a change of what is kept', () => {
  it('gathers sharded weights inside a node', () => {
    expect(offered({ keys: 'data = 16', optimizer: 'adam_mixed(shard = zero3)' }, groupedShardCandidates)).toEqual({
      'Shard over groups of 8 ranks': 'optimizer = adam_mixed(shard = zero3, over = 8)',
      'Shard over groups of 4 ranks': 'optimizer = adam_mixed(shard = zero3, over = 4)',
    });
    for (const optimizer of ['adam_mixed', 'adam_mixed(shard = zero2)', 'adam_mixed(shard = zero3, over = 8)'])
      expect(offered({ keys: 'data = 16', optimizer }, groupedShardCandidates)).toEqual({});
  });

  it('fuses the loss of a head in this file', () => {
    const fused = { 'Fuse the loss': 'layer head = lm_head(vocab = 32000, hidden = 4096, loss = fused)' };
    expect(offered({}, lossCandidates)).toEqual(fused);
    expect(offered({ head: 'lm_head(vocab = 32000, hidden = 4096, loss = eager)' }, lossCandidates)).toEqual(fused);
  });

  it('packs frozen weights', () => {
    expect(offered({ model: 'trainable = lora(16)' }, packedWeightsCandidates)).toEqual({
      'Keep the frozen weights as nf4': 'trainable = lora(16, weights = nf4)',
    });
    expect(offered({}, packedWeightsCandidates)).toEqual({});
  });

  it('recomputes modules of every stage', () => {
    const modes = (layer: string) => Object.values(offered({ layer }, everyStage));
    expect(modes(dense)).toContain('recompute = modules(mlp)');
    // Norms of dense layers are part of the product behind them.
    expect(modes(dense).join('\n')).not.toContain('layernorm');
    expect(modes(sparse)).toContain('recompute = modules(layernorm)');
  });
});

describe('kernels that send while they compute', () => {
  it.each([
    [2, '40'],
    [4, '60'],
    [8, '70'],
  ])('hide of %i tensor ranks %s %% under sequence parallelism', (tensor, share) => {
    expect(offered({ keys: `tensor = ${tensor}  sequence_parallel = true` }, overlapTensorCandidates)).toEqual({
      [`Hide ${share} % of the exchanges of tensor ranks, in kernels that send while they compute`]: `overlap(tensor) = ${share}%`,
    });
  });

  it.each(['', 'tensor = 4', 'tensor = 4  sequence_parallel = true  overlap(tensor) = 10%'])(
    'are not offered with "%s"',
    (keys) => {
      expect(offered({ keys }, overlapTensorCandidates)).toEqual({});
    },
  );
});

test('recomputed attention that kernels do not keep anyway hides no other recomputation', () => {
  const text = readFileSync(join(import.meta.dirname, '../../data/advice/03_70b_tp8_nosp.pipe'), 'utf8');
  const offered = (keys: string): readonly string[] =>
    fixesOf(analyse(text.replace('schedule = 1f1b', `schedule = 1f1b${keys}`)), 'memory/out-of-memory').flatMap(
      ({ title }) => (title.startsWith('Recompute') ? [title] : []),
    );
  const plain = offered('');
  expect(plain).toContain('Recompute 10 layers of every stage: peak 71.7 GiB, iteration +16.7 %');
  expect(offered('  recompute = selective')).toEqual(plain);
});

test('no more layers are recomputed than keep the margin of memory/headroom', () => {
  const text = readFileSync(join(import.meta.dirname, '../../data/advice/03_70b_tp8_nosp.pipe'), 'utf8');
  const room = (layers: number): readonly string[] =>
    analyse(text.replace('schedule = 1f1b', `schedule = 1f1b  recompute = full(layers = ${layers})`)).findings.flatMap(
      ({ code }) => (code.startsWith('memory/') ? [code] : []),
    );
  expect(room(10)).toEqual([]);
  expect(room(9)).toEqual(['memory/headroom']);
});

/** Fixes among candidates that make the device faster by a factor. */
describe('the order', () => {
  const analysis = analyse(file({}));
  const { text } = analysis.syntax;
  const start = text.indexOf('300TFLOPS');
  const faster = (what: string, factor: number, more: Partial<Candidate> = {}): Candidate => ({
    ...{ what, kind: what },
    edits: [
      { start, end: start + '300TFLOPS'.length, text: `${300 * factor}TFLOPS` },
      { start: text.indexOf('2TB/s'), end: text.indexOf('2TB/s') + 5, text: `${2 * factor}TB/s` },
    ],
    ...more,
  });
  const order = (...candidates: readonly Candidate[]) =>
    toEnd(fixesAmong(analysis, { pipeline: 'train', emphasis: 'time', met: () => true }, candidates, analyse)).map(
      ({ title }) => title.split(':')[0],
    );
  const [a, b] = [faster('a', 1.1), faster('b', 1.11)];
  const parts = [faster('x', 0.5), faster('y', 0.6)];

  it('has one change before two, unless these are much faster', () => {
    expect(order(faster('two', 1.13, { parts }), a)).toEqual(['a', 'two']);
    expect(order(faster('two', 1.3, { parts }), a)).toEqual(['two', 'a']);
  });

  it('has other numbers after the same ones', () => {
    expect(order(faster('packed', 2, { numerics: true }), a)).toEqual(['a', 'packed']);
  });

  it('leaves out a combination that gains nothing on one of its parts', () => {
    expect(order(faster('both', 1.115, { parts: [a, b] }), a, b)).toEqual(['b', 'a']);
    expect(order(faster('both', 1.3, { parts: [a, b] }), a, b)).toEqual(['both', 'b', 'a']);
  });
});

test('without any part, a combination misses the goal or takes longer', () => {
  const text = readFileSync(join(import.meta.dirname, '../../data/advice/07_long_128k.pipe'), 'utf8');
  const analysis = analyse(text);
  const [fix] = fixesOf(analysis, 'memory/out-of-memory');
  expect(fix.title).toMatch(/^Set sequence_parallel = true, and use 4 context, /);
  const isOf: readonly ((edit: Edit) => boolean)[] = [
    ({ text: by }) => by.includes('sequence_parallel'),
    ({ text: by }) => !by.includes('sequence_parallel'),
  ];
  for (const isDropped of isOf) {
    const kept = fix.edits.filter((edit) => !isDropped(edit));
    expect(kept.length).toBeLessThan(fix.edits.length);
    const run = simulated(analyse(apply(text, kept)), 'train')?.run.report;
    const fits = run?.devices.every(({ peak, capacity }) => peak <= capacity);
    if (fits === true) expect(run?.iteration).toBeGreaterThan(1.02 * (fix.effect?.after.iteration ?? NaN));
  }
});

test('a rule that no library has is not the first of several', () => {
  const name = 'systems/ddp_horovod.pipe';
  // Of its pipelines, one with a rule that no library has among its choices, and one without.
  const [head, ...pipelines] = exampleText(name).split(/(?=\/\/\/ .*\npipeline )/);
  const two = pipelines.filter((text) => /^pipeline (?:layers|wide_layers) /m.test(text));
  const analysis = analyseExample(name, {}, head + two.join(''));
  const again = checkedAfter(analysis);
  const found = analysis.findings.filter(({ code }) => code.startsWith('comm/'));
  const all = found.map((finding) => fixesFor(analysis, finding, again));
  const choices = all.filter((fixes) => fixes.some(({ runners }) => runners?.length !== 0));
  expect(choices.flat().some(({ runners }) => runners?.length === 0)).toBe(true);
  for (const [first] of choices) expect(first.runners, first.title).not.toEqual([]);
});
