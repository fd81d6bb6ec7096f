import { describe, expect, it } from 'vitest';
import { hoverAt } from '../../../support/asked.ts';
import { analyse, runOf } from '../../../support/analyse.ts';

const file = (pipeline: string, { schedule = '1f1b', stages = 'balance(4)' } = {}) => `
model toy { sequence = 1000  layer block[4] { forward = 4ms  backward = 8ms  activation = 64MiB  output = 1MB } }
device gpu { memory = 60GiB }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline p { model = toy  devices = box  microbatches = 8  stages = ${stages}  schedule = ${schedule}  ${pipeline} }`;
const straggler = 'tokens(i) = if(i == 5, 1000, 200)';

describe('the report of different microbatches', () => {
  it('has their spread, and the microbatch that takes longest', () => {
    const { report } = runOf(file(straggler)).run;
    expect(report.lengths).toEqual({
      tokens: { min: 200, mean: 300, max: 1000 },
      filled: 0.3,
      longest: { microbatch: 5, tokens: 1000, time: expect.closeTo(1000 / 300, 9) },
    });
  });

  it('numbers microbatches as the file does, also if the schedule cuts them into parts', () => {
    const setting = { schedule: 'chimera(concat = backward_halving)' };
    const { plan, run } = runOf(file(straggler, setting));
    expect(plan.lengths?.kindOf).toHaveLength(16);
    expect(run.report.lengths?.longest).toMatchObject({ microbatch: 5, tokens: 1000 });
  });

  it('counts documents and padding', () => {
    const { report } = runOf(file('documents(i) = [100, 300]  tokens(i) = 500')).run;
    expect(report.lengths).toMatchObject({
      tokens: { min: 500, mean: 500, max: 500 },
      filled: 0.5,
      documents: { count: 16, min: 100, mean: 200, max: 300 },
      padding: expect.closeTo(0.2, 12),
    });
  });

  /** 8 microbatches of `real` tokens on average, however long the samples are padded to, on 4 devices. */
  it.each([
    ['documents = [250, 250]', 500],
    ['documents = [250, 250]  tokens(i) = 1000', 500],
    ['documents(i) = [100, 300]  tokens(i) = if(i == 5, 1000, 500)', 400],
    ['tokens(i) = 500', 500],
    ['', 1000],
  ])('counts tokens of documents, not padding: %s', (lengths, real) => {
    const { report } = runOf(file(`tokens = 3Mtok  ${lengths}`)).run;
    const tokens = 8 * real;
    const seconds = (3e6 / tokens) * report.iteration;
    expect(report.tokens?.per_iteration).toBe(tokens);
    expect(report.tokens?.per_second).toBeCloseTo(tokens / report.iteration, 6);
    expect(report.tokens?.per_second_per_gpu).toBeCloseTo(tokens / report.iteration / 4, 6);
    expect(report.tokens?.days).toBeCloseTo(seconds / 86_400, 9);
    expect(report.tokens?.gpu_hours).toBeCloseTo((seconds * 4) / 3600, 9);
  });

  it('holds expectations of rates to tokens of documents', () => {
    const pipeline = file('documents = [250, 250]  tokens(i) = 1000');
    const padded = `${pipeline}\nexpect p { tokens_per_second > `;
    const rate = (8 * 500) / runOf(pipeline).run.report.iteration;
    const codes = (least: number) => analyse(`${padded}${least} }`).findings.map(({ code }) => code);
    expect(codes(rate * 0.99)).not.toContain('expect/failed');
    expect(codes(rate * 1.01)).toContain('expect/failed');
  });

  it('is absent where microbatches are alike', () => {
    expect(runOf(file('tokens(i) = 500')).run.report).not.toHaveProperty('lengths');
  });

  it.each(['1f1b', 'gpipe', 'zb_h1', 'pipedream_2bw'])(
    '%s: causes add up, and one of them is the lengths',
    (schedule) => {
      const { bubble } = runOf(file(straggler, { schedule })).run.report;
      const sum = Object.values(bubble.causes).reduce((all, each) => all + each, 0);
      expect(sum).toBeCloseTo(bubble.makespan, 9);
      expect(bubble.causes.lengths).toBeGreaterThan(0.01);
      expect(bubble.causes.imbalance).toBeLessThan(1e-9);
      expect(bubble.bound).toBeLessThanOrEqual(bubble.makespan);
    },
  );

  /** GPipe on equal stages: Σ t + (p − 1) · max t with these lengths, and Σ t + (p − 1) · mean t without. */
  it('names what the longest costs', () => {
    const { bubble, iteration } = runOf(file(straggler, { schedule: 'gpipe' }).replace('  output = 1MB', '')).run
      .report;
    const lost = (3 * 12e-3 * (1000 - 300)) / 1000;
    expect(bubble.causes.lengths).toBeCloseTo(lost / iteration, 9);
    const message = analyse(file(straggler)).findings.find(({ code }) => code === 'schedule/bubble')?.message;
    expect(message).toContain('different microbatches');
    expect(message).toContain('Microbatch 5 has 1,000 tokens and takes 3.33 times the mean');
  });

  it('is in the hover of the pipeline', async () => {
    const text = await hoverAt(file(straggler).replace('pipeline p', 'pipeline $0p'));
    expect(text).toContain(
      'Samples of 200 to 1,000 tokens · mean 300, 30 % of the sequence · microbatch 5 takes 3.33 times the mean',
    );
  });
});
