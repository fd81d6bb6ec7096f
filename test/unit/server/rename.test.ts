import { expect, test } from 'vitest';
import type { LinkedEditingRanges, TextDocumentEdit, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import { applyEdits, main, positionAt, slice, withClient } from '../../support/server.ts';
import { serverWith } from '../../support/asked.ts';
import { staged, toy } from './samples.ts';

/** Renames at `$0` of main.pipe; gives the new texts by file, or the refusal. */
async function renamed(source: string, newName: string): Promise<ReadonlyMap<string, string> | string> {
  return serverWith(source, async ({ texts, ask }) => {
    const results = new Map(texts);
    try {
      const edit = await ask<WorkspaceEdit | null>('textDocument/rename', { newName });
      for (const { textDocument, edits } of (edit?.documentChanges ?? []) as TextDocumentEdit[])
        results.set(textDocument.uri, applyEdits(results.get(textDocument.uri) ?? '', edits as TextEdit[]));
      return results;
    } catch (error) {
      return (error as Error).message;
    }
  });
}

test('every use in the file and nothing else', async () => {
  const after = await renamed(toy.replace('param microbatches', 'param $0microbatches'), 'count');
  expect(after).toEqual(
    new Map([
      [
        main,
        toy.replace('param microbatches', 'param count').replace('microbatches = microbatches', 'microbatches = count'),
      ],
    ]),
  );
});

test('a stage, also where its jitter is set', async () => {
  const source = staged.replace('schedule', 'jitter(stage = first) = 5%  schedule');
  const after = await renamed(source.replace('stage first', 'stage $0first'), 'entry');
  expect(after).toEqual(new Map([[main, source.replaceAll('first', 'entry')]]));
});

test('an imported name, from either side', async () => {
  const importing = 'import { card } from "hardware.pipe"\ncluster c { gpu[1] = $0card  link = 1GB/s }\n';
  const after = await renamed(`${importing}//- /hardware.pipe\ndevice card { memory = 1GiB }\n`, 'chip');
  expect(after).toEqual(
    new Map([
      [main, 'import { chip } from "hardware.pipe"\ncluster c { gpu[1] = chip  link = 1GB/s }\n'],
      ['file:///project/hardware.pipe', 'device chip { memory = 1GiB }\n'],
    ]),
  );
  const exporting =
    'device $0card { memory = 1GiB }\n//- /user.pipe\nimport "main.pipe"\ncluster c { gpu[1] = card  link = 1GB/s }\n';
  const other = await renamed(exporting, 'chip');
  expect(other).toEqual(
    new Map([
      [main, 'device chip { memory = 1GiB }\n'],
      ['file:///project/user.pipe', 'import "main.pipe"\ncluster c { gpu[1] = chip  link = 1GB/s }\n'],
    ]),
  );
});

test('refused: built-in names, what is no name, what already means something', async () => {
  expect(await renamed(toy.replace('= 1f1b', '= $01f1b'), 'mine')).toMatch(/built in/);
  const param = toy.replace('param microbatches', 'param $0microbatches');
  for (const name of ['4ms', 'a b', '', 'a-b', '"x"', '1', 'x // y'])
    expect(await renamed(param, name), name).toMatch(/is not a name/);
  expect(await renamed(param, 'toy')).toMatch(/already/);
  const importing = 'import "hardware.pipe"\nlet $0spare = 1\n//- /hardware.pipe\ndevice card { memory = 1GiB }\n';
  expect(await renamed(importing, 'card')).toMatch(/already/);
  expect(await renamed('import { $0v100 } from "std:hardware"', 'mine')).toMatch(/std:hardware/);
});

test('prepared with the name under the cursor', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const ask = (offset: number) =>
      client.request('textDocument/prepareRename', { textDocument: { uri: main }, position: positionAt(toy, offset) });
    expect(await ask(toy.indexOf('toy {'))).toMatchObject({ placeholder: 'toy' });
    expect(await ask(toy.indexOf('forward'))).toBeNull();
    await expect(ask(toy.indexOf('1f1b'))).rejects.toThrow(/built in/);
  });
});

test('a layer of a profile keeps its name', async () => {
  const node = (id: string) =>
    `${id} -- Op -- forward_compute_time=1, backward_compute_time=2, activation_size=3, parameter_size=4`;
  const refused = await renamed(
    `model m { from = profile("graph.txt") }
pipeline p { model = m  stage s { layers = $0a, b } }
//- /graph.txt
${node('a')}
${node('b')}
`,
    'c',
  );
  expect(refused).toBe('"a" comes from a file of another format and cannot be renamed.');
});

test('a name that occurs twice is edited everywhere at once, unless another file uses it', async () => {
  const linked = (source: string): Promise<readonly string[] | null> =>
    serverWith(source, async ({ ask, text }) => {
      const found = await ask<LinkedEditingRanges | null>('textDocument/linkedEditingRange');
      return found && found.ranges.map((range) => slice(text, range));
    });
  expect(await linked(toy.replace('param microbatches', 'param $0microbatches'))).toEqual([
    'microbatches',
    'microbatches',
  ]);
  expect(await linked(staged.replace('= first', '= fir$0st'))).toEqual(['first', 'first']);
  expect(await linked(toy.replace('= 1f1b', '= 1f$01b'))).toBeNull();
  expect(await linked(toy.replace('expect train', '$0'))).toBeNull();
  expect(await linked('let x = 1\nlet on$0ce = x\n')).toBeNull();
  const shared = 'device ca$0rd { memory = 1GiB }\ncluster c { gpu[1] = card  link = 1GB/s }\n';
  expect(await linked(shared)).toEqual(['card', 'card']);
  const user = 'import { card } from "main.pipe"\ncluster d { gpu[1] = card  link = 1GB/s }\n';
  expect(await linked(`${shared}//- /user.pipe\n${user}`)).toBeNull();
});
