import { expect, test } from 'vitest';
import { call } from '../cli/harness.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/do/how-sure-is-a-gain.md');
const blocksOf = (language: string): readonly string[] =>
  [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, of, block]) => (of === language ? [block] : []));

const [file, ...others] = blocksOf('pipe');

test.each(blocksOf('console'))('%s', async (block) => {
  expect(others).toEqual([]);
  const [command, ...output] = block.trimEnd().split('\n');
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
  const { out } = await call(words.slice(2), { files: { 'noisy.pipe': file } });
  expect(output.length).toBeGreaterThan(2);
  for (const line of output) expect(out).toContain(`${line}\n`);
});

test('the file has no error', async () => {
  expect(blocksOf('console')).toHaveLength(3);
  const { out } = await call(['check', 'noisy.pipe'], { files: { 'noisy.pipe': file } });
  expect(out).not.toContain('error');
});
