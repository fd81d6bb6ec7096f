/**
 * Text in the language on pages, by what its block is marked as. `pipe`: a file that runs as printed. `pipe part`: a part of a file, or
 * a file that reads others. `pipe fails`: a file whose mistake the page is about. The pages of findings have tests of their own, and so
 * have files of pages that go step by step, `pipe train.pipe`: see `lessons.ts`. `pipe signature`: how a name is called, written from code.
 */
import { describe, expect, test } from 'vitest';
import { parse } from '../../../grammar/parse.ts';
import { analyse } from '../../support/analyse.ts';
import { pages, textOf } from './pages.ts';

interface Printed {
  readonly place: string;
  readonly mark: string;
  readonly text: string;
}
const printed: readonly Printed[] = pages
  .filter((page) => !page.startsWith('docs/diagnostics/'))
  .flatMap((page) => {
    const text = textOf(page);
    return [...text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].map((match) => ({
      place: `${page}:${text.slice(0, match.index).split('\n').length}`,
      mark: match[1].trim(),
      text: match[2],
    }));
  });
const marked = (mark: string) =>
  printed.filter((block) => block.mark === mark).map((block) => [block.place, block.text]);
const errorsOf = (text: string) =>
  analyse(text)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`);

/** Blocks that entries can be in. */
const around = ['schedule x {\n', 'model x {\n', 'pipeline x {\n', ''];

test.each(marked('pipe'))('%s runs as printed', (_, text) => {
  expect(errorsOf(text)).toEqual([]);
  const { pipelines } = analyse(text);
  expect(pipelines.map(({ plan, run }) => [plan.name, run === undefined])).toEqual(
    [...text.matchAll(/^pipeline (\w+)/gm)].map(([, name]) => [name, false]),
  );
});

describe('schedules without a pipeline', () => {
  const schedules = marked('pipe').flatMap(([place, text]) =>
    /^pipeline /m.test(text)
      ? []
      : [...text.matchAll(/^schedule (\w+)/gm)].map(([, name]) => [`${name} of ${place}`, name, text] as const),
  );
  test.each(schedules)('%s run on a few shapes', (_, name, text) => {
    const shapes = `expect ${name} { over(devices = 2..4, microbatches = 8)  valid }\n`;
    expect(errorsOf(new RegExp(`^expect ${name}\\b`, 'm').test(text) ? text : text + shapes)).toEqual([]);
  });
});

test.each(marked('pipe part'))('%s is a part of a file', (_, text) => {
  const faults = around.map((open) => parse(open === '' ? text : `${open}${text}}\n`).errors.length);
  expect(Math.min(...faults)).toBe(0);
});

test.each(marked('pipe fails'))('%s fails', (_, text) => {
  expect(parse(text).errors).toEqual([]);
  expect(errorsOf(text)).not.toEqual([]);
});

test('every block in the language is marked', () => {
  const declares =
    /^(?:model|device|cluster|schedule|pipeline|job|stage|layer|param|let|expect) ?\w+(?:\[.*\])? *[{=]/m;
  const unmarked = printed.filter(({ mark, text }) => mark === '' && declares.test(text));
  expect(unmarked.map(({ place }) => place)).toEqual([]);
  const known = ['pipe', 'pipe part', 'pipe fails', 'pipe add', 'pipe signature'];
  const marks = printed.filter(
    ({ mark }) =>
      mark.startsWith('pipe') && !mark.startsWith('pipe schedule ') && !/^pipe [\w./-]+\.pipe(?: change)?$/.test(mark),
  );
  expect(marks.filter(({ mark }) => !known.includes(mark))).toEqual([]);
});
