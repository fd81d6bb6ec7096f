import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tempFolder } from '../../host/tempFolder.ts';
import { answerMemory } from '../../torch/memory.ts';

let folder: ReturnType<typeof tempFolder>;
let runs: string[];
beforeEach(() => {
  folder = tempFolder('pipewright-memory-');
  runs = [];
});
afterEach(() => folder.remove());

const memory = ({ versions = '1', always = false } = {}) =>
  answerMemory({
    folder: path.join(folder.path, 'answers'),
    versions: () => versions,
    always,
    run: (args, input) => {
      runs.push(input);
      return { status: 0, out: `${args.length} ${input}`, err: '' };
    },
  });

/** Asks in a process of its own, as it were, and keeps the answer. */
function askAndKeep(args: readonly string[], input: string, options?: Parameters<typeof memory>[0]) {
  const asked = memory(options);
  const answer = asked.ask(args, input);
  asked.keep();
  return { answer, ...asked.counts() };
}

it('gives the same answer without running the program', () => {
  const first = askAndKeep(['-c', 'x'], 'a');
  const second = askAndKeep(['-c', 'x'], 'a');
  expect(second.answer).toEqual(first.answer);
  expect([first.remembered, second.remembered]).toEqual([0, 1]);
  expect(runs).toEqual(['a']);
});

it('runs again if the arguments, the input or the versions change, or if told to', () => {
  askAndKeep(['-c', 'x'], 'a');
  askAndKeep(['-c', 'y'], 'b');
  askAndKeep(['-c', 'x'], 'c');
  askAndKeep(['-c', 'x'], 'a', { versions: '2' });
  askAndKeep(['-c', 'x'], 'a', { always: true });
  expect(runs).toEqual(['a', 'b', 'c', 'a', 'a']);
});

it('looks into the files that arguments name, and not at their names', () => {
  const [one, other] = ['one.py', 'other.py'].map((name) => path.join(folder.path, name));
  writeFileSync(one, 'print(1)');
  askAndKeep([one], 'a');
  writeFileSync(other, 'print(1)');
  askAndKeep([other], 'a');
  expect(runs).toEqual(['a']);
  writeFileSync(one, 'print(2)');
  askAndKeep([one], 'a');
  expect(runs).toEqual(['a', 'a']);
});

it('keeps nothing of a test that failed', () => {
  const failed = memory();
  failed.ask(['x'], 'a');
  failed.forget();
  failed.keep();
  askAndKeep(['x'], 'a');
  expect(runs).toEqual(['a', 'a']);
});
