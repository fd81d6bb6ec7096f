/** Every step of the pages that teach does what the page shows. */
import { describe, expect, test } from 'vitest';
import { call } from '../cli/harness.ts';
import { lessonsIn, type Step, stepsOf, unmatched, written } from './lessons.ts';
import { pages } from './pages.ts';

const lessons = lessonsIn(pages);

test('each page of docs/learn has steps that run', () => {
  const learn = pages.filter((page) => page.startsWith('docs/learn/') && !page.endsWith('README.md'));
  expect(learn.length).toBeGreaterThan(3);
  expect(learn.filter((page) => !lessons.includes(page))).toEqual([]);
});

/** Commands that several pages show run once. */
const ran = new Map<string, ReturnType<typeof call>>();

async function follow(step: Step, files: Record<string, string>): Promise<void> {
  if ('name' in step) {
    files[step.name] = written(files[step.name], step);
    return;
  }
  const [program, ...words] = step.words;
  expect(program, step.place).toBe('pipewright');
  const key = JSON.stringify([words, files]);
  const called = ran.get(key) ?? call(words, { files });
  ran.set(key, called);
  const { out, err, status, files: after } = await called;
  const printed = (out + err).replaceAll('\r\n', '\n');
  expect(step.fails ? status !== 0 : status === 0, `${step.place}: ${step.words.join(' ')}\n${printed}`).toBe(true);
  if (unmatched(step, printed) !== undefined) expect(printed, step.place).toBe(step.shown.join('\n…\n'));
  Object.assign(files, after);
}

test('the workflow of docs/do/use-in-ci.md runs commands that pass', async () => {
  const steps = stepsOf('docs/do/use-in-ci.md').filter((step) => 'name' in step);
  const files = Object.fromEntries(steps.map(({ name, text }) => [name, text]));
  const workflow = files['.github/workflows/plans.yml'] ?? '';
  const calls = [...workflow.matchAll(/^ +- run: pipewright (.+)$/gm)].map(([, words]) => words.split(' '));
  expect(calls.length).toBeGreaterThan(2);
  for (const words of calls) {
    const { status, err } = await call(words, { files });
    expect(status, `${words.join(' ')}\n${err}`).toBe(0);
  }
});

describe.each(lessons)('%s', (page) => {
  const files: Record<string, string> = {};
  const steps = stepsOf(page).map(
    (step, at) => [at + 1, 'name' in step ? step.name : step.words.join(' '), step] as const,
  );
  test.each(steps)('step %i: %s', (_, __, step) => follow(step, files));
});

describe('a lesson', () => {
  const command = (shown: readonly string[]) => ({ place: '', words: [], shown, fails: false });

  test('shows all that a command prints, or leaves lines out with …', () => {
    expect(unmatched(command(['a\nb']), 'a\nb\n')).toBeUndefined();
    expect(unmatched(command(['a']), 'a\nb\n')).toBe('a');
    expect(unmatched(command(['a', '']), 'a\nb\n')).toBeUndefined();
    expect(unmatched(command(['', 'b']), 'a\nb\n')).toBeUndefined();
    expect(unmatched(command(['', 'b']), 'b\na\n')).toBe('b');
    expect(unmatched(command(['b', '']), 'a\nb\n')).toBe('b');
    expect(unmatched(command(['', 'c', '']), 'a\nb\n')).toBe('c');
    expect(unmatched(command(['', 'b', 'a', '']), 'a\nb\n')).toBe('a');
  });

  test('changes declarations of a file, and adds new ones', () => {
    const before = 'import { a } from "std:x"\n\n/// Old.\nmodel m {\n  x = 1\n}\nparam p = 1\n';
    const change = {
      name: '',
      change: true,
      text: 'import { a, b } from "std:x"\n\nmodel m { x = 2 }\nexpect e { }\n',
    };
    expect(written(before, change)).toBe(
      'import { a, b } from "std:x"\n\nmodel m { x = 2 }\n\nparam p = 1\n\nexpect e { }\n',
    );
    expect(written(before, { ...change, change: false })).toBe(change.text);
  });
});
