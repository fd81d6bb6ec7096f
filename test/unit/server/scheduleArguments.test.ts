/** Arguments of a pipeline's schedule, turned like params and written back. */
import { describe, expect, it } from 'vitest';
import type { ParamEditAnswer, PlanAnswer } from '../../../webview/protocol/requests.ts';
import { applyEdits, main, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

const own = `schedule mine {
  /// Forwards before the first backward.
  param warm = 3 in 1..microbatches step 2
  param delay = 4ms
  let most = min(warm, microbatches)
  row(d) = F[0..<most], each(j in 0..<microbatches-most, B[j], F[j+most]), B[microbatches-most..<microbatches]
}
`;
const using = (schedule: string): string => `${toy.replace('= 1f1b', `= ${schedule}`)}${own}`;

const planOf = (source: string, overrides = {}): Promise<PlanAnswer> =>
  withClient((client) => {
    client.open(main, source);
    return client.request<PlanAnswer>('pipewright/plan', { uri: main, overrides });
  });

/** The text after the edit that writes a value; null where there is none. */
const written = (source: string, name: string, value: number): Promise<string | null> =>
  withClient(async (client) => {
    client.open(main, source);
    const edit = await client.request<ParamEditAnswer>('pipewright/paramEdit', { uri: main, name, value });
    return edit === null ? null : applyEdits(source, [edit]);
  });

const named = ({ plan }: PlanAnswer, name: string) => plan?.params.find((param) => param.name === name);

describe('arguments of a schedule of the file', () => {
  it('have value, range, step, unit and text; the range may follow from the pipeline', async () => {
    const answer = await planOf(using('mine(warm = 5)'));
    expect(named(answer, 'train.warm')).toEqual({
      name: 'train.warm',
      value: 5,
      default: 5,
      dimension: 'number',
      unit: '',
      scale: 1,
      min: 1,
      max: 7,
      step: 2,
      doc: 'Forwards before the first backward.',
      local: true,
      argument: { pipeline: 'train', schedule: 'mine', parameter: 'warm' },
    });
    expect(named(answer, 'train.delay')).toMatchObject({ value: 0.004, unit: 'ms', scale: 0.001 });
  });

  it('change the plan while they are tried, and nothing else does', async () => {
    const source = using('mine');
    const tried = await planOf(source, { 'train.warm': 5 });
    expect(named(tried, 'train.warm')).toMatchObject({ value: 5, default: 3 });
    const asWritten = await planOf(using('mine(warm = 5)'));
    expect(tried.plan?.pipelines[0]?.schedule).toEqual(asWritten.plan?.pipelines[0]?.schedule);
  });

  it('are not confused with a param of the file that has their name', async () => {
    const source = using('mine').replace('param microbatches', 'param warm = 2 in 1..4\nparam microbatches');
    const answer = await planOf(source, { warm: 4 });
    expect(named(answer, 'warm')).toMatchObject({ value: 4 });
    expect(named(answer, 'train.warm')).toMatchObject({ value: 3 });
  });

  it('are refused out of range', async () => {
    const { plan, problem } = await planOf(using('mine'), { 'train.warm': 99 });
    expect(plan).toBeUndefined();
    expect(problem?.message).toBe('"train.warm" is 99; it must be from 1 to 7.');
  });

  it('that break their pipeline are the problem, though another pipeline could be shown', async () => {
    const second = toy.slice(toy.indexOf('pipeline train'), toy.indexOf('expect')).replace('train', 'other');
    const source = `${using('mine').replace('row(d)', 'require warm < 4\n  row(d)')}${second}`;
    const { plan, problem } = await planOf(source, { 'train.warm': 5 });
    expect(plan).toBeUndefined();
    expect(problem?.message).toContain('warm');
    expect((await planOf(source)).plan?.pipelines).toHaveLength(2);
  });

  it('are forgotten once the text has another schedule', async () => {
    const { plan, problem } = await planOf(toy, { 'train.warm': 5 });
    expect(problem).toBeUndefined();
    expect(plan?.pipelines).toHaveLength(1);
  });

  it('that other numbers of the file decide have no slider', async () => {
    const answer = await planOf(using('mine(warm = microbatches - 5)'));
    expect(named(answer, 'train.warm')).toBeUndefined();
    expect(named(answer, 'train.delay')).toBeDefined();
  });

  it.each([
    ['mine', 'mine(warm = 7)'],
    ['mine()', 'mine(warm = 7)'],
    ['mine(5)', 'mine(7)'],
    ['(mine(warm = 5))', '(mine(warm = 7))'],
    ['mine(delay = 1s)', 'mine(delay = 1s, warm = 7)'],
  ])('%s becomes %s', async (before, after) => {
    expect(await written(using(before), 'train.warm', 7)).toBe(using(after));
  });

  it('are written in the unit of the argument, or of the default', async () => {
    expect(await written(using('mine(delay = 1us)'), 'train.delay', 3e-6)).toBe(using('mine(delay = 3us)'));
    expect(await written(using('mine'), 'train.delay', 0.003)).toBe(using('mine(delay = 3ms)'));
    expect(await written(using('mine'), 'train.other', 3)).toBeNull();
  });
});

describe('arguments of a built-in schedule', () => {
  const dapple = toy.replace('= 1f1b', '= dapple');

  it('that are words are turned by their number and written as words', async () => {
    const answer = await planOf(dapple);
    expect(named(answer, 'train.policy')).toMatchObject({ value: 0, words: ['a', 'b'] });
    expect((await planOf(dapple, { 'train.policy': 1 })).plan?.pipelines[0]?.schedule).toMatchObject({
      args: { policy: 'b' },
    });
    expect((await planOf(dapple, { 'train.policy': 2 })).problem?.message).toContain('from 0 to 1');
    expect(await written(dapple, 'train.policy', 1)).toBe(toy.replace('= 1f1b', '= dapple(policy = b)'));
  });

  it('keep to the values that fit the stages', async () => {
    const hanayo = toy.replace('= 1f1b', '= hanayo(waves = 1)').replace('balance(4)', 'balance(8)');
    expect(named(await planOf(hanayo), 'train.waves')).toBeUndefined();
    const seq = toy.replace('= 1f1b', '= seq1f1b(segments = 2)');
    expect(named(await planOf(seq), 'train.segments')).toMatchObject({ value: 2, min: 1, step: 1 });
  });

  it('about recomputation are there only if anything is recomputed', async () => {
    expect(named(await planOf(dapple), 'train.recompute')).toBeUndefined();
    const recomputing = dapple.replace('microbatches = microbatches', 'microbatches = microbatches  recompute = full');
    expect(named(await planOf(recomputing), 'train.recompute')).toMatchObject({ words: ['with_backward', 'ahead'] });
  });
});
