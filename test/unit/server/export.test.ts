import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exportAnswer } from '../../../server/requests/export.ts';
import { methods, type ExportAnswer } from '../../../webview/protocol/requests.ts';
import { exampleText } from '../../support/example.ts';
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
      expect('text' in answer ? answer.text : 'base64' in answer ? answer.base64 : answer).toBe(out);
    }
  });
});

test.each([
  [
    { format: 'pdf' },
    'The format is one of svg, png, film, html, trace, markdown, torch-csv, torch-script, torchtitan, deepspeed and megatron.',
  ],
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

test('an answer says which characters a PNG cannot draw', async () => {
  await withClient(async (client) => {
    const uri = 'file:///w/計画é.pipe';
    client.open(uri, toy);
    const { notes } = await client.request<{ readonly notes?: readonly string[] }>(methods.export, {
      uri,
      format: 'png',
    });
    expect(notes).toEqual([expect.stringMatching('has no 計 画: boxes')]);
  });
});

test('a server in a browser hands the picture of a PNG to its client, which has a page to draw it', async () => {
  const svg = { pipeline: 'train', text: '<svg/>' };
  const pageSources = () => Promise.resolve(undefined);
  expect(await exportAnswer(svg, { format: 'png', scale: 2 }, { pageSources })).toEqual({
    pipeline: 'train',
    drawing: { svg: '<svg/>', scale: 2 },
  });
  expect(await exportAnswer(svg, { format: 'svg' }, { pageSources })).toBe(svg);
});

test('of several pipelines one is chosen', async () => {
  const two = `${toy}${toy.slice(toy.indexOf('pipeline train')).replace('pipeline train', 'pipeline wide')}`;
  await withClient(async (client) => {
    client.open(main, two);
    expect(await ask({ format: 'svg' })(client)).toMatchObject({ pipelines: ['train', 'wide'] });
    expect(await ask({ format: 'svg', pipeline: 'wide' })(client)).toMatchObject({ pipeline: 'wide' });
  });
});

test('programs are byte for byte what the command line writes, with what they leave out', async () => {
  const text = exampleText('llama3-70b.pipe');
  await withClient(async (client) => {
    for (const [format, changed] of [
      ['torch-csv', text],
      ['torch-script', text],
      ['megatron', text],
      [
        'torchtitan',
        text
          .replaceAll(/megatron_bf16\([^)]*\)/g, 'adamw(shard = fsdp, reshard = false)')
          .replaceAll('selective', 'full'),
      ],
    ] as const) {
      client.open(main, changed);
      const answer = await ask({ format, pipeline: 'interleaved' })(client);
      const options = ['--to', format, '--pipeline', 'interleaved'];
      const { out, err } = await call(['export', name, ...options], { files: { [name]: changed } });
      expect(answer).toMatchObject({ text: out });
      const notes = 'notes' in answer ? (answer.notes ?? []) : [];
      expect(notes.map((note) => `${name}: ${note}\n`).join('')).toBe(err);
      expect(notes).not.toEqual([]);
    }
  });
});

test('a slider changes what is written for an engine, and what the engine does not run is said', async () => {
  await withClient(async (client) => {
    client.open(main, exampleText('llama3-70b.pipe'));
    const tried = await ask({ format: 'megatron', pipeline: 'even', overrides: { microbatches: 8 } })(client);
    // Two data ranks, samples one by one.
    expect('text' in tried ? tried.text : tried).toContain('--global-batch-size 16\n');
    client.open(main, exampleText('lora-ethernet.pipe'));
    expect(await ask({ format: 'megatron', pipeline: 'lora' })(client)).toEqual({
      problem:
        'Pipeline lora cannot be written: Megatron trains all weights, and has no adapters; Megatron Bridge has them.',
    });
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
