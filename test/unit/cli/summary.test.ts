import { describe, expect, test } from 'vitest';
import { findingItems } from '../../../cli/summary/findingItems.ts';
import { mostBytes, mostCharacters, type Summary, summaryData, summaryText } from '../../../cli/summary/summary.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { check } from '../../../engine/flow/check.ts';
import * as fc from '../../support/property.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { call, good } from './harness.ts';

/** One device is never idle, so that no other schedule is tried. */
const quick = good.replace('gpu[4]', 'gpu[1]').replace('balance(4)', 'balance(1)').replace('16GiB', '80GiB');

const itemOf = (words: string) => ({ line: words, data: { message: words } });

describe('a summary', () => {
  const words = fc.string({ maxLength: 900, unit: 'binary' });
  const summaries: fc.Arbitrary<Summary> = fc
    .tuple(
      fc.array(fc.array(words.map(itemOf), { maxLength: 60 }), { maxLength: 3 }),
      fc.option(words, { nil: undefined }),
    )
    .map(([lists, text]) => ({
      head: ['verdict'],
      fields: { verdict: 'verdict' },
      lists: lists.map((items, at) => ({ name: `list${at}`, singular: 'entry', plural: 'entries', items })),
      ...(text === undefined ? {} : { text }),
    }));

  test('keeps its sizes, and says what it leaves out', () => {
    fc.assert(
      fc.property(summaries, (summary) => {
        const text = summaryText(summary);
        expect(text.length).toBeLessThanOrEqual(mostCharacters);
        expect(text.startsWith('verdict\n')).toBe(true);
        const data = summaryData(summary);
        expect(Buffer.byteLength(JSON.stringify(data, undefined, 2))).toBeLessThanOrEqual(mostBytes);
        const left = (data['left_out'] ?? {}) as Record<string, number>;
        for (const { name, items } of summary.lists)
          expect((data[name] as unknown[]).length + (left[name] ?? 0)).toBe(items.length);
      }),
      { numRuns: 60 },
    );
  });

  test('keeps what is more important, and leaves each list some room', () => {
    const many = (name: string) => ({
      name,
      singular: 'entry',
      plural: 'entries',
      items: Array.from({ length: 50 }, (_, at) => itemOf(`${name} ${at} ${'x'.repeat(60)}`)),
    });
    const summary = { head: ['verdict'], fields: {}, lists: [many('first'), many('second')] };
    const lines = summaryText(summary).split('\n');
    const numbers = (name: string) =>
      lines.flatMap((line) => (line.startsWith(name) ? [Number(line.split(' ')[1])] : []));
    for (const name of ['first', 'second']) {
      expect(numbers(name).length).toBeGreaterThan(5);
      expect(numbers(name)).toEqual(numbers(name).map((_, at) => at));
    }
    expect(lines.at(-2)).toBe(
      `Left out: ${50 - numbers('first').length} entries and ${50 - numbers('second').length} entries.`,
    );
    expect(summaryText(summary, 2).split('\n')).toHaveLength(1 + 4 + 1 + 1);
    expect(summaryData(summary, 2)['left_out']).toEqual({ first: 48, second: 48 });
  });

  test('has no words of a file that a terminal or a page obeys', () => {
    const nasty = 'a\u001b[31m [x](command:run) <img src=y> https://z.example \u202e';
    const summary = {
      head: [nasty],
      fields: { name: nasty },
      lists: [{ name: 'all', singular: 'one', plural: 'ones', items: [itemOf(nasty)] }],
    };
    for (const text of [summaryText(summary), JSON.stringify(summaryData(summary))])
      for (const obeyed of ['\u001b', '\u202e', '](', '<img', '://']) expect(text).not.toContain(obeyed);
  });

  test('has the text of a file as a whole or not at all in its data', () => {
    const text = 'model a {\n}\n';
    expect(summaryData({ head: [], fields: {}, lists: [], text })['text']).toBe(text);
    const long = text.repeat(2_000);
    const data = summaryData({ head: [], fields: {}, lists: [], text: long });
    expect(data).toEqual({ left_out: { text: long.length } });
  });
});

describe('--summary', () => {
  const files = {
    'a.pipe': shaped,
    'good.pipe': good,
    'quick.pipe': quick,
    'bad.pipe': 'device d { memory = 80Gib }\n',
  };
  const parsed = (out: string): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>;

  test.each([
    ['check', 'quick.pipe'],
    ['check', 'quick.pipe', 'bad.pipe'],
    ['simulate', 'quick.pipe'],
    ['compare', 'good.pipe', '--schedules', 'gpipe,1f1b,zb_h1'],
    ['search', 'good.pipe'],
    ['plan', 'a.pipe', '--pipeline', 'train', '--over', 'tensor = [1, 2]', '--threads', '1'],
  ])('of %s %s keeps its sizes in both formats', async (...args: string[]) => {
    const text = await call([...args, '--summary'], { files });
    expect(text.status).toBe(args.includes('bad.pipe') ? 1 : 0);
    expect(text.out.length).toBeLessThanOrEqual(mostCharacters);
    expect(text.out).not.toContain('undefined');
    const { out } = await call([...args, '--summary', '--format', 'json'], { files });
    expect(Buffer.byteLength(out)).toBeLessThanOrEqual(mostBytes);
    // Times, bytes and shares say so in their names.
    expect(out).not.toMatch(/"(iteration|peak|bubble|mfu|capacity|time|memory)":/u);
  });

  test('has the figures of the whole report, in its units', async () => {
    const report = parsed((await call(['simulate', 'quick.pipe', '--format', 'json'], { files })).out);
    const summary = parsed((await call(['simulate', 'quick.pipe', '--format', 'json', '--summary'], { files })).out);
    const [whole] = report['pipelines'] as { iteration: number; bubble: { makespan: number } }[];
    const [short] = summary['pipelines'] as Record<string, unknown>[];
    expect(short['iteration_seconds']).toBe(whole.iteration);
    expect(short['bubble_share']).toBe(whole.bubble.makespan);
    // Eight microbatches of eight layers of 4 ms and 8 ms, one after the other.
    expect(short['iteration_seconds']).toBeCloseTo(8 * 8 * 0.012, 9);
    expect(short['capacity_bytes']).toBe(80 * 2 ** 30);
  });

  test('names errors first, with their places', async () => {
    const { out, status } = await call(['check', 'bad.pipe', '--summary'], { files });
    expect(status).toBe(1);
    expect(out.split('\n').slice(0, 2)).toEqual([
      'bad.pipe: 1 error',
      'error 1:21 syntax/unit: Unknown unit "Gib". Did you mean "GiB"?',
    ]);
  });

  test('orders findings by their weight', () => {
    const text = files['bad.pipe'];
    const host = { read: () => ({ problem: 'not-found' as const }), resolve: (at: string) => at };
    const analysis = check({ uri: 'file:///bad.pipe', text, host, options: defaultOptions });
    const [error] = analysis.findings;
    const file = { path: 'bad.pipe', name: 'bad.pipe', text, analysis };
    const given = (['hint', 'information', 'error', 'warning'] as const).map((severity) => ({ ...error, severity }));
    const { items } = findingItems([file], () => given);
    expect(items.map(({ line }) => line?.split(' ')[0])).toEqual(['error', 'warning', 'information', 'hint']);
  });

  test('puts the fastest row that fits first', async () => {
    const { out } = await call(['compare', 'good.pipe', '--schedules', 'gpipe,zb_h1', '--summary'], { files });
    expect(out).toMatch(
      /^2 rows.* The fastest that fits is train with zb_h1\.\ntrain with zb_h1: .*\ntrain with gpipe: /,
    );
  });

  test('says which limit a row misses, and by how much', async () => {
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', 'tensor = [1]', '--threads', '1', '--summary'];
    const { out, status } = await call([...args, '--limit', 'peak_memory < 1MiB'], { files });
    expect(status).toBe(1);
    expect(out).toMatch(/misses peak_memory < 1MiB: [\d.]+ GiB, [\d.]+ GiB too much/);
  });

  test.each([
    [['check', 'good.pipe', '--summary', '--format', 'sarif'], '--summary is for --format text and json.'],
    [['check', 'good.pipe', '--summary=x'], '--summary takes the most entries of a list, such as 5, not "x".'],
    [['search', 'good.pipe', '--format', 'json'], '--format is for --summary.'],
    [
      ['search', 'good.pipe', '--summary', '--verify'],
      '--summary has the order: leave out --write, --output and --verify.',
    ],
    [['compare', 'good.pipe', '--summary', '--with', 'x.json'], '--summary cannot be combined with --with.'],
    [
      ['plan', 'a.pipe', '--summary', '--output', 'x.json'],
      '--summary is printed: leave out --output, or give it the name of a pipeline.',
    ],
  ])('%j is refused', async (args, problem) => {
    const { status, err, out } = await call(args, { files });
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(problem);
  });
});
