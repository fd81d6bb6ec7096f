/** A recorded run that a file names, read by the real server in a thread of its own. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InlayHint } from 'vscode-languageserver';
import { afterAll, expect, test } from 'vitest';
import { createNamedRuns, type NamedRunsHost } from '../../../server/runs/namedRuns.ts';
import type { RunAnswer } from '../../../engine/basics/host.ts';
import { filesOf, folder as recorded } from '../runs/traces.ts';
import { type Client, withClient } from '../../support/server.ts';

const project = mkdtempSync(path.join(tmpdir(), 'measured-'));
afterAll(() => rmSync(project, { recursive: true }));
const inside = path.join(project, 'inside');
const uri = pathToFileURL(path.join(inside, 'plan.pipe')).href;
for (const folder of [path.join(inside, 'traces'), path.join(project, 'outside')]) {
  mkdirSync(folder, { recursive: true });
  for (const file of filesOf('mlp_1f1b_p2')) copyFileSync(path.join(recorded, file), path.join(folder, file));
}

const plan = (measured: string, expected = ''): string => `model m { layer l[2] { forward = 7ms  backward = 12ms } }
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t {
  model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b
  measured = trace("${measured}")
}
${expected}`;

/** Codes of the runs and expectations that are published, once the run is read. */
async function settled(client: Client): Promise<readonly string[]> {
  for (;;) {
    const { diagnostics } = await client.diagnostics(uri);
    const codes = diagnostics.flatMap(({ code }) => (/^(measured|expect)/.test(String(code)) ? [String(code)] : []));
    if (!codes.includes('measured/reading')) return codes;
    const before = client.published.length;
    while (client.published.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const hints = async (client: Client): Promise<readonly string[]> => {
  const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
  const found = await client.request<InlayHint[]>('textDocument/inlayHint', { textDocument: { uri }, range });
  return found.map(({ label }) => (typeof label === 'string' ? label : ''));
};

test('first says that it is being read, then how far it is from the simulation; an edit reads it no second time', async () => {
  await withClient(async (client) => {
    client.open(uri, plan('traces/', 'expect t { drift < 1% }'));
    const { diagnostics } = await client.diagnostics(uri);
    expect(diagnostics.map(({ code }) => code)).toContain('measured/reading');
    expect(await settled(client)).toEqual(['expect/failed']);
    expect(await hints(client)).toContainEqual(expect.stringMatching(/^measured 192\.3 ms, [+−][\d.]+ %$/));
    client.change(uri, plan('traces/', 'expect t { drift < 30% }'));
    expect((await client.diagnostics(uri)).diagnostics.map(({ code }) => code)).not.toContain('measured/reading');
    expect(await settled(client)).toEqual([]);
  });
}, 60_000);

test('reads the run again when a file of it has changed', async () => {
  await withClient(async (client) => {
    const damaged = path.join(inside, 'traces', 'mlp_1f1b_p2.rank1.json.gz');
    client.open(uri, plan('traces/'));
    expect(await settled(client)).toEqual([]);
    writeFileSync(damaged, '{ "traceEvents": [ 1 ] }');
    const changes = [{ uri: pathToFileURL(damaged).href, type: 2 }];
    const before = client.published.length;
    client.notify('workspace/didChangeWatchedFiles', { changes });
    while (client.published.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await settled(client)).toEqual(['measured/unread']);
    const { diagnostics } = await client.diagnostics(uri);
    const text = 'mlp_1f1b_p2.rank1.json.gz, line 1, column 20: Expected an event';
    expect(diagnostics).toContainEqual(expect.objectContaining({ message: expect.stringContaining(text) as unknown }));
    copyFileSync(path.join(recorded, 'mlp_1f1b_p2.rank1.json.gz'), damaged);
  });
}, 60_000);

test('a workspace that is not trusted reads no run outside it', async () => {
  for (const [trusted, expected] of [
    [false, ['measured/unread']],
    [true, []],
  ] as const)
    await withClient(
      async (client) => {
        client.open(uri, plan('../outside/'));
        expect(await settled(client)).toEqual(expected);
        client.change(uri, plan('traces/'));
        expect(await settled(client)).toEqual([]);
      },
      { folders: [pathToFileURL(inside).href], initialization: { trusted } },
    );
}, 60_000);

/** Runs whose reads end when the test says so. */
function gated() {
  const reads: { readonly path: string; readonly end: (answer: RunAnswer) => void }[] = [];
  const found: string[] = [];
  const state = { stamp: 'first', now: 0 };
  const host: NamedRunsHost = {
    read: (at) => new Promise((end) => reads.push({ path: at, end })),
    stampOf: () => state.stamp,
    found: (of) => found.push(of),
    now: () => state.now,
  };
  return { runs: createNamedRuns(host), reads, found, state };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('asks once for a run, one run at a time, and drops what was read of older files', async () => {
  const { runs, reads, found, state } = gated();
  const find = (at: string): RunAnswer => runs.find(`file:///${at}`, at, []);
  expect([find('a'), find('a'), find('b')]).toEqual(['reading', 'reading', 'reading']);
  await turn();
  expect(reads.map(({ path: at }) => at)).toEqual(['a']);
  state.stamp = 'second';
  runs.changed();
  find('a');
  reads[0].end({ problem: 'older' });
  await turn();
  expect(found).toEqual([]);
  expect(reads.map(({ path: at }) => at)).toEqual(['a', 'b']);
  reads[1].end({ runs: [] });
  await turn();
  reads[2].end({ problem: 'newer' });
  expect(await runs.settled()).toBe(true);
  expect(found).toEqual(['file:///b', 'file:///a']);
  expect(find('a')).toEqual({ problem: 'newer' });
  expect(await runs.settled()).toBe(false);
});

test('looks at the files of a run once a second, however often it is asked for', async () => {
  const { runs, reads, state } = gated();
  const find = (): RunAnswer => runs.find('file:///a', 'a', []);
  find();
  await turn();
  reads[0].end({ runs: [] });
  await runs.settled();
  state.stamp = 'second';
  expect(find()).toEqual({ runs: [] });
  state.now = 1_000;
  expect(find()).toBe('reading');
  state.stamp = '';
  state.now = 2_000;
  expect(find()).toEqual({ problem: expect.stringContaining('there is no such file') as unknown });
});
