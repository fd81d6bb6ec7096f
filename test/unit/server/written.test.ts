/** Between the text of a schedule and the operations that it writes: blocks at the cursor, the source of a block, hovers. */
import { expect, test } from 'vitest';
import type { Hover } from 'vscode-languageserver';
import { paths } from '../../../engine/values/plan.ts';
import { kinds, letters } from '../../../engine/values/program.ts';
import type {
  BlocksAnswer,
  CompletionAnswer,
  LocateAnswer,
  OriginAnswer,
  PlanAnswer,
} from '../../../webview/protocol/requests.ts';
import { serverWith, shownBy } from '../../support/asked.ts';
import { isWritten, writtenOperations } from '../../../webview/session/writtenOperations.ts';
import { applyEdits, main, positionAt, slice, withClient } from '../../support/server.ts';

const rows = `device d { memory = 16GiB }
cluster box { gpu[2] = d  link = 25GB/s + 5us }
model toy { layer block[2] { forward = 4ms  backward = 8ms } }
param m = 4 in 1..64
schedule mine {
  let ahead(n) = each(j in 0..<microbatches, F[j])
  let back     = B[0..<microbatches]
  let warm(d)  = devices - d
  row(d)       = take(warm(d), ahead(d)), zip(back, drop(warm(d), ahead(d)))
}
pipeline train { model = toy  devices = box  microbatches = m  stages = balance(2)  schedule = mine }
pipeline other { model = toy  devices = box  microbatches = 4  stages = balance(2)  schedule = 1f1b }
`;

/** Set bits as positions: `0,1`. */
const positions = (bits: string): string =>
  [...Buffer.from(bits, 'base64')]
    .flatMap((byte, at) => [...Array(8).keys()].filter((bit) => (byte >> bit) & 1).map((bit) => 8 * at + bit))
    .join();

/** Operations at the mark, one text for each device. Row of device 0: F0 F1 B0 F2 B1 F3 B2 B3. */
const marksAt = (before: string, more: object = {}): Promise<readonly string[] | undefined> =>
  serverWith(rows.replace(before, `$0${before}`), async (opened) => {
    const answer = await opened.ask<BlocksAnswer>('pipewright/blocksAt', { uri: main, ...more });
    expect(answer.every(({ pipeline }) => pipeline === 'train')).toBe(true);
    return answer[0]?.rows?.map(positions);
  });

test.each([
  ['take(warm', ['0,1', '0']],
  ['warm(d), ahead(d)), zip', ['0,1', '0']],
  ['ahead(d)), zip', ['0,1', '0']],
  ['zip(', ['2,3,4,5,6,7', '1,2,3,4,5,6,7']],
  ['drop(', ['3,5', '2,4,6']],
  ['back, drop', ['2,4,6,7', '1,3,5,7']],
  ['F[j]', ['0,1,3,5', '0,2,4,6']],
  ['ahead(n)', ['0,1,3,5', '0,2,4,6']],
  ['B[0..<', ['2,4,6,7', '1,3,5,7']],
])('the cursor at `%s` marks what it writes in all rows', async (before, expected) => {
  expect(await marksAt(before)).toEqual(expected);
});

test.each(['warm(d)  =', 'devices - d', 'row(d)', 'mine }', 'gpu[2]'])(
  'the cursor at `%s` marks nothing by itself',
  async (before) => {
    expect(await marksAt(before)).toBeUndefined();
  },
);

test('marks follow the params that are tried', async () => {
  expect(await marksAt('zip(', { overrides: { m: 2 } })).toEqual(['2,3', '1,2,3']);
});

test('a pipeline with too many operations has its number in place of marks', () =>
  serverWith(
    rows.replace('param m = 4 in 1..64', 'param m = 600000 in 1..1000000').replace('zip(', '$0zip('),
    async (opened) => {
      const answer = await opened.ask<BlocksAnswer>('pipewright/blocksAt', { uri: main });
      expect(answer).toEqual([{ pipeline: 'train', operations: 2_400_000 }]);
    },
  ));

const pathOf = (letter: (typeof letters)[number], device: number, microbatch: number): string =>
  paths.operation('train', device, 0, letters.indexOf(letter), device, microbatch);

test('a block leads to the innermost text, and a card says what the names in it are', () =>
  withClient(async (client) => {
    client.open(main, rows);
    const place = await client.request<LocateAnswer>('pipewright/locate', { uri: main, path: pathOf('F', 1, 2) });
    expect(place && slice(rows, place.range)).toBe('F[j]');
    const card = await client.request<OriginAnswer>('pipewright/origin', { uri: main, path: pathOf('F', 1, 2) });
    expect(card?.lines).toEqual([
      ['Written by', 'F[j]'],
      ['In', 'row(1) › zip(back, drop(warm(d), ahead(d))) › ahead(1)'],
      ['With', 'd = 1, n = 1, j = 2, warm(1) = 1'],
    ]);
    const tried = { uri: main, path: pathOf('B', 0, 7), overrides: { m: 8 } };
    const more = await client.request<OriginAnswer>('pipewright/origin', tried);
    expect(more?.lines.slice(0, 2)).toEqual([
      ['Written by', 'B[0..<microbatches]'],
      ['In', 'row(0) › zip(back, drop(warm(d), ahead(d))) › back'],
    ]);
    // Without these params, the row has no such operation: its item is the nearest text.
    expect(await client.request('pipewright/origin', { ...tried, overrides: {} })).toBeNull();
    const nearest = await client.request<LocateAnswer>('pipewright/locate', { uri: main, path: tried.path });
    expect(nearest && slice(rows, nearest.range)).toBe('take(warm(d), ahead(d))');
    expect(await client.request('pipewright/origin', { uri: main, path: 'other/stage:0' })).toBeNull();
  }));

test('a card of a text that is tried is of that text, and of no other version', () =>
  withClient(async (client) => {
    client.open(main, rows);
    const at = rows.indexOf('B[0..<');
    const { version } = await client.request<PlanAnswer>('pipewright/plan', { uri: main });
    const line = rows.slice(0, at).split('\n').length - 1;
    const character = at - rows.lastIndexOf('\n', at) - 1;
    const edits = [
      { range: { start: { line, character }, end: { line, character: character + 1 } }, newText: '[W[0]], B' },
    ];
    const path = pathOf('W', 0, 0);
    const asked = { uri: main, path, trial: { version, edits } };
    expect((await client.request<OriginAnswer>('pipewright/origin', asked))?.lines[0]).toEqual(['Written by', 'W[0]']);
    expect(await client.request('pipewright/origin', { ...asked, trial: { version: version + 1, edits } })).toBeNull();
  }));

const hoverAt = (before: string): Promise<string> =>
  serverWith(rows.replace(before, `$0${before}`), async (opened) =>
    shownBy(await opened.ask<Hover | null>('textDocument/hover')),
  );

test('a hover over a text that writes operations counts them by device', async () => {
  expect(await hoverAt('take(warm')).toContain(
    'Writes 3 operations in pipeline `train`.\n\n- `gpu[0]`: 2 operations, 0F0 0F1; `d = 0, n = 0, j = 0, warm(0) = 2` for the first\n- `gpu[1]`: 1 operation, 1F0;',
  );
  expect(await hoverAt('F[j]')).toContain('`gpu[0]`: 4 operations, 0F0 0F1 0F2 0F3');
  expect(await hoverAt('back, drop')).toContain('Writes 8 operations');
  expect(await hoverAt('ahead(n)')).toContain('Writes 8 operations');
  // A number is a number.
  expect(await hoverAt('warm(d), ahead(d)), zip')).not.toContain('Writes');
  expect(await hoverAt('n) = each')).not.toContain('Writes');
});

test('missing operations are written as they are drawn; rows that have all of them, or cannot run, get no text', () =>
  withClient(async (client) => {
    const lacking = rows.replace('zip(back, drop(warm(d), ahead(d)))', 'drop(warm(d), ahead(d))');
    client.open(main, lacking);
    const asked = { uri: main, pipeline: 'train' };
    const answer = await client.request<CompletionAnswer>('pipewright/completion', asked);
    expect(answer?.edits.map(({ newText }) => newText)).toEqual([', B[0..<microbatches]']);
    expect(answer?.version).toBe(client.version(main));
    client.change(main, applyEdits(lacking, answer?.edits ?? []));
    expect(await client.request('pipewright/completion', asked)).toBeNull();
    expect((await client.diagnostics(main)).diagnostics.filter(({ severity }) => severity === 1)).toEqual([]);
    client.change(main, lacking.replace('take(warm(d), ahead(d))', 'B[0], take(warm(d), ahead(d))'));
    expect(await client.request('pipewright/completion', asked)).toBeNull();
  }));

test('an operation that the schedule declares leads to its text, too', () =>
  withClient(async (client) => {
    const declared = rows
      .replace('schedule mine {', 'schedule mine {\n  operation loss { after(j) = F[j]  before(j) = B[j]  time = 1ms }')
      .replace('zip(back,', 'zip(loss[0..<microbatches], back,');
    client.open(main, declared);
    const path = paths.operation('train', 1, 1, kinds, 1, 2);
    const place = await client.request<LocateAnswer>('pipewright/locate', { uri: main, path });
    expect(place && slice(declared, place.range)).toBe('loss[0..<microbatches]');
    const position = positionAt(declared, declared.indexOf('loss[0'));
    const [marks] = await client.request<BlocksAnswer>('pipewright/blocksAt', { uri: main, position });
    const { plan } = await client.request<PlanAnswer>('pipewright/plan', { uri: main });
    const [pipeline] = plan?.pipelines ?? [];
    const written = pipeline && writtenOperations(pipeline, marks);
    expect(written?.count).toBe(8);
    expect(written && [kinds, 0].map((kind) => isWritten(written, kind, 1, 2))).toEqual([true, false]);
  }));
