/** `plan` and `search` write what the name of the file promises, say which engine holds, and name changes as a file can have them. */
import { describe, expect, test } from 'vitest';
import { shortValues } from '../../../cli/output/planText.ts';
import { call, good } from './harness.ts';

const over = 'pipeline = [2, 4], recompute = [none, full]';
const files = { 'a.pipe': good };
const plan = (...args: readonly string[]) =>
  call(['plan', 'a.pipe', '--over', over, '--threads', '1', ...args], { files });

describe('a name that ends in .pipe gets the pipeline', () => {
  test('of the best row, and the answer is printed', async () => {
    const named = await plan('--output', 'best.pipe');
    expect(named.status).toBe(0);
    expect(named.files['best.pipe']).toBe((await plan('--write', 'best')).out);
    expect(named.files['best.pipe']).toMatch(/^model toy \{/);
    expect(named.err).toMatch(/^pipewright plan: best\.pipe is row \d+:[\da-f]{6}\.\n$/);
    expect(named.out).toBe((await plan()).out);
    const data = await plan('--output', 'best.pipe', '--format', 'json');
    expect(data.files['best.pipe']).toBe(named.files['best.pipe']);
    expect(JSON.parse(data.out)).toMatchObject({ pipeline: 'train' });
  });

  test('another name gets the answer', async () => {
    const { files: written, out } = await plan('--output', 'rows.csv', '--format', 'csv');
    expect(out).toBe('');
    expect(written['rows.csv']).toMatch(/^pipeline,|^row,/);
  });

  test.each([
    [['--output', 'a.pipe'], '--output a.pipe would replace a file that is read.'],
    [
      ['--shard', '1/2', '--output', 'b.pipe'],
      '--output b.pipe is the name of a pipeline, which --shard does not write. Give it another ending.',
    ],
    [['--jobs', 'slurm', '--output', 'B.PIPE'], 'which --jobs does not write'],
  ])('%j is refused before anything is searched', async (args, problem) => {
    const { status, out, err, files: after } = await plan(...args);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(problem);
    expect(after).toEqual(files);
  });

  test('values of --set are not in the file, and that is said', async () => {
    const { err, files: after } = await plan('--output', 'b.pipe', '--set', 'microbatches=16');
    expect(err).toContain(
      'The file does not have the values of --set: microbatches=16. Give them again with each command.',
    );
    expect(after['b.pipe']).toContain('param microbatches = 8');
  });

  test('search writes rows or a table, as the name says', async () => {
    const search = (output: string) => call(['search', 'a.pipe', '--output', output], { files });
    const { files: rows, out } = await search('b.pipe');
    expect(rows['b.pipe']).toContain('schedule train_order {');
    expect(out).toContain('The order takes');
    expect((await search('b.csv')).files['b.csv']).toMatch(/^0F0,/);
    expect((await search('b.txt')).err).toContain('end the name in .pipe or .csv, or say --write rows or --write csv.');
  });
});

test('an engine that the file names holds, and that is said', async () => {
  const text = good.replace('pipeline train {', 'pipeline train {\n  engine = megatron');
  const remark = 'a.pipe: --engine torchtitan is not used for "train", which has `engine = megatron`.\n';
  for (const args of [
    ['plan', 'a.pipe', '--over', 'recompute = [none]', '--threads', '1'],
    ['compare', 'a.pipe'],
  ]) {
    const under = (engine: string) => call([...args, '--engine', engine], { files: { 'a.pipe': text } });
    expect((await under('torchtitan')).err).toBe(`pipewright: ${remark}`);
    expect((await under('megatron')).err).toBe('');
  }
});

test('pipeline ranks are no key of a pipeline, and are not named as one', async () => {
  const small = { 'a.pipe': good.replace('memory = 16GiB', 'memory = 5GiB') };
  const { out } = await call(['plan', 'a.pipe', '--over', 'pipeline = [1]', '--threads', '1'], { files: small });
  expect(out.replaceAll('\n', ' ')).toMatch(/With .+ it fits: /);
  const key = good.replace('stages       = balance(4)', 'pipeline = 4');
  const { out: checked } = await call(['check', 'a.pipe', '--fixes'], { files: { 'a.pipe': key } });
  expect(checked).toContain(
    'A pipeline has no key "pipeline". Stages are the cut of the model: `stages = balance(4)`.',
  );
  expect(checked).toContain('Write stages = balance(4)');
});

test.each([
  [
    ['adamw(shard = fsdp, clip = true)', 'adamw(shard = fsdp, clip = true, reshard = false)'],
    ['clip = true', 'clip = true, reshard = false'],
  ],
  [
    ['adam(shard = zero1)', 'adam(shard = zero2)'],
    ['zero1', 'zero2'],
  ],
  [
    ['a(x = tree, y = 1)', 'a(x = true, y = 1)'],
    ['x = tree, y = 1', 'x = true, y = 1'],
  ],
  [
    ['a(x = 1)', 'b(x = 1)'],
    ['a(x = 1)', 'b(x = 1)'],
  ],
])('%j are shown as %j: whole arguments, or the value of the only one', (values, shown) => {
  expect([...shortValues({ key: 'optimizer', values }).values()]).toEqual(shown);
});

test('a row that cannot be written says for which file its number is', async () => {
  const { err, status } = await call(['plan', 'a.pipe', '--over', 'pipeline = [3]', '--write', '0', '--threads', '1'], {
    files,
  });
  expect(status).toBe(2);
  expect(err.replaceAll(/\s+/gu, ' ')).toContain('if one of them has changed since, search again.');
});
