import { describe, expect, it } from 'vitest';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { analyse, fixesOf, runOf, checkedAfter } from '../../support/analyse.ts';
import { checkFindings, checkFix } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

/** Microbatches of 4 samples, on as many devices as there are data ranks for two stages. */
const file = (keys: string, more = '') => `
model m { micro_batch = 4  layer block[4] { forward = 1ms  backward = 2ms  weights = 1MB } }
device gpu { memory = 16GiB }
cluster box { gpu[16] = gpu  link = 25GB/s + 5us }
${more}pipeline train { model = m  devices = box  stages = balance(2)  schedule = 1f1b  ${keys} }
`;
const microbatches = (keys: string, more = '') => resolveText(file(keys, more)).plan.pipelines[0]?.microbatches;

describe('global_batch', () => {
  it('gives the microbatches of a data rank: global_batch / (micro_batch · data)', () => {
    expect(microbatches('global_batch = 2048  data = 8')).toBe(2048 / (4 * 8));
    expect(microbatches('global_batch = 64')).toBe(64 / 4);
    // Other ranks share the samples of a data rank.
    expect(microbatches('global_batch = 64  data = 2  tensor = 2  context = 2')).toBe(64 / (4 * 2));
  });

  it('is the number of samples of an iteration in the report', () => {
    const { run } = runOf(file('global_batch = 96  data = 3'));
    expect(run.report.throughput * run.report.iteration).toBeCloseTo(96, 9);
    expect(run.report).toEqual(runOf(file('microbatches = 8  data = 3')).run.report);
  });

  it('may be a param or a product', () => {
    expect(microbatches('global_batch = 8 * n  data = 2', 'param n = 16 in 1..64\n')).toBe(16);
  });

  it('is hinted at with the microbatches that follow', () => {
    const text = file('global_batch = 2048  data = 8');
    const [hint] = resolveText(text).derived.filter(({ offset }) => offset === text.indexOf('2048') + 4);
    expect(hint.text).toBe(' 64 microbatches');
    expect(hint.tooltip).toBe('2048 samples of an iteration / (4 samples of a microbatch × 8 data ranks).');
  });

  it('may stand with microbatches that it is equal to', () => {
    checkFindings(file('global_batch = 64  microbatches = 8  data = 2').replace('gpu[16]', 'gpu[4]'));
    checkFindings(file('microbatches = 8  global_batch = ⟦value/range:2048⟧  data = 2'), [
      '"global_batch" is 2048; it must be 64 (8 microbatches × 4 samples of a microbatch × 2 data ranks).',
    ]);
  });

  it('says what divides: the nearest values', () => {
    checkFindings(file('global_batch = ⟦value/range:50⟧  data = 3'), [
      '"global_batch" is 50; it must be 48 or 60 (a multiple of 12: 4 samples of a microbatch × 3 data ranks).',
    ]);
    checkFindings(file('global_batch = ⟦value/range:3⟧  data = 3'), ['it must be 12 (a multiple of 12']);
  });

  it('is needed where there are no microbatches, and takes whole numbers only', () => {
    expect(resolveText(file('')).findings.map(({ message }) => message)).toEqual([
      expect.stringContaining('This pipeline needs "microbatches"'),
    ]);
    checkFindings(file('global_batch = ⟦value/range:0⟧'));
    checkFindings(file('global_batch = ⟦type/dimension:16GiB⟧'));
  });

  it('gets fixes with the simulated effect of the nearest values', () => {
    checkFix(file('global_batch = ⟦value/range:50→48⟧  data = 3'));
    const fixes = fixesOf(analyse(file('global_batch = 50  data = 3')), 'value/range');
    expect(fixes.slice(0, 2).map(({ title }) => title)).toEqual([
      expect.stringMatching(/^Change to 48: runs, iteration .* ms, bubble .* %, peak /),
      expect.stringMatching(/^Change to 60: runs, iteration .* ms, bubble .* %, peak /),
    ]);
    const both = fixesOf(analyse(file('microbatches = 8  global_batch = 128  data = 2')), 'value/range');
    expect(both.map(({ title }) => title.replace(/:.*/, ''))).toEqual([
      'Change to 64',
      'Remove "microbatches"',
      'Remove "global_batch"',
    ]);
  });

  it('is what other fixes set: the microbatches of a policy, and more of them', () => {
    const bidirectional = file('global_batch = 24  data = 2')
      .replace('1f1b', 'dualpipe')
      .replace('balance(2)', 'balance(4)');
    const titles = fixesOf(analyse(bidirectional), 'schedule/shape').map(({ title }) => title);
    expect(titles.some((title) => title.startsWith('Set global_batch to 64: runs'))).toBe(true);
    for (const title of titles) expect(title).not.toContain('Set microbatches');
    const few = fixesOf(analyse(file('global_batch = 16  data = 2')), 'schedule/bubble').map(({ title }) => title);
    expect(few.some((title) => title.startsWith('Set global_batch to '))).toBe(true);
    for (const title of few) expect(title).not.toContain('microbatches to');
  });
});

describe('stages = balance', () => {
  const stagesOf = (schedule: string, keys = '', more = '') => {
    const text = file(`microbatches = 16  ${keys}`, more)
      .replace('balance(2)', 'balance')
      .replace('block[4]', 'block[64]')
      .replace('1f1b', schedule);
    const { plan, findings } = resolveText(text);
    return plan.pipelines[0]?.stages.length ?? findings.map(({ message }) => message);
  };

  it('has the stages that the schedule puts on the devices', () => {
    expect(stagesOf('1f1b')).toBe(16);
    expect(stagesOf('1f1b', 'data = 2  tensor = 2')).toBe(4);
    expect(stagesOf('interleaved_1f1b(chunks = 3)', 'tensor = 4')).toBe(12);
    expect(stagesOf('zb_v', 'data = 4')).toBe(8);
    // Devices that make no whole rank are left over.
    expect(stagesOf('gpipe', 'tensor = 3')).toBe(5);
  });

  it('counts the stages of a schedule that a file declares', () => {
    const own = (keys: string) => `schedule own { order = greedy(prefer = [B, F])  ${keys} }\n`;
    expect(stagesOf('own', 'tensor = 4', own('placement = loop(2)'))).toBe(8);
    expect(stagesOf('own', 'tensor = 4', own('placement = [[0, 3], [1, 2]]'))).toBe(4);
    expect(stagesOf('own', 'tensor = 4', own('stages = 2 * devices  on(s, j) = mod(s, devices)'))).toBe(8);
    expect(stagesOf('own', 'tensor = 4', 'schedule own { row(d) = F[0..<microbatches], B[0..<microbatches] }\n')).toBe(
      4,
    );
  });

  it('is the cut of balance(n), by memory too', () => {
    const text = (cut: string) => file('microbatches = 8  data = 4').replace('balance(2)', cut);
    for (const [short, long] of [
      ['balance', 'balance(4)'],
      ['balance()', 'balance(4)'],
      ['balance(by = memory)', 'balance(4, by = memory)'],
    ])
      expect(runOf(text(short)).plan).toEqual(runOf(text(long)).plan);
  });

  it('says that the model has too few layers', () => {
    checkFindings(file('microbatches = 8').replace('balance(2)', '⟦value/range:balance⟧'), [
      'The number of stages is 16 for 16 pipeline ranks; it must be from 1 to ',
    ]);
  });

  it('stays as it is where a fix takes another schedule', () => {
    const text = file('microbatches = 4  data = 4').replace('balance(2)', 'balance').replace('block[4]', 'block[8]');
    const fix = fixesOf(analyse(text), 'schedule/bubble').find(({ title }) => title.includes('chunks = 2'));
    expect(fix?.edits.map(({ start, end }) => text.slice(start, end))).toEqual(['1f1b']);
  });
});

describe('global_batch in tokens', () => {
  const tokens = (batch: string, more = 'data = 2', model = 'sequence = 1024') =>
    file(`global_batch = ${batch}  ${more}`).replace('micro_batch = 4', `micro_batch = 4  ${model}`);

  it('is as many samples as they fill', () => {
    const text = tokens('65536tok');
    expect(resolveText(text).plan.pipelines[0].microbatches).toBe(65536 / 1024 / (4 * 2));
    const [hint] = resolveText(text).derived.filter(({ offset }) => offset === text.indexOf('65536tok') + 8);
    expect(hint.text).toBe(' 8 microbatches');
    expect(hint.tooltip).toBe(
      '65,536 tokens / 1,024 of a sample = 64 samples of an iteration / (4 samples of a microbatch × 2 data ranks).',
    );
    expect(runOf(text).run.report.throughput * runOf(text).run.report.iteration).toBeCloseTo(64, 9);
    expect(resolveText(tokens('64 * 1024tok')).plan.pipelines[0].microbatches).toBe(8);
  });

  it('that fill no whole number of microbatches are refused with the nearest samples, and with 2²⁰ for a million', () => {
    // 1,000,000 / 1,024 = 976.56 samples, in eights 976 or 984; 1,048,576 / 1,024 = 1,024.
    checkFindings(tokens('⟦value/range:1Mtok⟧'), [
      '"global_batch" is 976.56 samples of 1,024 tokens; it must be 976 or 984 or 1024 samples (a multiple of 8: 4 samples of a microbatch × 2 data ranks).',
    ]);
    checkFix(tokens('⟦value/range:1Mtok→976⟧'));
    checkFix(tokens('⟦value/range:1Mtok→1024⟧'), 'Change to 1024');
    checkFindings(tokens('⟦value/range:10000tok⟧'), ['it must be 8 or 16 samples (a multiple']);
    checkFindings(tokens('⟦value/range:-8192tok⟧'), ['over 0']);
  });

  it('a token more or less than a whole number of samples is shown as such', () => {
    // 65,535 / 1,024 = 63.99902; 65,537 / 1,024 = 64.00098.
    checkFindings(tokens('⟦value/range:65535tok⟧'), ['is 63.999 samples of 1,024 tokens; it must be 56 or 64 samples']);
    checkFindings(tokens('⟦value/range:65537tok⟧'), ['is 64.001 samples of 1,024 tokens; it must be 64 or 72 samples']);
    // A whole number of samples that is no multiple of 8.
    checkFindings(tokens('⟦value/range:66560tok⟧'), ['is 65 samples of 1,024 tokens; it must be 64 or 72 samples']);
  });

  it('contradict microbatches, or agree with them', () => {
    checkFindings(tokens('⟦value/range:65536tok⟧', 'data = 2  microbatches = 4'), ['it must be 32 (4 microbatches']);
    expect(resolveText(tokens('65536tok', 'data = 2  microbatches = 8')).plan.pipelines[0].microbatches).toBe(8);
  });

  it('need samples of one length', () => {
    checkFindings(tokens('⟦type/mismatch:65536tok⟧', 'data = 2', ''), [
      'since model "m" has no "sequence", found 65,536 tokens',
    ]);
    for (const lengths of ['tokens = lognormal(mean = 900, sigma = 0.2, seed = 1)', 'documents = [512, 512]']) {
      checkFindings(tokens('⟦type/mismatch:65536tok⟧', `data = 2  ${lengths}`), [
        'they differ in tokens. With 1,024 tokens each it would be `64`, found 65,536 tokens',
      ]);
      const analysis = analyse(tokens('65536tok', `data = 2  ${lengths}`));
      const found = analysis.findings.find(({ code }) => code === 'type/mismatch');
      expect(
        (found === undefined ? [] : fixesFor(analysis, found, checkedAfter(analysis))).map(({ title }) => title).join(),
      ).toMatch(/^Write 64[:,]/);
    }
    // Tokens of the whole training are no lengths.
    expect(resolveText(tokens('65536tok', 'data = 2  tokens = 1Btok')).plan.pipelines[0].microbatches).toBe(8);
  });

  it('are offered where a unit is missing', () => {
    checkFix(tokens('⟦syntax/unit:64K→64Ktok⟧', 'data = 2', 'sequence = 1000'), 'Change to "64Ktok"');
    checkFindings(tokens('⟦syntax/unit:512ktok⟧'), ['Did you mean 512Ktok or 512?']);
    checkFindings(file('microbatches = ⟦syntax/unit:4M⟧'), ['This is a plain number. Did you mean 4194304']);
  });
});
