/** Texts that quick fixes try: each is checked once for a request, unless an answer is still to come. */
import { expect, test } from 'vitest';
import { directSearches, noSearches, type Searches } from '../../../engine/basics/searches.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { LineIndex } from '../../../grammar/index.ts';
import { checkedAgain } from '../../../engine/fixes/proposal.ts';
import { trials } from '../../../server/searches/trials.ts';
import { analyse } from '../../support/analyse.ts';
import { hostOf, uri, noLines } from '../../support/host.ts';
import { pipe } from '../fixes/file.ts';

const file = (microbatches: number) =>
  pipe({ pipeline: `  microbatches = ${microbatches}\n  stages = balance(4)\n  schedule = 1f1b` });
const view = () => {
  const analysis = analyse(file(8));
  const files = { ...hostOf(), list: () => [], ...noLines, all: () => [] };
  const lines = new LineIndex(file(8));
  return { uri, version: 1, lines, files, options: defaultOptions, syntax: analysis.syntax, analysis };
};

test('the same text is checked once, whoever asks', () => {
  const again = trials(view());
  const first = again(directSearches())(file(12));
  expect(first.pipelines[0].run).toBeDefined();
  expect(again(directSearches())(file(12))).toBe(first);
  expect(again(directSearches())(file(16))).not.toBe(first);
});

test('a text whose answers are still to come is checked again', () => {
  const again = trials(view());
  const waiting = again(noSearches)(file(12));
  expect(waiting.pending).toEqual(['train']);
  expect(again(directSearches())(file(12)).pending).toEqual([]);
});

test('a large run is not kept, since it takes much room', () => {
  const again = trials(view());
  // Two operations of each of four stages: 20,000 are kept, more are not.
  for (const [microbatches, kept] of [
    [2500, true],
    [2501, false],
  ] as const) {
    const first = again(directSearches())(file(microbatches));
    expect(again(directSearches())(file(microbatches)) === first, `${microbatches}`).toBe(kept);
  }
});

test('a text whose answers are still to come is planned once, and simulated anew when they are there', () => {
  const read: string[] = [];
  const analysis = analyse(file(8));
  const files = {
    ...hostOf({ 'other.pipe': 'let a = 1\n' }, read),
    list: () => [],
    ...noLines,
    all: () => [],
  };
  const lines = new LineIndex(file(8));
  const again = trials({ uri, version: 1, lines, files, options: defaultOptions, syntax: analysis.syntax, analysis });
  const text = `import "other.pipe"\n${file(12)}`;
  const first = again(noSearches)(text);
  expect(first.pending).toEqual(['train']);
  expect(read).toHaveLength(1);
  const second = again(directSearches())(text);
  expect(second.pending).toEqual([]);
  expect(second.resolution).toBe(first.resolution);
  expect(second.pipelines[0].run?.report).toEqual(analyse(file(12)).pipelines[0].run?.report);
  expect(read).toHaveLength(1);
});

test('a text is checked in steps: a pause after each declaration, and within a simulation', () => {
  const text = `${file(12)}${'let spare = 1\n'.repeat(40)}`;
  const pausesWith = (searches: Searches): number => {
    let pauses = 0;
    for (const steps = checkedAgain(trials(view())(searches), text); ; pauses += 1) {
      const step = steps.next();
      if (step.done !== true) continue;
      expect(step.value.pipelines[0].run).toBeDefined();
      return pauses;
    }
  };
  const { answer, steps } = directSearches();
  expect(pausesWith({ answer })).toBeGreaterThan(40);
  expect(pausesWith({ answer, steps })).toBeGreaterThan(pausesWith({ answer }));
});
