import { expect, test } from 'vitest';
import type { PlanAnswer } from '../../../webview/protocol/requests.ts';
import { main, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

const ask = (trial?: object) => ({ uri: main, ...(trial === undefined ? {} : { trial }) });

test('a file without a pipeline says what it has, and the edit that adds a pipeline gives one', async () => {
  await withClient(async (client) => {
    const text = toy.slice(0, toy.indexOf('pipeline '));
    client.open(
      main,
      `import { gpt2 } from "std:models"\n${text}param a = 1 in 1..2\nlet b = 1\nlet c = 1\nlet d = 1\nlet e = 1\n`,
    );
    const { plan, contents, version } = await client.request<PlanAnswer>('pipewright/plan', { ...ask(), whole: true });
    expect(plan?.pipelines).toEqual([]);
    expect(contents?.declared).toContainEqual({ kind: 'import', names: ['std:models'], count: 1 });
    expect(contents?.declared).toContainEqual({ kind: 'let', names: ['b', 'c', 'd'], count: 4 });
    expect(contents?.declared.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['model', 'cluster', 'param']));
    const edits = [contents?.addition?.edit];
    const after = await client.request<PlanAnswer>('pipewright/plan', ask({ version, edits }));
    expect(after.plan?.pipelines.map(({ name }) => name)).toEqual(['train']);
    expect(after.contents).toBeUndefined();
  });
});

test('a file with a pipeline, with an error or with nothing but comments has no contents', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    for (const text of [toy, 'model {', '// nothing yet\n', '']) {
      client.change(main, text);
      expect((await client.request<PlanAnswer>('pipewright/plan', ask())).contents, text).toBeUndefined();
    }
  });
});

test('a change of what is declared is announced, a comment is not', async () => {
  await withClient(async (client) => {
    /** Announcements so far: the answer to a request comes behind them. */
    const changes = async () => {
      await client.diagnostics(main);
      await client.request('pipewright/plan', { uri: main });
      return client.notifications.filter(({ method }) => method === 'pipewright/planChanged').length;
    };
    client.open(main, 'let a = 1\n');
    const before = await changes();
    client.change(main, 'let a = 1 // one\n');
    expect(await changes()).toBe(before);
    client.change(main, 'let a = 1\nlet b = 2\n');
    expect(await changes()).toBe(before + 1);
  });
});
