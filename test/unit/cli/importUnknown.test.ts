import { expect, test } from 'vitest';
import { call } from './harness.ts';

test.each([
  ['prose', 'Dear reader,\nthis is a letter, not a table.\n'],
  ['a table of something else', 'name,age\nx,12\ny,13\n'],
  ['a .pipe file', 'model m {\n  layer a { forward = 1ms }\n}\n'],
])('import says in one sentence what %s could not be recognised as', async (_, text) => {
  const { status, out, err } = await call(['import', 'x.txt'], { files: { 'x.txt': text } });
  expect([status, out]).toEqual([1, '']);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  expect(err).toMatch(
    /^x\.txt: the format of this file is not known\. import reads .*PyTorch.*PipeDream.*ASTRA-sim.*Hugging Face.*Megatron-LM, Megatron Bridge.*Axolotl and xtuner/,
  );
});

test('a table with one action is taken for a table, and each other cell is told', async () => {
  const { status, err } = await call(['import', 'x.csv'], { files: { 'x.csv': '0F0,what\nelse\n' } });
  expect(status).toBe(1);
  expect(err).toContain('x.csv:1:5: rank 0, column 2: `what` is not an action');
  expect(err).toContain('x.csv:2:1: rank 1, column 1: `else` is not an action');
});
