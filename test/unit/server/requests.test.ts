import { expect, test } from 'vitest';
import type { CodeLens } from 'vscode-languageserver';
import { paths } from '../../../engine/values/plan.ts';
import { scheduleTexts } from '../../../engine/std/scheduleTexts.ts';
import { policies } from '../../../engine/policies/registry.ts';
import type { LocateAnswer, ParamEditAnswer, PathsAnswer, PlanAnswer } from '../../../webview/protocol/requests.ts';
import { main, positionAt, slice, withClient } from '../../support/server.ts';
import { staged, toy } from './samples.ts';

test('the plan of the newest text; overrides change the answer and nothing else', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const own = await client.request<PlanAnswer>('pipewright/plan', { uri: main });
    expect(own).toMatchObject({ uri: main, version: 1 });
    expect(own.plan?.pipelines[0]?.microbatches).toBe(8);
    // The plan comes first.
    await client.diagnostics(main);
    const published = client.published.length;
    const tried = await client.request<PlanAnswer>('pipewright/plan', { uri: main, overrides: { microbatches: 16 } });
    expect(tried.plan?.pipelines[0]?.microbatches).toBe(16);
    expect(tried.plan?.params[0]).toMatchObject({ name: 'microbatches', value: 16, default: 8 });
    const refused = await client.request<PlanAnswer>('pipewright/plan', {
      uri: main,
      overrides: { microbatches: 1000 },
    });
    expect(refused.plan).toBeUndefined();
    expect(refused.problem?.message).toMatch(/microbatches/);
    expect(client.published.length).toBe(published);
    expect((await client.request<PlanAnswer>('pipewright/plan', { uri: main })).plan).toEqual(own.plan);
  });
});

test('a text without a plan says why and where; a text that begins has a plan without pipelines', async () => {
  await withClient(async (client) => {
    const broken = toy.replace('= 1f1b', '= 1f1bb');
    client.open(main, broken);
    const { plan, problem } = await client.request<PlanAnswer>('pipewright/plan', { uri: main });
    expect(plan).toBeUndefined();
    expect(problem?.message).toMatch(/1f1bb/);
    expect(problem && slice(broken, problem.range)).toBe('1f1bb');
    client.change(main, 'let a = 1');
    const empty = await client.request<PlanAnswer>('pipewright/plan', { uri: main });
    // No error, no pipeline: a file that begins.
    expect(empty.problem).toBeUndefined();
    expect(empty.plan?.pipelines).toEqual([]);
    expect(await client.request('pipewright/plan', { uri: 'file:///project/closed.pipe' })).toBeNull();
  });
});

test('the client is told when a plan changes, not when a comment does', async () => {
  await withClient(async (client) => {
    const told = () =>
      client.notifications.filter((notification) => notification.method === 'pipewright/planChanged').length;
    client.open(main, toy);
    await client.diagnostics(main);
    await client.request('pipewright/plan', { uri: main });
    expect(told()).toBe(1);
    client.change(main, toy.replace('// a slider', '// something else'));
    await client.diagnostics(main);
    await client.request('pipewright/plan', { uri: main });
    expect(told()).toBe(1);
    client.change(main, toy.replace('= 8 in', '= 9 in'));
    await client.diagnostics(main);
    await client.request('pipewright/plan', { uri: main });
    expect(told()).toBe(2);
  });
});

test('a path leads to its text and the text back to the path', async () => {
  await withClient(async (client) => {
    client.open(main, staged);
    const place = await client.request<LocateAnswer>('pipewright/locate', { uri: main, path: 'run/stage:1' });
    expect(place && slice(staged, place.range)).toContain('second');
    const paths = await client.request<PathsAnswer>('pipewright/pathsAt', {
      uri: main,
      position: positionAt(staged, staged.indexOf('layers = b') + 2),
    });
    expect(paths.flat()).toContain('run/stage:1');
    expect(paths.flat()).not.toContain('run/stage:0');
    expect(await client.request('pipewright/locate', { uri: main, path: 'nothing/stage:1' })).toBeNull();
  });
});

test('the cursor is at all that comes from its text', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const innermost = async (text: string) => {
      const position = positionAt(toy, toy.indexOf(text) + 1);
      return (await client.request<PathsAnswer>('pipewright/pathsAt', { uri: main, position }))[0];
    };
    const { plan } = await client.request<PlanAnswer>('pipewright/plan', { uri: main });
    const [pipeline] = plan?.pipelines ?? [];
    if (pipeline === undefined) throw new Error('the sample has a pipeline');
    const all = (count: number, path: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => path(index));
    expect(await innermost('balance(')).toEqual(
      expect.arrayContaining(all(pipeline.stages.length, (index) => paths.stage(pipeline.name, index))),
    );
    expect(await innermost('gpu[')).toEqual(
      all(pipeline.devices.length, (index) => paths.device(pipeline.name, index)),
    );
    expect(await innermost('block[')).toEqual(
      expect.arrayContaining(
        pipeline.stages.flatMap(({ layers }) => layers.map((layer) => paths.layer(pipeline.model, layer))),
      ),
    );
  });
});

/** Their text leaves recomputation or the lengths of segments to the pipeline, or has no further copy of the weights. */
const partlyText: readonly string[] = ['torchgpipe', 'seq1f1b', 'pipemare'];

test('the read-only document of every policy has no findings, and runs as what it stands for', async () => {
  await withClient(async (client) => {
    for (const { name } of policies) {
      const uri = `pipewright-policy:/${name}.pipe`;
      const { text } = await client.request<{ readonly text: string }>('workspace/textDocumentContent', { uri });
      client.open(uri, text);
      const { diagnostics } = await client.diagnostics(uri);
      expect(diagnostics, name).toEqual([]);
      if (!scheduleTexts.has(name) || partlyText.includes(name)) continue;
      client.open(main, toy.replace('1f1b', name));
      const [own] = await client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri: main } });
      client.change(main, `${text}\n${toy.replace('1f1b', name)}`);
      const [written] = await client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri: main } });
      expect(written?.command?.title, name).toBe(own?.command?.title);
      client.close(main);
    }
  });
});

test('a param is written back in the unit that stands there', async () => {
  const text = 'param t = 4ms in 1ms..9ms\nparam n = 8\nparam share = 50%\nparam e = n + 1\nlet l = 5\n';
  await withClient(async (client) => {
    client.open(main, text);
    const edit = async (name: string, value: number) => {
      const answer = await client.request<ParamEditAnswer>('pipewright/paramEdit', { uri: main, name, value });
      return answer === null ? null : [slice(text, answer.range), answer.newText];
    };
    expect(await edit('t', 0.007)).toEqual(['4ms', '7ms']);
    expect(await edit('n', 16)).toEqual(['8', '16']);
    expect(await edit('share', 0.29)).toEqual(['50%', '29%']);
    expect(await edit('e', 4)).toBeNull();
    expect(await edit('l', 4)).toBeNull();
    expect(await edit('absent', 4)).toBeNull();
  });
});
