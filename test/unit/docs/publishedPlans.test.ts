/** The page on published plans has the figures of their rows, and no row next to the best one is faster. */
import { describe, expect, test } from 'vitest';
import { iterationTime, share } from '../../../engine/basics/quantities.ts';
import { rowOf, type Settings } from '../../../engine/sweep/axes.ts';
import type { RowFigures } from '../../../engine/sweep/evaluateRow.ts';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { exampleText } from '../../support/example.ts';
import { call } from '../cli/harness.ts';
import { runHere, sweepCase } from '../sweep/sweepCase.ts';
import { blocks, textOf } from './pages.ts';

const page = textOf('docs/published-plans.md');
const [nemotron] = blocks(page, 'pipe');
const sc21 = exampleText('published/megatron_sc21.pipe');
const ofSc21 = 'schedule = [1f1b, interleaved_1f1b], tensor = [1, 2, 4, 8], micro_batch = [1, 2, 4, 8]';

interface Space {
  readonly text: string;
  readonly pipeline: string;
  readonly over: string;
}

const sc21Space = (pipeline: string, more: string): Space => ({ text: sc21, pipeline, over: `${ofSc21}, ${more}` });

/** What is searched for each training of the page. */
const spaces: Readonly<Record<string, Space>> = {
  'Llama 3 405B': {
    text: exampleText('published/llama3_405b.pipe'),
    pipeline: 'data_64',
    over: 'schedule = [1f1b, interleaved_1f1b], context = [1, 2], tensor = [4, 8, 16], pipeline = [4, 8, 16, 32], chunks = [2, 4, 8], micro_batch = [1, 2]',
  },
  'DeepSeek-V3': {
    text: exampleText('deepseek-v3.pipe'),
    pipeline: 'as_published',
    over: 'pipeline = [8, 16, 32], expert = [8, 16, 32, 64], micro_batch = [1, 2]',
  },
  'Nemotron-4 340B': {
    text: nemotron,
    pipeline: 'train',
    over: 'schedule = [1f1b, interleaved_1f1b], tensor = [4, 8], pipeline = [6, 8, 12, 16, 24, 32], chunks = [2, 3, 4, 6, 8, 12], micro_batch = [1, 2]',
  },
  'GPT 1008B': sc21Space('table1_1008b', 'pipeline = [8, 16, 32, 64], chunks = [2, 4]'),
  'GPT 529.6B': sc21Space('table1_529_6b', 'pipeline = [7, 15, 21, 35], chunks = [3, 5]'),
  'GPT 310.1B': sc21Space('table1_310_1b', 'pipeline = [4, 8, 16, 32], chunks = [2, 3]'),
  'GPT 145.6B': sc21Space('table1_145_6b', 'pipeline = [2, 4, 8, 16], chunks = [2, 5]'),
  'GPT-3 175B': sc21Space('table2_175b_768', 'pipeline = [2, 4, 6, 8, 12, 16, 24], chunks = [2, 4]'),
  'GPT 76.1B': sc21Space('table1_76_1b', 'pipeline = [1, 2, 4, 8, 12, 16], chunks = [2, 3, 5]'),
  'GPT 39.1B': sc21Space('table1_39_1b', 'pipeline = [1, 2, 4, 8], chunks = [2, 3, 4, 6]'),
  'GPT 18.4B': sc21Space('table1_18_4b', 'pipeline = [1, 2, 4, 8], chunks = [2, 5]'),
};

const rows = [...page.matchAll(/^\| ([^,|]+), [\d,]+ \w+ \| (.+): (.+) \| (.+): (.+) \| (.+) \|$/gm)].map(
  ([, name, published, time, best, bestTime, longer]) => ({ name, published, time, best, bestTime, longer }),
);

test('the page has a row for each training', () => {
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(spaces));
});

describe.each(rows)('$name', ({ name, published, time, best, bestTime, longer }) => {
  const { text, pipeline, over } = spaces[name];
  const { base, axes } = sweepCase(over, { text, pipeline });

  /** One chunk is plain 1F1B, whose rows have the first value of `chunks`. */
  function settings(words: string): Settings {
    const written = Object.fromEntries(words.split(', ').map((pair) => pair.split(' ') as [string, string]));
    if (axes.every(({ key }) => key !== 'schedule')) return written;
    const [chunks] = axes.find(({ key }) => key === 'chunks')?.values ?? [];
    return written['chunks'] === '1'
      ? { ...written, chunks, schedule: '1f1b' }
      : { ...written, schedule: 'interleaved_1f1b' };
  }
  function figures(of: Settings): RowFigures | undefined {
    const outcome = outcomeOf(base, axes, rowOf(axes, of), []);
    return outcome.kind === 'ran' && outcome.figures.meets ? outcome.figures : undefined;
  }
  const fastest = settings(best);

  test('has the times of both rows, and the published one is the row of the file', () => {
    const [was, now] = [figures(settings(published))?.iteration ?? NaN, figures(fastest)?.iteration ?? NaN];
    expect([iterationTime(was), iterationTime(now), share(was / now - 1)]).toEqual([time, bestTime, longer]);
    for (const { key } of axes) {
      const { tensor, context, expert } = base.size.mesh;
      const own: Readonly<Record<string, number>> = {
        ...{ tensor, context, expert },
        pipeline: base.ranks,
        micro_batch: base.size.microBatch,
      };
      if (key in own) expect(settings(published)[key], key).toBe(String(own[key]));
    }
  });

  test('no row that differs in one value from the best fits and is faster', () => {
    const least = figures(fastest)?.iteration ?? NaN;
    for (const { key, values } of axes)
      for (const value of values)
        expect(figures({ ...fastest, [key]: value })?.iteration ?? Infinity, `${key} ${value}`).toBeGreaterThanOrEqual(
          least,
        );
  });
});

test('the search of the page has the best row that it names', () => {
  const over = /--pipeline table1_18_4b --over "(.*)"/.exec(page)?.[1] ?? '';
  const found = runHere(sweepCase(over, { text: sc21, pipeline: 'table1_18_4b' }));
  const [first] = found.points.filter(({ meets }) => meets).toSorted((a, b) => a.iteration - b.iteration);
  expect(first.settings).toMatchObject({ tensor: '2', pipeline: '4', micro_batch: '1', chunks: '5' });
});

test('other figures of the text are of these files', async () => {
  const { out } = await call(['simulate', 'a.pipe', '--pipeline', 'table1_18_4b'], { files: { 'a.pipe': sc21 } });
  const [, tensor] = /tensor ranks +\S+ \S+ +\S+ \S+ +exposed (\S+ s) /.exec(out) ?? [];
  const [, iteration] = /Iteration +(\S+ s) /.exec(out) ?? [];
  expect(page).toContain(`take ${tensor} of ${iteration}, `);
  const { base, axes } = sweepCase(spaces['Nemotron-4 340B'].over, { text: nemotron, pipeline: 'train' });
  const peaks = ['12', '6'].map((ranks) => {
    const chosen = {
      ...{ schedule: 'interleaved_1f1b', tensor: '8', micro_batch: '1' },
      ...{ pipeline: ranks, chunks: ranks === '12' ? '8' : '12' },
    };
    const outcome = outcomeOf(base, axes, rowOf(axes, chosen), []);
    return outcome.kind === 'ran' ? (outcome.figures.peak / 2 ** 30).toFixed(1) : '';
  });
  expect(page).toContain(`needs ${Number(peaks[1])} GiB instead of ${Number(peaks[0])} GiB`);
});
