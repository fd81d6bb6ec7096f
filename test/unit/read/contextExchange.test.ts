/** How a file says that context ranks exchange heads for tokens, and what it may not say. */
import { describe, expect, it } from 'vitest';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { analyse, codesOf, runOf, checkedAfter } from '../../support/analyse.ts';

const file = (keys: string, heads = 'heads = 16, kv_heads = 8') => `device gpu {
  compute = 100TFLOPS
  memory = 80GiB
  bandwidth = 2TB/s
}
cluster box { gpu[8] = gpu  link = 25GB/s + 5us }
model m {
  sequence = 4096
  layer embed = embedding(vocab = 1024, hidden = 1024)
  layer block[8] = transformer(hidden = 1024, ${heads}, flash = true)
  layer head = lm_head(vocab = 1024, hidden = 1024)
}
pipeline train { model = m  devices = box  stages = balance(2)  microbatches = 4  schedule = 1f1b  optimizer = megatron_bf16  ${keys} }`;

const message = (text: string) => analyse(text).findings.map((finding) => `${finding.code}: ${finding.message}`);

describe('context_exchange', () => {
  it('is a ring unless the file says another way, which changes traffic and no parameter', () => {
    const [ring, said, all] = ['', 'context_exchange = ring', 'context_exchange = all_to_all'].map(
      (keys) => runOf(file(`context = 4  ${keys}`)).run.report,
    );
    expect(said).toEqual(ring);
    // 4 of 16 + 2 · 8 + 16 heads instead of 3 · 3 blocks of 2 · 8: (3/4) · 48 · 2 against 3 · 16 · 3 per token.
    const bytes = (report: typeof ring) => report.stages[0].traffic?.context?.bytes ?? 0;
    expect(bytes(all) / bytes(ring)).toBeCloseTo(((3 / 4) * 48 * 2) / (3 * 16 * 3), 9);
    expect(all.stages[0].traffic?.context?.exposed).toBeCloseTo(all.stages[0].traffic?.context?.time ?? 0, 9);
  });

  it('gathers under torchtitan, unless the file says another way', () => {
    const report = (keys: string) => runOf(file(`context = 4  ${keys}`)).run.report;
    const exposed = (keys: string) => {
      const { exposed: shown = 0, time = 1 } = report(keys).stages[0].traffic?.context ?? {};
      return shown / time;
    };
    expect(exposed('engine = torchtitan')).toBeCloseTo(1, 9);
    expect(exposed('engine = torchtitan  context_exchange = ring')).toBeLessThan(1);
    expect(exposed('engine = megatron')).toBeLessThan(1);
    expect(exposed('engine = megatron  context_exchange = all_gather')).toBeCloseTo(1, 9);
    const bytes = (keys: string) => report(keys).stages[0].traffic?.context?.bytes ?? 0;
    // Of 3 blocks each: a gather and a scatter, or a gather more; around the ring a pass, and two.
    expect(bytes('engine = torchtitan') / bytes('engine = megatron')).toBeCloseTo(2 / 3, 9);
    expect(bytes('engine = megatron  context_exchange = all_gather')).toBe(bytes('engine = megatron'));
    expect(report('engine = torchtitan  context_exchange = all_gather').stages).toEqual(
      report('engine = torchtitan').stages,
    );
  });

  it('over nodes sends to all ranks at once, not only to the next', () => {
    const nodes = (keys: string) =>
      file(`context = 8  ${keys}`)
        .replace('gpu[8] = gpu  link = 25GB/s + 5us', 'node[2] { gpu[4] = gpu  link = 400GB/s }  link = 25GB/s')
        .replace('balance(2)', 'balance(1)');
    const rate = (keys: string) => {
      const { bytes = 0, time = 1 } = runOf(nodes(keys)).run.report.stages[0].traffic?.context ?? {};
      return bytes / time;
    };
    // Around the ring, all wait for the one of four ranks that sends to the other node. By all-to-all each sends 4/7 of its bytes there,
    // over its own card.
    expect(rate('')).toBeCloseTo(25e9, -3);
    expect(rate('context_exchange = all_to_all')).toBeCloseTo((25e9 * 7) / 4, -3);
  });

  it('of a stage holds for that stage', () => {
    const { stages } = runOf(
      file('context = 4').replace(
        'stages = balance(2)',
        '\n  stage a { layers = embed, block[0..3]  context_exchange = all_to_all }\n  stage b { layers = block[4..7], head }\n',
      ),
    ).run.report;
    const exposed = stages.map(({ traffic }) => (traffic?.context?.exposed ?? 0) / (traffic?.context?.time ?? 1));
    expect(exposed[0]).toBeCloseTo(1, 9);
    expect(exposed[1]).toBeLessThan(1);
  });

  it('needs heads that the ranks can split, and says the nearest numbers of ranks', () => {
    const grouped = (keys: string) => file(keys, 'heads = 16, kv_heads = 4').replace('balance(2)', 'balance(1)');
    const [problem] = message(grouped('context = 8  context_exchange = all_to_all'));
    expect(problem).toContain('value/range');
    expect(problem).toContain('splits the heads of keys and values of a rank, 4, over the context ranks; nearest: 4');
    // Three ranks can split six heads, and not 4096 tokens.
    const six = file('context = 4  context_exchange = all_to_all', 'heads = 6, kv_heads = 6, head_dim = 64');
    expect(message(six)[0]).toContain('a rank, 6, over the context ranks; nearest: 2.');
    expect(codesOf(analyse(grouped('context = 8')))).not.toContain('value/range');
    expect(message(grouped('context = 2  tensor = 4  context_exchange = all_to_all'))[0]).toContain(
      'splits the heads of keys and values of a rank, 1, over the context ranks (use fewer tensor ranks: `tensor = 2`); nearest: 1.',
    );
    // No number of tensor ranks splits four heads over eight context ranks.
    expect(message(grouped('context = 8  tensor = 2  context_exchange = all_to_all'))[0]).not.toContain(
      'fewer tensor ranks',
    );
  });

  it('offers the number of tensor ranks that leaves heads enough', () => {
    const text = file('context = 2  tensor = 4  context_exchange = all_to_all', 'heads = 16, kv_heads = 4').replace(
      'balance(2)',
      'balance(1)',
    );
    const analysis = analyse(text);
    const found = analysis.findings.find(({ code }) => code === 'value/range');
    const [fix] = found === undefined ? [] : fixesFor(analysis, found, checkedAfter(analysis));
    expect(fix?.title).toMatch(/^Write tensor = 2: runs/);
  });

  it('without context ranks, and a share of overlap with it, have no effect and are reported', () => {
    expect(message(file('data = 4  context_exchange = all_to_all')).join()).toContain(
      'the pipeline has no context ranks',
    );
    expect(message(file('context = 4  context_exchange = all_to_all  overlap(context) = 50%')).join()).toContain(
      'waits for the whole all-to-all',
    );
    expect(message(file('context = 4  context_exchange = all_gather  overlap(context) = 50%')).join()).toContain(
      'waits for all keys and values',
    );
  });

  it('has the name that Megatron-LM gives it', () => {
    expect(message(file('context = 4  cp_comm_type = all_to_all')).join()).toContain('context_exchange');
  });
});
