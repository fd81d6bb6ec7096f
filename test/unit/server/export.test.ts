import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { methods, type ExportAnswer } from '../../../webview/protocol/requests.ts';
import { main, withClient } from '../../support/server.ts';
import { call } from '../cli/harness.ts';
import { toy } from './samples.ts';

const name = decodeURIComponent(main.slice(main.lastIndexOf('/') + 1));
const ask = (params: object) => (client: { request<R>(method: string, params: unknown): Promise<R> }) =>
  client.request<ExportAnswer>(methods.export, { uri: main, ...params });

test('an export is byte for byte what the command line writes', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    for (const [params, options] of [
      [{ format: 'svg' }, ['--format', 'svg']],
      [{ format: 'svg', width: '3.4in', memory: true }, ['--format', 'svg', '--width', '3.4in', '--memory']],
      [{ format: 'film' }, ['--format', 'film']],
      [{ format: 'film', width: '3.4in', seconds: 4 }, ['--format', 'film', '--width', '3.4in', '--seconds', '4']],
      [{ format: 'markdown' }, ['--format', 'markdown']],
      [{ format: 'trace' }, ['--format', 'trace']],
      [{ format: 'png', scale: 2 }, ['--format', 'png', '--scale', '2']],
      [{ format: 'svg', overrides: { microbatches: 16 } }, ['--format', 'svg', '--set', 'microbatches=16']],
    ] as const) {
      const answer = await ask(params)(client);
      const { out } = await call(['simulate', name, ...options], { files: { [name]: toy } });
      expect('text' in answer ? answer.text : 'base64' in answer ? answer.base64 : answer.problem).toBe(out);
    }
  });
});

test.each([
  [{ format: 'pdf' }, 'The format is one of svg, png, film, html, trace and markdown.'],
  [{ format: 'svg', width: '<svg>' }, 'The width is one of 3.4in and 7in.'],
  [{ format: 'film', seconds: 0 }, 'A film takes 1 to 600 seconds.'],
  [{ format: 'film', seconds: '<svg>' }, 'A film takes 1 to 600 seconds.'],
  [{ format: 'png', scale: 1e9 }, 'The scale is one of 1, 2, 3 and 4.'],
  [{ format: 'svg', pipeline: 'other' }, 'This file has no pipeline "other" that can be simulated.'],
  [{ format: 'svg', overrides: { microbatches: 1e9 } }, /microbatches/],
])('%j is refused in words', async (params, problem) => {
  await withClient(async (client) => {
    client.open(main, toy);
    const answer = await ask(params)(client);
    expect('problem' in answer ? answer.problem : '').toMatch(problem);
  });
});

test('of several pipelines one is chosen', async () => {
  const two = `${toy}${toy.slice(toy.indexOf('pipeline train')).replace('pipeline train', 'pipeline wide')}`;
  await withClient(async (client) => {
    client.open(main, two);
    expect(await ask({ format: 'svg' })(client)).toMatchObject({ pipelines: ['train', 'wide'] });
    expect(await ask({ format: 'svg', pipeline: 'wide' })(client)).toMatchObject({ pipeline: 'wide' });
  });
});

test('a pipeline that deadlocks says so', async () => {
  // The example of the page of the finding.
  const page = readFileSync(new URL('../../../docs/diagnostics/schedule/deadlock.md', import.meta.url), 'utf8');
  const stuck = /```pipe\n([^]*?)```/.exec(page)?.[1] ?? '';
  await withClient(async (client) => {
    client.open(main, stuck);
    const answer = await ask({ format: 'svg' })(client);
    expect('problem' in answer ? answer.problem : 'no problem').toMatch(/^Deadlock/);
  });
});
