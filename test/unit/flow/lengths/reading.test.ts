import { describe, expect, it } from 'vitest';
import { analyse, codesOf, runOf } from '../../../support/analyse.ts';
import { checkFindings } from '../../../support/expected.ts';
import { planOf, resolveText } from '../../../support/resolve.ts';

const file = (pipeline: string, { microbatches = 4, model = 'sequence = 1000', schedule = '1f1b', rest = '' } = {}) => `
model toy { ${model}  layer block[4] { forward = 4ms  backward = 8ms } }
device gpu { memory = 60GiB }
cluster box { gpu[4] = gpu  link = 10GB/s }
pipeline p { model = toy  devices = box  microbatches = ${microbatches}  stages = balance(4)  schedule = ${schedule}  ${pipeline} }
${rest}`;
const tokensOf = (pipeline: string, setting = {}) => planOf(file(pipeline, setting)).lengths?.tokens;
const documentsOf = (pipeline: string, setting = {}) => planOf(file(pipeline, setting)).lengths?.documents;

describe('lengths of microbatches', () => {
  it.each([
    ['tokens(i) = 1000 - 250 * i', [1000, 750, 500, 250]],
    ['tokens(j) = if(j == 2, 10tok, 1Ktok)', [1000, 1000, 10, 1000]],
    ['tokens = [1, 20, 300, 1000]', [1, 20, 300, 1000]],
    ['tokens(i) = [1, 20, 300 + i, 1000]', [1, 20, 302, 1000]],
    ['tokens = ([7, 6, 5, 4, 3, 2, 1])', [7, 6, 5, 4]],
    ['tokens = 1Ttok  tokens(i) = 100 * (i + 1)', [100, 200, 300, 400]],
    ['tokens = uniform(from = 5, to = 5, seed = 1)  documents = [[5], [2, 3], [4], [1]]', [5, 5, 5, 5]],
    ['documents = [[1000], [500, 400], [1], [20, 30, 50]]', [1000, 900, 1, 100]],
    ['documents(i) = [100 * (i + 1), 10]', [110, 210, 310, 410]],
  ])('%s', (written, tokens) => {
    expect(tokensOf(written)).toEqual(tokens);
  });

  it('are summed up after the value', () => {
    const derived = (written: string) =>
      resolveText(file(written)).derived.find(({ tooltip }) => tooltip?.startsWith('Tokens of a sample'));
    expect(derived('tokens(i) = 1000 - 250 * i')).toMatchObject({
      text: ' mean 625 tokens, 62.5 % of the sequence',
      tooltip: 'Tokens of a sample, by microbatch: 1,000, 750, 500, 250.',
    });
    expect(derived('documents(i) = [100, 100 * i + 100]')?.text).toBe(
      ' 8 documents, mean 350 tokens, 35 % of the sequence',
    );
    expect(derived('tokens(i) = 1000')).toBeUndefined();
  });

  it('may come from a param', () => {
    const text = file('tokens(i) = longest - i', { rest: 'param longest = 900 in 100..1000' });
    expect(planOf(text).lengths?.tokens).toEqual([900, 899, 898, 897]);
  });

  it('are drawn anew for another seed, and as before for the same', () => {
    const drawn = (seed: number) => tokensOf(`tokens = lognormal(mean = 500, sigma = 0.5, seed = ${seed})`);
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    // These numbers are the same on every machine.
    expect(drawn(1)).toMatchInlineSnapshot(`
      [
        890,
        810,
        342,
        389,
      ]
    `);
    expect(tokensOf('tokens = uniform(from = 10, to = 20, seed = 7)')).toMatchInlineSnapshot(`
      [
        10,
        10,
        20,
        17,
      ]
    `);
  });

  it('are drawn from the distribution that is written', () => {
    const many = { microbatches: 4000, model: 'sequence = 1000000' };
    const logs = (tokensOf('tokens = lognormal(mean = 5000, sigma = 0.5, seed = 3)', many) ?? []).map(Math.log);
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const location = mean(logs);
    const deviation = Math.sqrt(mean(logs.map((log) => (log - location) ** 2)));
    // Four standard errors: σ / √n for the mean, σ / √(2 n) for the deviation.
    expect(Math.abs(location - (Math.log(5000) - 0.125))).toBeLessThan((4 * 0.5) / Math.sqrt(4000));
    expect(Math.abs(deviation - 0.5)).toBeLessThan((4 * 0.5) / Math.sqrt(8000));
    const even = tokensOf('tokens = uniform(from = 11, to = 20, seed = 3)', many) ?? [];
    for (let length = 11; length <= 20; length += 1) {
      const count = even.filter((tokens) => tokens === length).length;
      expect(Math.abs(count - 400)).toBeLessThan(4 * Math.sqrt(4000 * 0.1 * 0.9));
    }
  });

  it('are cut at the sequence and at 1', () => {
    const many = { microbatches: 400 };
    const wide = tokensOf('tokens = lognormal(mean = 800, sigma = 3, seed = 1)', many) ?? [];
    expect(Math.max(...wide)).toBe(1000);
    expect(Math.min(...wide)).toBe(1);
  });

  it('pack documents as they come: the first without room begins the next sample', () => {
    const packed = documentsOf('documents = uniform(from = 100, to = 600, seed = 5)', { microbatches: 50 }) ?? [];
    const tokens = tokensOf('documents = uniform(from = 100, to = 600, seed = 5)', { microbatches: 50 }) ?? [];
    for (const [index, documents] of packed.entries()) {
      const sum = documents.reduce((all, length) => all + length, 0);
      expect(sum).toBe(tokens[index]);
      expect(sum).toBeLessThanOrEqual(1000);
      const [next] = packed[index + 1] ?? [1000];
      expect(sum + next).toBeGreaterThan(1000);
    }
    // One that fits exactly belongs to the sample.
    expect(documentsOf('documents = uniform(from = 250, to = 250, seed = 1)')?.[0]).toEqual([250, 250, 250, 250]);
    // A document that is longer than any sample fills one.
    expect(documentsOf('documents = lognormal(mean = 900000, sigma = 0, seed = 1)  tokens(i) = 10 * i + 10')).toEqual([
      [10],
      [20],
      [30],
      [40],
    ]);
  });

  it.each([
    [
      'tokens(i) = ⟦value/range:0⟧',
      '"tokens(0)" is 0; it must be a whole number from 1 to 1000, the "sequence" of model "toy"',
    ],
    ['tokens(i) = ⟦value/range:400 * i + 400⟧', '"tokens(2)" is 1200'],
    ['tokens(i) = ⟦value/range:i / 2 + 1⟧', '"tokens(1)" is 1.5'],
    ['tokens(i) = ⟦value/range:sqrt(i - 1)⟧', 'The value is not a number'],
    ['tokens(i) = 1 / ⟦value/range:i⟧', 'The divisor is 0'],
    ['tokens = ⟦value/range:[1, 2, 3]⟧', '"tokens" is a list of 3; it must be a list of at least 4 lengths'],
    ['tokens = [1, 2, ⟦value/range:1001⟧, 3]', '"tokens" is 1001'],
    ['tokens = [1, 2, ⟦type/mismatch:[3]⟧, 4]', 'found a list'],
    ['tokens(i) = ⟦type/dimension:4ms⟧', 'found a time'],
    ['⟦type/mismatch:tokens⟧(i, j) = 4', 'Expected one name, as `tokens(i)`'],
    ['tokens = [1, 2, 3, 4]  ⟦key/duplicate:tokens⟧(i) = 5', '"tokens"'],
    ['tokens = ⟦key/missing:lognormal⟧(mean = 3, sigma = 1)', '"seed"'],
    ['tokens = lognormal(mean = 3, sigma = ⟦value/range:-1⟧, seed = 1)', '"sigma" is −1'],
    ['tokens = lognormal(mean = ⟦value/range:0⟧, sigma = 1, seed = 1)', '"mean" is 0'],
    ['tokens = uniform(from = 8, to = ⟦value/range:4⟧, seed = 1)', '"to" is 4; it must be at least 8'],
    ['tokens = uniform(from = 1, to = 4, seed = ⟦value/range:1.5⟧)', '"seed" is 1.5'],
    ['tokens = lognormal(mean = 3, sigma = 1, seed = 1, ⟦key/unknown:most⟧ = 4)', '"most"'],
    ['tokens(i) = ⟦name/unknown:k⟧ + 1', '"k"'],
    ['documents = ⟦type/mismatch:4⟧', 'a list of lengths'],
    ['documents = ⟦type/mismatch:[]⟧', 'an empty list'],
    [
      'documents = ⟦value/range:[600, 500]⟧',
      'The sum of the documents of microbatch 0 is 1,100; it must be at most 1,000',
    ],
    ['documents = ⟦value/range:[[1], [2]]⟧', 'at least 4 lengths'],
    ['documents = [⟦value/range:0⟧]', 'from 1 to 1000'],
    ['documents = ⟦value/range:[300, 300]⟧  tokens(i) = 1000 - 200 * i', 'microbatch 3 is 600; it must be at most 400'],
  ])('%s is reported', (written, message) => {
    checkFindings(file(written), [message]);
  });

  it('need a sequence, and packed samples one sample for each microbatch', () => {
    checkFindings(file('tokens(i) = ⟦type/mismatch:i + 1⟧', { model: '' }), ['a model with "sequence"']);
    checkFindings(file('documents = ⟦type/mismatch:[10, 20]⟧', { model: 'sequence = 100  micro_batch = 2' }), [
      '`micro_batch = 1`',
    ]);
  });

  it('stay small in time for any numbers', () => {
    const list = `[${new Array(100_000).fill('5').join(', ')}]`;
    expect(planOf(file(`tokens = ${list}`)).tokens?.perSample).toBe(5);
    const huge = { microbatches: 10_000_000, model: 'sequence = 1000000000' };
    expect(codesOf(analyse(file('tokens(i) = i + 1', huge)))).toContain('limit/too-large');
    const varied = { microbatches: 4097, model: 'sequence = 1000000' };
    checkFindings(file('tokens(i) = ⟦value/range:i + 1⟧', varied), ['is 4,097; it must be at most 4,096']);
    const short = { microbatches: 1000, model: 'sequence = 1000000' };
    expect(codesOf(analyse(file('documents = uniform(from = 1, to = 1, seed = 1)', short)))).toContain('value/range');
  });

  it.each([
    ['seq1f1b(segments = 2, times = [40, 60])', 'hold for one length; leave them out'],
    ['bpipe', 'moves activations to other memory in copies of one size; use a schedule without E and L'],
    [
      'pipeswitch',
      'loads the model onto one device and runs it once; use a schedule that trains, or leave out "tokens".',
    ],
    ['mine', 'gives single operations a time itself; leave out these times'],
    [
      'away',
      'moves activations to other memory in copies of one size; use a schedule without E and L, or leave out "tokens".',
    ],
  ])('%s needs equal ones', (schedule, message) => {
    const schedules: Readonly<Record<string, string>> = {
      mine: 'schedule mine { from = 1f1b  time(F, s, j) = time(F, s) * if(j == 1, 2, 1) }',
      away: 'schedule away { row(d) = F[0..<microbatches], E[0, to = host], L[0], B[0..<microbatches] }',
    };
    const rest = schedules[schedule] ?? '';
    const host = file('tokens(i) = 1000 - i', { schedule: `⟦type/mismatch:${schedule}⟧`, rest }).replace(
      'memory = 60GiB',
      'memory = 60GiB  host = 10GB/s',
    );
    // It groups the layers itself.
    checkFindings(schedule === 'pipeswitch' ? host.replace(/stages = \S+/, '') : host, [message]);
  });

  it('repeat in every iteration of an asynchronous schedule, and for every copy', () => {
    for (const schedule of ['pipedream', 'pipedream_2bw', 'chimera', 'dualpipe_v', 'hanayo(waves = 1)'])
      expect(runOf(file('tokens(i) = 1000 - 200 * i', { schedule })).run.report.iteration).toBeGreaterThan(0);
  });
});
