/** What the page on searches shows is what its commands print. */
import { beforeAll, describe, expect, test } from 'vitest';
import { foundPoint, type PlanAnswer } from '../../../engine/sweep/answer.ts';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { bytes, iterationTime, share } from '../../../engine/basics/quantities.ts';
import { dataFile } from '../support/data.ts';
import { exampleText } from '../../support/example.ts';
import { call, type Called } from '../cli/harness.ts';
import { sweepCase } from '../sweep/sweepCase.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/do/what-fits-on-my-cluster.md')
  // Links to the glossary come and go with the words before them.
  .replaceAll(/\[([^\]]+)\]\([^)]*glossary\.md#[^)]*\)/g, '$1');
const blocksOf = (mark: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^( *)\`\`\`${mark}\\n([^]*?)^ *\`\`\`$`, 'gm'))].map(([, indent, block]) =>
    block
      .split('\n')
      .map((line) => line.slice(indent.length))
      .join('\n'),
  );
const [added] = blocksOf('pipe add');
const [figure13, figure14, calculon] = blocksOf('pipe');
const files: Record<string, string> = {
  'train.pipe': `${exampleText('llama3-70b.pipe')}\n${added}`,
  'megatron_sc21.pipe': exampleText('published/megatron_sc21.pipe'),
  'figure13.pipe': figure13,
  'figure14.pipe': figure14,
  'calculon.pipe': calculon,
};

/** Runs a command of the page in this thread. */
function run(command: string, more: Readonly<Record<string, string>> = {}): Promise<Called> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
  return call([...words.slice(1), '--threads', '1'], {
    files: { ...files, ...more },
  });
}

const answer = async (command: string): Promise<PlanAnswer> =>
  JSON.parse((await run(`${command} --format json`)).out) as PlanAnswer;

/** All rows of a search that fit, also those that are worse than another in time and memory, which a search need not time. */
async function everyRow(command: string): Promise<PlanAnswer> {
  const found = await answer(command);
  const [, name = ''] = /plan (\S+)/.exec(command) ?? [];
  const [, param, value] = /--set (\w+)=(\d+)/.exec(command) ?? [];
  const overrides = param === undefined ? {} : { [param]: Number(value) };
  const { base } = sweepCase('recompute = full', { text: files[name], overrides });
  const points = Array.from({ length: found.rows }, (_, row) => outcomeOf(base, found.search, row, [])).flatMap(
    (outcome, row) => (outcome.kind === 'ran' ? foundPoint(base, found.search, row, outcome.figures) : []),
  );
  return { ...found, points: points.map((point) => ({ ...point, front: false, fingerprint: '' })) };
}

describe('every command', () => {
  const steps = blocksOf('console').map((block) => block.trimEnd().split('\n'));
  test.each(steps)('%s', async (command, ...output) => {
    const { status, out, err, files: after } = await run(command.slice(2));
    expect(status, err).toBe(0);
    for (const line of output) expect(out).toContain(`${line}\n`);
    if (command.includes('--output')) expect(after['faster.pipe']).toContain('stages            = balance(10)');
  });
});

test.each([32, 128])(
  'figure 13 of the SC 2021 paper, batch %d: the table is the search, and (8, 8) is fastest',
  async (batch) => {
    const { points, best } = await everyRow(`pipewright plan figure13.pipe --set batch=${batch}`);
    const column = batch === 32 ? 1 : 2;
    const rows = [...page.matchAll(/^\| (\d+, \d+) \| (.*?) \| (.*?) \|$/gm)].map((cells) => [
      cells[1],
      cells[column + 1],
    ]);
    expect(
      points.map(({ settings, iteration }) => [
        `${settings['pipeline']}, ${settings['tensor']}`,
        iterationTime(iteration),
      ]),
    ).toEqual(rows);
    expect(points.find(({ row }) => row === best)?.settings).toMatchObject({ pipeline: '8', tensor: '8' });
  },
);

test.each([
  ['pipeline', 32, 1, 'pipeline = [2, 4, 8, 16, 32], tensor = 1'],
  ['pipeline', 512, 2, 'pipeline = [2, 4, 8, 16, 32], tensor = 1'],
  ['tensor', 32, 1, 'tensor = [2, 4, 8, 16, 32], sequence_parallel = false, pipeline = 1'],
  ['tensor', 512, 2, 'tensor = [2, 4, 8, 16, 32], sequence_parallel = false, pipeline = 1'],
])('figures 14 and 15 of the SC 2021 paper: more %s ranks are slower, batch %d', async (key, batch, column, over) => {
  const { points } = await answer(`pipewright plan figure14.pipe --set batch=${batch} --over "${over}"`);
  const [, table = ''] = page.split(`| \`${key}\`, of 64 devices |`);
  const rows = [...table.split('\n\n')[0].matchAll(/^\| (\d+) +((?:\| [^|]+ m?s +){2})\|$/gm)].map(
    ([, ranks, cells]) => [ranks, cells.split('|')[column].trim()],
  );
  expect(points.map(({ settings, iteration }) => [settings[key], iterationTime(iteration)])).toEqual(rows);
  const times = points.map(({ iteration }) => iteration);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times).toHaveLength(5);
});

test('what the page says of GPT-3 175B', async () => {
  const command =
    blocksOf('console')
      .find((block) => block.includes('megatron_sc21.pipe'))
      ?.split('\n')[0] ?? '';
  const { points, written } = await answer(command.slice(2));
  const byTime = points.filter(({ meets }) => meets).toSorted((a, b) => a.iteration - b.iteration);
  const of = (row: number) => points.find((point) => point.row === row)?.iteration ?? NaN;
  expect(of(8)).toBe(written?.iteration);
  const eight = byTime.filter(({ settings }) => settings['tensor'] === '8').map(({ row }) => row);
  expect([eight.length, eight.indexOf(8)]).toEqual([6, 3]);
  expect(eight.slice(0, 3).toSorted((a, b) => a - b)).toEqual([6, 7, 9]);
  expect(share(1 - of(9) / of(8))).toBe('1.1 %');
  expect(share(1 - byTime[0].iteration / of(8))).toBe('9.6 %');
});

test('GPT-3 175B on 1,024 devices takes the days that the page says', async () => {
  const text = calculon
    .replace('node[64]', 'node[128]')
    .replace('= 512\n', '= 1536\n')
    .replace(/^ +sequence_parallel.*\n/m, '');
  const over =
    'tensor = [8], sequence_parallel = [false], pipeline = [16], micro_batch = [1], schedule = [interleaved_1f1b], chunks = [3]';
  const command = `pipewright plan big.pipe --over "${over}, recompute = [full]" --format json`;
  const { points } = JSON.parse((await run(command, { 'big.pipe': text })).out) as PlanAnswer;
  const [{ iteration }] = points;
  const days = (iteration * 300e9) / (1536 * 2048) / 86_400;
  expect(/an iteration takes .*/.exec(page)?.[0]).toBe(
    `an iteration takes ${iterationTime(iteration)} here. That makes ${days.toFixed(1)} days.`,
  );
});

describe('the product that Calculon enumerates', () => {
  interface Row {
    readonly key: string;
    readonly seconds: number;
    readonly bytes: number;
  }
  const theirs: readonly Row[] = dataFile('calculon/gpt3_175b_512.csv')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .map((cells) => ({
      key: cells.slice(0, 5).join(', '),
      seconds: Number(cells[5]),
      bytes: Number(cells[6]) * 2 ** 30,
    }));
  let ours: readonly (Row & { readonly best: boolean })[];
  beforeAll(async () => {
    const { points, best } = await everyRow('pipewright plan calculon.pipe');
    ours = points
      .filter(({ meets }) => meets)
      .map(({ row, settings, iteration, peak }) => ({
        key: ['tensor', 'pipeline', 'micro_batch', 'chunks', 'recompute']
          .map((name) => settings[name] ?? '1')
          .join(', '),
        seconds: iteration,
        bytes: peak,
        best: row === best,
      }));
  });

  test('has the same fastest row, nearly the same order, and times that are a little longer', () => {
    const both = theirs.flatMap((their) => {
      const our = ours.find(({ key }) => key === their.key);
      return our === undefined ? [] : [{ their, our }];
    });
    expect(both.find(({ our }) => our.best)?.their).toBe(theirs.toSorted((a, b) => a.seconds - b.seconds)[0]);
    const ranks = (times: readonly number[]): readonly number[] => {
      const sorted = times.toSorted((a, b) => a - b);
      return times.map((value) => sorted.indexOf(value));
    };
    const [our, their] = [ranks(both.map((row) => row.our.seconds)), ranks(both.map((row) => row.their.seconds))];
    const n = both.length;
    const squares = our.reduce((total, rank, at) => total + (rank - their[at]) ** 2, 0);
    const correlation = 1 - (6 * squares) / (n * (n * n - 1));
    const longer = both.reduce((total, row) => total + row.our.seconds / row.their.seconds - 1, 0) / n;
    expect(/Both figure .*/.exec(page)?.[0]).toBe(
      `Both figure ${n} rows that fit. Their order is nearly the same (rank correlation ${correlation.toFixed(2)}), and times here are ${Math.round(longer * 100)} % longer on average.`,
    );
  });

  test('takes the times and the memory of the table', () => {
    const table = [...page.matchAll(/^\| (\d+, \d+, \d+, \d+, \w+) \| (.*?), (.*?) \| (.*?), (.*?) \|$/gm)];
    expect(table).toHaveLength(8);
    for (const [, key, ...cells] of table) {
      const figures = [theirs, ours].flatMap((rows) => {
        const row = rows.find((candidate) => candidate.key === key);
        return row === undefined ? [] : [iterationTime(row.seconds), bytes(row.bytes)];
      });
      expect(cells, key).toEqual(figures);
    }
  });
});

test('the hand-made plan of the example is on the front, or a better one is', async () => {
  const { points, written } = await answer('pipewright plan train.pipe --pipeline interleaved');
  const front = points.filter((point) => point.front);
  expect(
    front.some(
      ({ iteration, peak }) => written !== undefined && iteration <= written.iteration && peak <= written.peak,
    ),
  ).toBe(true);
});
