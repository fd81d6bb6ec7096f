import { describe, expect, test } from 'vitest';
import { call } from '../cli/harness.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/do/write-a-schedule.md');

interface Step {
  readonly command: string;
  readonly output: readonly string[];
  /** The file as the page has it at this step. */
  readonly file: string;
}

/** Each command of the page, with the file that its reader has then: `pipe` blocks replace it, `pipe add` blocks go at its end. */
function stepsOf(text: string): readonly Step[] {
  const steps: Step[] = [];
  let file = '';
  for (const [, language, block] of text.matchAll(/^```([a-z ]+)\n([^]*?)^```$/gm)) {
    if (language === 'pipe' || language === 'pipe fails') file = block;
    else if (language === 'pipe add') file += block;
    else if (language === 'console') {
      const [command, ...output] = block.trimEnd().split('\n');
      steps.push({ command, output, file });
    }
  }
  return steps;
}

const steps = stepsOf(page);

test('the page has a step of each kind', () => {
  expect(steps.map(({ command }) => command.split(' ').slice(0, 3).join(' '))).toEqual([
    '$ pipewright check',
    '$ pipewright check',
    '$ pipewright compare',
    '$ pipewright export',
  ]);
});

describe.each(steps)('$command', ({ command, output, file }) => {
  test('prints what the page shows', async () => {
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
    const { out, err, files } = await call(words.slice(2), { files: { 'ahead.pipe': file } });
    for (const line of output) expect(out).toContain(`${line}\n`);
    const written = words.at(words.indexOf('--output') + 1) ?? '';
    if (words.includes('--output')) expect(files[written], err).toContain('_PipelineScheduleRuntime');
  });
});

test('the last file has no error, and all of its tests pass', async () => {
  const { out, status } = await call(['check', 'ahead.pipe'], { files: { 'ahead.pipe': steps.at(-1)?.file ?? '' } });
  expect(status, out).toBe(0);
  expect([...out.matchAll(/^ahead tested on \d+ shapes: all pass/gm)]).toHaveLength(4);
});
