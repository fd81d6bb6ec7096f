/** Searches over settings, asked of the real server: they find what the terminal finds, and can be stopped and continued. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { CodeLens } from 'vscode-languageserver';
import { frontOf } from '../../../engine/sweep/front.ts';
import { planAnswer } from '../../../engine/sweep/answer.ts';
import { planCsv } from '../../../server/searches/planData.ts';
import {
  type FindPlanAnswer,
  type FindPlanRequest,
  methods,
  type PlanEdited,
  type PlanFileAnswer,
  type PlanFound,
  type PlanRowAnswer,
} from '../../../webview/protocol/requests.ts';
import { analyse } from '../../support/analyse.ts';
import { applyEdits, type Client, main, withClient } from '../../support/server.ts';
import { call } from '../cli/harness.ts';
import { runHere, shaped, sweepCase } from '../sweep/sweepCase.ts';

const searched = `${shaped}search train {
  pipeline in [1, 2, 4, 8]
  tensor in [1, 2]
  schedule in [1f1b, gpipe, zb_h1]
  recompute in [none, full]
  subject_to = peak_memory < 20GiB
}
`;
const over = 'pipeline = [1, 2, 4, 8], tensor = [1, 2], schedule = [1f1b, gpipe, zb_h1], recompute = [none, full]';

const founds = ({ notifications }: Client, search: number): readonly PlanFound[] =>
  notifications.flatMap(({ method, params }) =>
    method === methods.planFound && (params as PlanFound).search === search ? [params as PlanFound] : [],
  );
const pointsOf = (client: Client, search: number) => founds(client, search).flatMap(({ points }) => points);
const find = (client: Client, search: number, more?: true) =>
  client.request<FindPlanAnswer>(methods.findPlan, { uri: main, search, ...(more ? { more } : {}) });
const fileOf = async (client: Client, search: number, format: 'csv' | 'json'): Promise<string> => {
  const answer = await client.request<PlanFileAnswer>(methods.planFile, { uri: main, search, format });
  if (answer === null || 'problem' in answer) throw new Error(answer?.problem);
  return answer.text;
};
function figuresOf(answer: FindPlanAnswer) {
  if (answer === null || !('figures' in answer)) throw new Error(JSON.stringify(answer));
  return answer.figures;
}
/** Waits for the first points of a search. */
async function begun(client: Client, search: number): Promise<void> {
  while (pointsOf(client, search).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

const states = ({ notifications }: Client): readonly PlanEdited[] =>
  notifications.flatMap(({ method, params }) => (method === methods.planEdited ? [params as PlanEdited] : []));
const rowOf = (client: Client, search: number, row: number) =>
  client.request<PlanRowAnswer>(methods.planRow, { uri: main, search, row });
async function editsOf(client: Client, search: number, row = -1) {
  const answer = await rowOf(client, search, row);
  if (answer === null || 'problem' in answer) throw new Error(answer?.problem);
  return answer.edits;
}
const iterationOf = (text: string): number | undefined =>
  analyse(text).pipelines.find(({ plan }) => plan.name === 'train')?.run?.report.iteration;

const named = main.slice(main.lastIndexOf('/') + 1);
let found: ReturnType<typeof foundAlone> | undefined;
/** What one thread finds without a server. */
const alone = () => (found ??= foundAlone());
function foundAlone() {
  const limits = ['peak_memory < 20GiB'];
  const here = sweepCase(over, { text: searched, limits });
  const expected = planAnswer(
    here.base,
    { file: named, axes: here.axes, minimise: 'iteration', limits },
    runHere(here),
  );
  const { points: _, ...whole } = expected;
  return { here, expected, whole };
}

describe('a search in the editor', () => {
  test('finds what one thread finds, in its files too; progress comes in parts', async () => {
    const { here, expected, whole } = alone();
    await withClient(async (client) => {
      client.open(main, searched);
      const figures = figuresOf(await find(client, 1));
      expect(figures).toEqual(whole);
      const points = pointsOf(client, 1).toSorted((a, b) => a.row - b.row);
      expect(points).toEqual(expected.points.map(({ front: __, fingerprint: ___, ...point }) => point));
      expect(
        frontOf(points.filter(({ meets }) => meets))
          .map(({ row }) => row)
          .toSorted((a, b) => a - b),
      ).toEqual(expected.points.flatMap(({ row, front }) => (front ? [row] : [])));
      const parts = founds(client, 1);
      expect(parts[0].head).toMatchObject({
        pipeline: 'train',
        axes: here.axes,
        isDefault: false,
        devices: 8,
        batch: 32,
      });
      expect(parts[0].head?.peakLimit).toEqual({ bytes: 20 * 2 ** 30, text: 'peak_memory < 20GiB' });
      // One count from the first message to the last: rows of the product. Here some cannot be.
      expect(figures.refused.length).toBeGreaterThan(0);
      expect(parts.map(({ total }) => total)).toEqual(parts.map(() => 48));
      expect(parts.at(-1)?.looked).toBe(48);
      const looked = parts.map((part) => part.looked);
      expect(looked).toEqual(looked.toSorted((a, b) => a - b));
      expect(await fileOf(client, 1, 'csv')).toBe(planCsv(expected));
      const source = { program: expect.any(String) as string };
      expect(JSON.parse(await fileOf(client, 1, 'json'))).toMatchObject({ ...expected, source });
      const command = ['plan', named, '--pipeline', 'train', '--format', 'json', '--threads', '1'];
      const terminal = await call(command, { files: { [named]: searched } });
      expect(terminal.out).toBe(await fileOf(client, 1, 'json'));
    });
  });

  test('that is stopped keeps what it has and says so; more of it gives the whole', async () => {
    await withClient(async (client) => {
      client.open(main, searched);
      const { whole } = alone();
      const asked = find(client, 2);
      await begun(client, 2);
      client.notify(methods.stopPlan, { search: 2 });
      const stopped = figuresOf(await asked);
      expect(stopped.unsearched).toBeGreaterThan(0);
      expect(stopped.certificate).toContain('not searched to the end');
      expect(stopped.simulated).toBe(pointsOf(client, 2).length);
      const before = new Set(pointsOf(client, 2).map(({ row }) => row));
      expect(figuresOf(await find(client, 3, true))).toEqual(whole);
      // What was decided is not decided again.
      expect(pointsOf(client, 3).filter(({ row }) => before.has(row))).toEqual([]);
      expect(before.size + pointsOf(client, 3).length).toBe(whole.simulated);
    });
  });

  test('goes on under edits that change no figure, and writes rows into the text as it is then', async () => {
    await withClient(async (client) => {
      client.open(main, searched);
      const { whole } = alone();
      const asked = find(client, 2);
      await begun(client, 2);
      // A comment, another layout, another pipeline, and what is expected of one.
      const edited = `// more\n${searched}`
        .replace('pipeline train {', 'pipeline train  {\n')
        .replace('schedule     = gpipe', 'schedule     = 1f1b')
        .replace('bubble < 90%', 'bubble < 80%');
      client.change(main, edited);
      expect(figuresOf(await asked)).toEqual(whole);
      expect(states(client)).toEqual([]);
      const text = applyEdits(edited, await editsOf(client, 2, whole.best));
      expect(text).toContain('// more');
      expect(iterationOf(text)).toBe(pointsOf(client, 2).find(({ row }) => row === whole.best)?.iteration);
    });
  });

  test('stops when an edit matters, keeps what it has, and goes on once the edit is undone', async () => {
    await withClient(async (client) => {
      client.open(main, searched);
      const { whole } = alone();
      for (const [search, edited] of [
        [2, searched.replace('memory = 24GiB', 'memory = 25GiB')],
        [4, searched.replace('tensor in [1, 2]', 'tensor in [1, 4]')],
      ] as const) {
        const asked = find(client, search);
        await begun(client, search);
        client.change(main, edited);
        const stopped = figuresOf(await asked);
        expect(stopped.unsearched).toBeGreaterThan(0);
        expect(states(client).at(-1)).toEqual({ search, matters: true });
        expect(await rowOf(client, search, 0)).toEqual({
          problem: 'The file has changed since this search. Search again.',
        });
        client.change(main, `${searched}// undone\n`);
        expect(figuresOf(await find(client, search + 1, true))).toEqual(whole);
        expect(states(client).at(-1)).toEqual({ search, matters: false });
      }
    });
  });

  test('says which row the file is after it was written, and writes others over it', async () => {
    await withClient(async (client) => {
      client.open(main, searched);
      const { best = -1 } = figuresOf(await find(client, 1));
      const points = pointsOf(client, 1);
      const other = points.find(({ settings }) => settings['tensor'] === '2' && settings['recompute'] === 'full');
      if (other === undefined || other.row === best) throw new Error('no other row');
      const alone = applyEdits(searched, await editsOf(client, 1, other.row));
      const written = applyEdits(searched, await editsOf(client, 1, best));
      client.change(main, written);
      expect(iterationOf(written)).toBe(points.find(({ row }) => row === best)?.iteration);
      // Results stay.
      expect(await fileOf(client, 1, 'csv')).toContain(`\n${best},`);
      const commented = `// kept\n${written}`;
      client.change(main, commented);
      const over = applyEdits(commented, await editsOf(client, 1, other.row));
      expect(over).toBe(`// kept\n${alone}`);
      client.change(main, over);
      client.change(main, searched);
      await client.diagnostics(main);
      expect(states(client)).toEqual([
        { search: 1, matters: false, row: best },
        { search: 1, matters: false, row: other.row },
        { search: 1, matters: false },
      ]);
      // A comment in the text of the row would be lost.
      const inside = written.replace('schedule', '// mine\n  schedule');
      client.change(main, inside);
      expect(await rowOf(client, 1, other.row)).toEqual({
        problem: `Row ${other.row} cannot be written: the file was edited where row ${best} was written; undo that, or search again.`,
      });
    });
  });

  test('takes the values of sliders, which its rows write too', async () => {
    const param = 'param batch = 32 in 8..64\n';
    const text = `${param}${searched.replace('microbatches = 16', 'global_batch = batch')}`;
    const larger = text.replace('batch = 32', 'batch = 64');
    await withClient(async (client) => {
      client.open(main, larger);
      const expected = figuresOf(await find(client, 1));
      const figures = pointsOf(client, 1);
      client.change(main, text);
      const request: FindPlanRequest = { uri: main, search: 2, overrides: { batch: 64 } };
      const { changes, ...others } = figuresOf(await client.request<FindPlanAnswer>(methods.findPlan, request));
      const { changes: alone = [], ...same } = expected;
      expect(others).toEqual(same);
      // Writing a row writes the slider's value.
      expect(changes).toEqual([{ key: 'batch', from: '32', to: '64' }, ...alone]);
      expect(founds(client, 2)[0].head).toMatchObject({ batch: 64, overrides: { batch: 64 } });
      const { best = -1 } = expected;
      const written = applyEdits(text, await editsOf(client, 2, best));
      expect(written).toContain('param batch = 64 in');
      expect(iterationOf(written)).toBe(figures.find(({ row }) => row === best)?.iteration);
      client.change(main, written);
      const next = figures.find(({ row }) => row !== best)?.row ?? -1;
      const over = applyEdits(written, await editsOf(client, 2, next));
      client.change(main, text);
      expect(over).toBe(applyEdits(text, await editsOf(client, 2, next)));
      const unknown: FindPlanRequest = { uri: main, search: 3, overrides: { nothing: 64 } };
      expect(await client.request<FindPlanAnswer>(methods.findPlan, unknown)).toMatchObject({
        problem: expect.stringContaining('A slider has a value that cannot be written into this file.'),
      });
    });
  });

  test('another one of the same file takes its place, and the first one says so', async () => {
    await withClient(async (client) => {
      client.open(main, `${shaped}search train { pipeline in [1, 2] }\n`);
      figuresOf(await find(client, 1));
      figuresOf(await find(client, 2));
      expect(await rowOf(client, 1, 0)).toEqual({
        problem: 'Another search of this file has begun since. Search again.',
      });
      expect(states(client)).toEqual([]);
    });
  });

  test('is outdated when a file that it imports changes, though the text does not', async () => {
    const parts = main.replace(/[^/]*$/u, 'parts.pipe');
    const device = 'device card { memory = 24GiB  compute = 100TFLOPS  bandwidth = 1TB/s }\n';
    await withClient(async (client) => {
      client.open(parts, device);
      client.open(main, searched.replace(device, 'import { card } from "parts.pipe"\n'));
      const { best = -1 } = figuresOf(await find(client, 1));
      client.change(parts, device.replace('24GiB', '12GiB'));
      await client.diagnostics(main);
      const answer = await client.request<PlanRowAnswer>(methods.planRow, { uri: main, search: 1, row: best });
      expect(answer).toEqual({ problem: 'The file has changed since this search. Search again.' });
      figuresOf(await find(client, 2));
      expect(founds(client, 2)[0].head?.capacity).toBe(12 * 2 ** 30);
    });
  });

  test('reads nothing outside a workspace that is not trusted', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'plan-'));
    const device = 'device card { memory = 24GiB  compute = 100TFLOPS  bandwidth = 1TB/s }\n';
    const inner = pathToFileURL(path.join(folder, 'inner')).href;
    mkdirSync(path.join(folder, 'inner'));
    writeFileSync(path.join(folder, 'outside.pipe'), device);
    const text = searched.replace(device, 'import { card } from "../outside.pipe"\n');
    const request = { uri: `${inner}/main.pipe`, search: 1 };
    try {
      for (const trusted of [true, false])
        await withClient(
          async (client) => {
            client.open(request.uri, text);
            const answer = await client.request<FindPlanAnswer>(methods.findPlan, request);
            if (trusted) expect(figuresOf(answer).best).toBeDefined();
            else expect(answer).toMatchObject({ problem: expect.stringContaining('which is not trusted') });
          },
          { folders: [inner], initialization: { trusted } },
        );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('has a lens that begins it, with the number of rows, and keeps it while the search has an error', async () => {
    await withClient(
      async (client) => {
        const lenses = async () =>
          (await client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri: main } })).flatMap(
            ({ command }) => (command?.command === 'pipewright.findPlan' ? [[command.title, command.arguments]] : []),
          );
        client.open(main, searched);
        expect(await lenses()).toEqual([['Find the fastest plan · 48 rows', [main, 'train']]]);
        client.change(main, searched.replace('none, full', 'none, ful'));
        expect(await lenses()).toEqual([['Find the fastest plan · 48 rows · before this edit', [main, 'train']]]);
      },
      { initialization: { previews: true } },
    );
  });

  test('requests are answered while it runs', async () => {
    await withClient(async (client) => {
      client.open(main, searched);
      const asked = find(client, 1);
      await begun(client, 1);
      const first = await Promise.race([
        client.request('textDocument/documentSymbol', { textDocument: { uri: main } }).then(() => 'symbols'),
        asked.then(() => 'search'),
      ]);
      expect(first).toBe('symbols');
      client.notify(methods.stopPlan, { search: 1 });
      await asked;
    });
  });

  test('writes a row as one edit, whose file has the figures of the row and keeps its comments', async () => {
    await withClient(async (client) => {
      client.open(main, searched);
      const { best = -1, changes } = figuresOf(await find(client, 1));
      const point = pointsOf(client, 1).find(({ row }) => row === best);
      const answer = await client.request<PlanRowAnswer>(methods.planRow, { uri: main, search: 1, row: best });
      if (answer === null || 'problem' in answer) throw new Error('no edit');
      expect(answer.edits).toHaveLength(1);
      expect(changes).not.toEqual([]);
      const text = applyEdits(searched, answer.edits);
      expect(text).toContain('// a comment stays');
      const run = analyse(text).pipelines.find(({ plan }) => plan.name === 'train')?.run;
      expect(run?.report.iteration).toBe(point?.iteration);
      expect(await client.request(methods.planRow, { uri: main, search: 1, row: 7e6 })).toEqual({
        problem: 'The search has no row 7000000.',
      });
      expect(await client.request(methods.planFile, { uri: main, search: 9, format: 'csv' })).toEqual({
        problem: 'This search has not ended.',
      });
    });
  });

  test('a file without a search has usual values, which it names', async () => {
    await withClient(async (client) => {
      client.open(main, shaped);
      const asked = find(client, 1);
      await begun(client, 1);
      client.notify(methods.stopPlan, { search: 1 });
      const { left_out: leftOut } = figuresOf(await asked);
      expect(leftOut).toContainEqual({ what: 'micro_batch over 4', why: 'to keep the search small' });
      const [{ head }] = founds(client, 1);
      expect(head).toMatchObject({ pipeline: 'train', isDefault: true });
      expect(head?.axes.map(({ key }) => key)).toEqual([
        ...[
          'tensor',
          'sequence_parallel',
          'pipeline',
          'micro_batch',
          'schedule',
          'chunks',
          'recompute',
          'optimizer',
          'sync',
        ],
      ]);
    });
  });

  test.each([
    [
      'more rows than the setting',
      { limits: { searchRows: 10 } },
      searched,
      /^Rows of this search: 48, over the limit of 10\..*pipewright\.limits\.searchRows/,
    ],
    [
      'an error in the search',
      {},
      searched.replace('[none, full]', '[none, ful]'),
      /^Unknown value "ful"\. Did you mean "full"/,
    ],
    ['no pipeline', {}, 'let a = 1\n', /no pipeline to search/],
    [
      'a pipeline that cannot be planned',
      {},
      searched.replace('= small //', '= smal //'),
      /cannot be searched\. Unknown model/,
    ],
  ])('%s: nothing is run', async (_, settings, text, problem) => {
    await withClient(
      async (client) => {
        client.open(main, text);
        const answer = await find(client, 1);
        expect(answer).toMatchObject({ problem: expect.stringMatching(problem) });
        expect(founds(client, 1)).toEqual([]);
      },
      { initialization: { settings: { pipewright: settings, ...settings } } },
    );
  });
});
