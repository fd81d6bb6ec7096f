/** Quick fixes under a training engine, and who runs what is offered without one. */
import { describe, expect, it } from 'vitest';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { apply, type Proposal, shownTitle } from '../../../engine/fixes/proposal.ts';
import { fixesAmong } from '../../../engine/fixes/trial.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { analyse, checkedAfter } from '../../support/analyse.ts';
import { fileOf } from '../engines/file.ts';
import { pipe } from './file.ts';

const fixesAt = (text: string, code: Code, key?: string): readonly Proposal[] => {
  const analysis = analyse(text);
  const finding = analysis.findings.find(
    (found) => found.code === code && (key === undefined || (found.hint?.kind === 'engine' && found.hint.key === key)),
  );
  return finding === undefined ? [] : fixesFor(analysis, finding, checkedAfter(analysis));
};
const unsupported = (text: string): readonly string[] =>
  analyse(text).findings.flatMap(({ code, message }) => (code === 'engine/unsupported' ? [message] : []));
const short = (fixes: readonly Proposal[]): readonly string[] => fixes.map(({ title }) => title.split(':')[0]);

describe('what an engine does not run is fixed by what it runs', () => {
  it.each([
    ['sync', { keys: 'data = 2  sync = pace' }, 'Set sync = megatron'],
    ['recompute', { keys: 'recompute = operations' }, 'Set recompute = selective'],
    ['transfer', { keys: 'transfer = buffered(receive = all)' }, 'Set transfer = buffered'],
    ['offload', { keys: 'offload = activations(layers = 2)' }, 'Remove `offload`'],
    ['overlap', { keys: 'tensor = 4  overlap(tensor) = 50%' }, 'Set sequence_parallel = true'],
    ['overlap', { keys: 'tensor = 4  sequence = false  overlap(tensor) = 50%' }, 'Set sequence_parallel = true'],
    [
      'schedule',
      { schedule: 'interleaved_1f1b(chunks = 2)', stages: 'balance(8)', microbatches: 3 },
      'Set microbatches = 4',
    ],
  ])('at %s', (key, written, title) => {
    const text = fileOf('megatron', written);
    expect(unsupported(text)).toHaveLength(1);
    const fixes = fixesAt(text, 'engine/unsupported', key);
    expect(short(fixes)).toContain(title);
    for (const fix of fixes) expect(unsupported(apply(text, fix.edits)), fix.title).toEqual([]);
  });

  it('at an argument of the optimizer', () => {
    const text = fileOf('deepspeed', { keys: 'data = 2', optimizer: 'adam_mixed(shard = zero2, clip = true)' });
    const [fix] = fixesAt(text, 'engine/unsupported', 'optimizer');
    expect(apply(text, fix.edits)).toContain('adam_mixed(shard = zero1, clip = true)');
  });

  it('at a schedule, with the nearest beside the fastest', () => {
    const text = fileOf('megatron', { schedule: 'zb_h1' });
    const fixes = fixesAt(text, 'engine/unsupported', 'schedule');
    expect(short(fixes)).toContain('Use 1f1b');
    expect(short(fixes).some((title) => title.startsWith('Use interleaved_1f1b('))).toBe(true);
    for (const fix of fixes) expect(unsupported(apply(text, fix.edits)), fix.title).toEqual([]);
  });

  it('at an optimizer that it refuses for several reasons, all said by one finding and answered by one fix', () => {
    const text = fileOf('torchtitan', { keys: 'data = 2', optimizer: 'megatron_bf16(shard = distributed)' });
    expect(unsupported(text)).toEqual([
      expect.stringMatching(
        /^torchtitan shards .*, not as `distributed`.*\. torchtitan is not known to keep .* as `megatron_bf16`/,
      ),
    ]);
    const fixes = fixesAt(text, 'engine/unsupported', 'optimizer');
    expect(short(fixes)).toEqual(['Set optimizer = adamw(shard = fsdp, reshard = false)']);
    expect(unsupported(apply(text, fixes[0].edits))).toEqual([]);
    // One reason left is not a new one.
    const ddp = fileOf('torchtitan', { keys: 'data = 2', optimizer: 'adam_mixed' });
    expect(apply(ddp, fixesAt(ddp, 'engine/defaults')[0].edits)).toContain(
      'adam_mixed(shard = fsdp, reshard = false, ',
    );
  });

  it('what it does unasked is written by one fix', () => {
    const text = fileOf('torchtitan', { keys: 'data = 2  tensor = 2', optimizer: 'adamw' });
    const [fix, ...more] = fixesAt(text, 'engine/defaults');
    expect(more).toEqual([]);
    const fixed = apply(text, fix.edits);
    expect(fixed).toContain('adamw(shard = fsdp, reshard = false, clip = true)');
    expect(fixed).toContain('sequence_parallel = true');
    expect(analyse(fixed).findings.map(({ code }) => code)).not.toContain('engine/defaults');
  });
});

describe('what is offered', () => {
  const keys = (more = '') => `  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b\n${more}`;

  it('is limited to what the engine runs', () => {
    const free = fixesAt(pipe({ pipeline: keys() }), 'schedule/bubble');
    expect(short(free).some((title) => title.startsWith('Use zb_'))).toBe(true);
    const bound = fixesAt(pipe({ pipeline: keys('  engine = megatron\n') }), 'schedule/bubble');
    expect(short(bound).some((title) => title.startsWith('Use interleaved_1f1b('))).toBe(true);
    for (const { title, runners } of bound) {
      expect(title).not.toMatch(/Use (?!1f1b|interleaved_1f1b)/);
      expect(runners).toBeUndefined();
    }
  });

  it('is so under a setting too, which `engine = any` overrides', () => {
    const options = { ...defaultOptions, engine: 'megatron' };
    const codes = (pipeline: string) => analyse(pipe({ pipeline }), { options }).findings.map(({ code }) => code);
    const zb = keys().replace('1f1b', 'zb_h1');
    expect(codes(zb)).toContain('engine/unsupported');
    expect(codes(`${zb}  engine = any\n`)).not.toContain('engine/unsupported');
    expect(codes(`${zb}  engine = torchtitan\n`)).not.toContain('engine/unsupported');
  });

  it('says who runs it without an engine', () => {
    const fixes = fixesAt(pipe({ pipeline: keys() }), 'schedule/bubble').map(shownTitle);
    expect(fixes.find((title) => title.startsWith('Use zb_'))).toMatch(/ \(torchtitan · PyTorch\)$/);
    expect(fixes.find((title) => title.startsWith('Use interleaved_1f1b'))).toBeUndefined();
    expect(fixes.find((title) => title.startsWith('Set microbatches'))).toMatch(/ \(any engine\)$/);
  });
});

describe('selective recomputation', () => {
  const text = pipe({
    layers: 'layer block[4] = transformer(hidden = 4096, heads = 32, flash = true)',
    pipeline: '  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b',
  })
    .replace('model toy {', 'model toy { sequence = 8192  micro_batch = 1')
    .replace('memory = 16GiB', 'memory = 4GiB  compute = 300TFLOPS  bandwidth = 2TB/s');
  it('is offered by the name that the engine has for it', () => {
    const under = (engine: string) =>
      short(
        fixesAt(text.replace('schedule = 1f1b', `schedule = 1f1b  engine = ${engine}`), 'memory/out-of-memory'),
      ).join();
    expect(under('torchtitan')).toContain('Recompute every stage by the selective policy of torchtitan');
    expect(under('megatron')).not.toContain('selective policy');
  });
});

describe('what no common engine runs', () => {
  const text = pipe({
    layers: 'layer block[4] = transformer(hidden = 4096, heads = 32)',
    pipeline: '  microbatches = 4\n  stages = balance(4)\n  schedule = 1f1b',
  })
    .replace('model toy {', 'model toy { sequence = 8192  micro_batch = 1')
    .replace('memory = 16GiB', 'memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s');
  const analysis = analyse(text);
  const at = (part: string, by: string) => {
    const start = text.indexOf(part);
    return { start, end: start + part.length, text: by };
  };
  const faster = (factor: number) => [
    at('compute = 300TFLOPS', `compute = ${300 * factor}TFLOPS`),
    at('bandwidth = 2TB/s', `bandwidth = ${2 * factor}TB/s`),
  ];
  const paper = (factor: number) => ({
    ...{ what: `paper ${factor}`, kind: `paper ${factor}` },
    edits: [at('schedule = 1f1b', 'schedule = seq1f1b(segments = 2)'), ...faster(factor)],
  });
  const real = (factor: number) => ({ what: `real ${factor}`, kind: `real ${factor}`, edits: faster(factor) });
  const order = (...candidates: readonly ReturnType<typeof real>[]) =>
    toEnd(fixesAmong(analysis, { pipeline: 'train', emphasis: 'time', met: () => true }, candidates, analyse)).map(
      ({ title }) => title.split(':')[0],
    );

  it('is not offered under an engine, also one that takes orders as tables', () => {
    const offered = (written: string) => short(fixesAt(written, 'schedule/bubble')).join();
    expect(offered(text)).toContain('seq1f1b');
    const bound = offered(text.replace('schedule = 1f1b', 'schedule = 1f1b  engine = torchtitan'));
    expect(bound).toContain('Use ');
    expect(bound).not.toContain('seq1f1b');
  });

  it('is never first where another change is run', () => {
    expect(order(paper(4), real(1.5))).toEqual(['real 1.5', 'paper 4']);
    expect(order(paper(4))).toEqual(['paper 4']);
    // Another batch is another training: it is last, whoever runs it.
    const batch = { what: 'batch', kind: 'batch', edits: [at('microbatches = 4', 'microbatches = 64')] };
    expect(order(paper(1), batch)).toEqual(['paper 1', 'batch']);
    expect(order(paper(1), batch, real(1.001))).toEqual(['real 1.001', 'paper 1', 'batch']);
  });

  it('takes one place of a kind, so that the next of it is what somebody runs', () => {
    const policy = <T extends object>(candidate: T) => ({ ...candidate, kind: 'policy' });
    expect(order(policy(paper(3)), policy(paper(2)), policy(real(1.2)))).toEqual(['real 1.2', 'paper 3']);
    expect(order(policy(paper(3)), policy(paper(2)))).toEqual(['paper 3']);
  });

  it('comes after what is at most a tenth slower, and before the rest', () => {
    // Two segments fill a pipeline of four stages in half of the time: 0.78 of the time in all, so 0.39 on twice the device. A tenth more is 0.43.
    expect(order(paper(2), real(3), real(2.45), real(2.1))).toEqual(['real 3', 'real 2.45', 'paper 2', 'real 2.1']);
    expect(order(paper(2), real(3), real(1.2))).toEqual(['real 3', 'paper 2', 'real 1.2']);
  });
});

describe('the loss of an engine', () => {
  it('is written as a key of the model, into a new one where another file has the model', () => {
    const text = `import { llama3_8b } from "std:models"
device card { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s  efficiency = 50% }
cluster box { gpu[4] = card  link = 200GB/s + 3us }

/// Trains.
pipeline train {
  model = llama3_8b
  devices = box
  microbatches = 4
  stages = balance(4)
  schedule = 1f1b
  optimizer = none
  engine = torchtitan
}
`;
    const [fix] = fixesAt(text, 'engine/defaults');
    const fixed = apply(text, fix.edits);
    expect(fixed).toContain('model my_llama3_8b { from = llama3_8b  loss = chunked(8) }\n\n/// Trains.');
    expect(fixed).toContain('model = my_llama3_8b');
  });
});
