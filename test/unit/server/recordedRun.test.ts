/** A recorded run in the editor: read in a thread, and written into a file as the command line writes it. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { CodeAction } from 'vscode-languageserver';
import {
  methods,
  type CalibrateAnswer,
  type RunAnswer,
  type RunText,
  type TextEdit,
} from '../../../webview/protocol/requests.ts';
import { LineIndex } from '../../../grammar/index.ts';
import { readSummary } from '../../../engine/formats/recording/readSummary.ts';
import { lineEdits } from '../../../server/text/lineEdits.ts';
import { applied } from '../../../engine/measured/edit.ts';
import { main, withClient } from '../../support/server.ts';
import { call } from '../cli/harness.ts';
import { filesOf, folder } from '../runs/traces.ts';

const pathsOf = (name: string) => filesOf(name).map((file) => path.join(folder, file));
const urisOf = (name: string) => pathsOf(name).map((file) => pathToFileURL(file).href);
const name = decodeURIComponent(main.slice(main.lastIndexOf('/') + 1));

const plan = `model m {
  layer a { forward = 20ms  backward = 12ms }
  layer b { forward = 7ms  backward = 12ms }
}
device d { memory = 16GiB }
cluster c { gpu[2] = d  link = 1GB/s + 200us }
pipeline t { model = m  devices = c  microbatches = 8  stages = split(1, 1)  schedule = 1f1b }
`;

const trusted = { initialization: { trusted: true } };

function edited(text: string, edits: readonly TextEdit[]): string {
  const lines = new LineIndex(text);
  return applied(
    text,
    edits.map(({ range, newText }) => ({
      start: lines.offsetAt(range.start),
      end: lines.offsetAt(range.end),
      text: newText,
    })),
  );
}

test('a run is read with progress, and a file gets its times as `calibrate` writes them', async () => {
  await withClient(async (client) => {
    client.open(main, plan);
    const told = client.progress('reading');
    const run = await client.request<RunText>(methods.readRun, {
      uris: urisOf('mlp_1f1b_p2'),
      partialResultToken: 'reading',
    });
    expect(run).toMatchObject({ pipelines: [[0, 1]], left: 0, remarks: [] });
    expect(told.length).toBeGreaterThan(1);
    expect(told.length).toBeLessThan(102);
    const again = readSummary(run.text);
    expect('recordings' in again && again.recordings[0].steps).toHaveLength(run.steps);
    const answer = await client.request<CalibrateAnswer>(methods.calibrate, { uri: main, run: run.text });
    if ('problem' in answer) throw new Error(answer.problem);
    const { out, err } = await call(['calibrate', name, '--with', ...pathsOf('mlp_1f1b_p2')], {
      disk: true,
      files: { [name]: plan },
    });
    expect(edited(plan, answer.edits)).toBe(out);
    expect(err).toBe(answer.lines.map((line) => `${name}: ${line}\n`).join(''));
    // What stays is no part of an edit.
    expect(
      answer.edits.every(({ newText }) => !newText.includes('microbatches = 8  stages') || newText.includes('jitter')),
    ).toBe(true);
  }, trusted);
});

test('what the command line refuses is refused in its words', async () => {
  await withClient(async (client) => {
    client.open(main, plan);
    const run = await client.request<RunText>(methods.readRun, { uris: urisOf('sleep_zbv_p4') });
    const refused = await client.request<CalibrateAnswer>(methods.calibrate, { uri: main, run: run.text });
    const { err } = await call(['calibrate', name, '--with', ...pathsOf('sleep_zbv_p4')], {
      disk: true,
      files: { [name]: plan },
    });
    expect('problem' in refused && `${refused.problem}\n`).toBe(err);
    const none = await client.request<RunAnswer>(methods.readRun, {
      uris: [`${pathToFileURL(folder).href}/none.json`],
    });
    expect(none).toEqual({ problem: 'none.json cannot be read: there is no such file.' });
    const remote = await client.request<RunAnswer>(methods.readRun, { uris: ['file://server/share/rank0.json'] });
    expect(remote).toEqual({ problem: 'Only files of this machine are read as the traces of a run.' });
    expect(await client.request<RunAnswer>(methods.readRun, { uris: [] })).toHaveProperty('problem');
  }, trusted);
});

test('the head of a pipeline offers to calibrate it, and the run that it names is a quick fix', async () => {
  await withClient(
    async (client) => {
      const offered = async (text: string, before: string) => {
        client.change(main, text);
        const start = new LineIndex(text).positionAt(text.indexOf(before) + 1);
        const found = await client.request<CodeAction[] | null>('textDocument/codeAction', {
          textDocument: { uri: main },
          range: { start, end: start },
          context: { diagnostics: [] },
        });
        return (found ?? []).filter(({ command }) => command?.command === 'pipewright.calibrate');
      };
      client.open(main, plan);
      const [plain] = await offered(plan, 'pipeline t');
      expect(plain).toMatchObject({ title: 'Calibrate t with a recorded run…', kind: 'refactor.rewrite' });
      expect(plain.command?.arguments).toEqual([main, 't']);
      expect(await offered(plan, 'microbatches')).toEqual([]);
      const named = plan.replace(
        'schedule = 1f1b',
        'schedule = 1f1b  measured = trace("runs/", skip = 2, ranks = [0, 2])',
      );
      for (const at of ['pipeline t', 'measured']) {
        const [fix] = await offered(named, at);
        expect(fix).toMatchObject({ title: 'Calibrate t with its recorded run', kind: 'quickfix' });
        const uri = new URL('runs', main).href;
        expect(fix.command?.arguments).toEqual([main, 't', { uris: [uri], skip: 2, ranks: [0, 2] }]);
      }
      const computed = named.replace('skip = 2', 'skip = 1 + 1');
      expect(await offered(computed, 'pipeline t')).toMatchObject([{ title: 'Calibrate t with a recorded run…' }]);
    },
    { initialization: { previews: true } },
  );
});

test('nothing is read in a workspace that is not trusted', async () => {
  await withClient(
    async (client) => {
      client.open(main, plan);
      const answer = await client.request<RunAnswer>(methods.readRun, { uris: urisOf('mlp_1f1b_p2') });
      expect(answer).toEqual({ problem: 'This workspace is not trusted, so no traces are read.' });
    },
    { initialization: { trusted: false } },
  );
});

test.each([
  ['', 'a\n'],
  ['a\nb\nc\n', 'a\nB\nc\n'],
  ['a\nb\nc\nd\n', 'a\nc\nd\ne'],
  ['one\ntwo', 'zero\none\ntwo\n'],
  ['x\ny\nx\ny\n', 'y\nx\ny\nx\n'],
])('edits by line make %j of %j', (before, after) => {
  expect(applied(before, [...lineEdits(before, after)])).toBe(after);
  for (const { start, end } of lineEdits(before, after)) {
    expect(start === 0 || before[start - 1] === '\n').toBe(true);
    expect(end === before.length || end === 0 || before[end - 1] === '\n').toBe(true);
  }
});
