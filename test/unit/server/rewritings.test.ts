import { expect, test } from 'vitest';
import { CodeActionKind, type ClientCapabilities, type CodeAction, type TextEdit } from 'vscode-languageserver';
import { keepsReports } from '../../../engine/fixes/rewriting.ts';
import { analyse } from '../../support/analyse.ts';
import { type Opened, serverWith } from '../../support/asked.ts';
import { applyEdits, editsIn, main, positionAt } from '../../support/server.ts';
import { staged, toy } from './samples.ts';

const resolving: ClientCapabilities = {
  textDocument: { codeAction: { dataSupport: true, resolveSupport: { properties: ['edit'] } } },
  workspace: { workspaceEdit: { documentChanges: true } },
};

/** Actions of a kind for the text from `$0` to `$1`, or at `$0`. */
async function actionsIn({ client, at, text }: Opened, kind: CodeActionKind): Promise<readonly CodeAction[]> {
  const [start = 0, end = start] = at;
  const range = { start: positionAt(text, start), end: positionAt(text, end) };
  const context = { diagnostics: [], only: [kind] };
  const params = { textDocument: { uri: main }, range, context };
  return (await client.request<CodeAction[] | null>('textDocument/codeAction', params)) ?? [];
}

/** Titles, and the text after each action; the same whether its edit comes with the list or when it is chosen. */
async function after(source: string, kind: CodeActionKind): Promise<Readonly<Record<string, string>>> {
  const [whole, lazy] = [{}, { capabilities: resolving }].map((options) =>
    serverWith(
      source,
      async (opened) => {
        const actions = await actionsIn(opened, kind);
        const results: Record<string, string> = {};
        for (const action of actions) {
          expect(action.edit === undefined).toBe('capabilities' in options);
          const { edit } = action.edit ? action : await opened.client.request<CodeAction>('codeAction/resolve', action);
          results[action.title] = applyEdits(opened.text, editsIn(edit ?? {}, main));
        }
        return results;
      },
      options,
    ),
  );
  expect(await lazy).toEqual(await whole);
  return whole;
}

const isSame = (before: string, changed: string): boolean => keepsReports(analyse(before), analyse(changed));

test('a number becomes a let or a param, and back', async () => {
  const extracted = await after(toy.replace('forward = 4ms', 'forward = 4$0ms'), CodeActionKind.RefactorExtract);
  expect(Object.keys(extracted)).toEqual(['Extract to let "block_forward"', 'Extract to param "block_forward"']);
  const named = extracted['Extract to let "block_forward"'];
  expect(named).toBe(`let block_forward = 4ms\n\n${toy.replace('forward = 4ms', 'forward = block_forward')}`);
  expect(extracted['Extract to param "block_forward"']).toContain('param block_forward = 4ms\n');
  for (const text of Object.values(extracted)) expect(isSame(toy, text)).toBe(true);
  const back = await after(named.replace('= block_forward', '= block$0_forward'), CodeActionKind.RefactorInline);
  expect(back['Inline "block_forward"'].trimStart()).toBe(toy);
});

test('a selected expression gets a name, and keeps its meaning where it is written again', async () => {
  const source = toy.replace('forward = 4ms', 'forward = 2 * (1ms + 1ms)');
  const extracted = await after(source.replace('(1ms + 1ms)', '($01ms + 1ms$1)'), CodeActionKind.RefactorExtract);
  expect(extracted['Extract to let "block_forward"']).toContain('forward = 2 * (block_forward)');
  const text = `let tick = 1ms + 1ms\n${toy.replace('forward = 4ms', 'forward = 2 * tick')}`;
  const inlined = await after(text.replace('let tick', 'let ti$0ck'), CodeActionKind.RefactorInline);
  expect(inlined['Inline "tick"']).toBe(source);
});

test('a param goes with its comment, and not where another file uses it', async () => {
  const source = toy.replace('param micro', 'param mi$0cro');
  const inlined = await after(source, CodeActionKind.RefactorInline);
  expect(inlined['Inline "microbatches"']).not.toContain('How many');
  expect(inlined['Inline "microbatches"']).toContain('microbatches = 8');
  const used = `${source}//- /user.pipe\nimport { microbatches } from "main.pipe"\nlet twice = 2 * microbatches\n`;
  await serverWith(used, async (opened) => expect(await actionsIn(opened, CodeActionKind.RefactorInline)).toEqual([]));
  await serverWith(
    used,
    async (opened) => {
      const [action] = await actionsIn(opened, CodeActionKind.RefactorInline);
      await expect(opened.client.request('codeAction/resolve', action)).rejects.toThrow(
        'take a name from another file',
      );
    },
    { capabilities: resolving },
  );
});

test('stages in another order than their layers are sorted', async () => {
  const mixed = staged.replace('layers = a', 'layers = ?').replace('layers = b', 'layers = a').replace('?', 'b');
  const sorted = await after(mixed.replace('stage first', 'st$0age first'), CodeActionKind.RefactorRewrite);
  const text = sorted['Sort the stages by their layers'];
  expect(text.indexOf('layers = a')).toBeLessThan(text.indexOf('layers = b'));
  expect(analyse(text).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const ordered = await after(staged.replace('stage first', 'st$0age first'), CodeActionKind.RefactorRewrite);
  expect(ordered).not.toHaveProperty('Sort the stages by their layers');
});

test('an action of an earlier text is refused', async () => {
  await serverWith(
    toy.replace('forward = 4ms', 'forward = 4$0ms'),
    async (opened) => {
      const [action] = await actionsIn(opened, CodeActionKind.RefactorExtract);
      opened.client.change(main, `// more\n${opened.text}`);
      await expect(opened.client.request('codeAction/resolve', action)).rejects.toThrow('has changed since');
    },
    { capabilities: resolving },
  );
});

test('what would bring in an error is not offered', async () => {
  const own = `schedule own { let wide(d) = $02 * d$1  row(d) = F[0..<microbatches], B[0..<microbatches] }\n`;
  await serverWith(`${toy}${own}`, async (opened) =>
    expect(await actionsIn(opened, CodeActionKind.RefactorExtract)).toEqual([]),
  );
});

test('an action that is not possible says why, to editors that show it', async () => {
  // Its text leaves the recomputation to the pipeline.
  const source = toy.replace('= 1f1b', '= torch$0gpipe');
  const titles = async (capabilities: ClientCapabilities) =>
    serverWith(
      source,
      async (opened) =>
        (await actionsIn(opened, CodeActionKind.RefactorRewrite))
          .filter(({ title }) => title.startsWith('Write the text'))
          .map(({ disabled, edit }) => [disabled?.reason, edit]),
      { capabilities },
    );
  const shown = { textDocument: { codeAction: { disabledSupport: true } } };
  expect(await titles(shown)).toEqual([
    ['No text of a schedule runs the same operations at the same times.', undefined],
  ]);
  expect(await titles({})).toEqual([]);
});

const creating: ClientCapabilities = {
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create'] } },
};

/** The text of the file and of the new one after the move that is offered at `$0`; undefined if none is. */
const moved = (source: string, capabilities = creating) =>
  serverWith(
    source,
    async (opened) => {
      const [action] = await actionsIn(opened, CodeActionKind.RefactorMove);
      if (action === undefined) return undefined;
      const changes = action.edit?.documentChanges ?? [];
      const [created, file, own] = changes;
      expect(created).toMatchObject({ kind: 'create' });
      expect(file).toMatchObject({ textDocument: { version: null } });
      expect(own).toMatchObject({ textDocument: { uri: main, version: 1 } });
      const name = 'uri' in created ? created.uri.slice(created.uri.lastIndexOf('/') + 1) : '';
      const text = 'edits' in file ? (file.edits[0] as TextEdit).newText : '';
      return { title: action.title, name, text, own: applyEdits(opened.text, editsIn(action.edit ?? {}, main)) };
    },
    { capabilities },
  );

test('a declaration moves to a file with what it names, and is imported', async () => {
  const found = await moved(toy.replace('cluster box', 'cluster $0box'));
  expect(found?.title).toBe('Move "box" with v100 to box.pipe');
  expect(found?.text).toBe('device v100 { memory = 16GiB }\n\ncluster box { gpu[4] = v100  link = 25GB/s }\n');
  expect(found?.own).toContain('import { box } from "box.pipe"\n');
  expect(found?.own).not.toContain('v100');
  const before = analyse(toy);
  const after = analyse(found?.own ?? '', { files: { 'box.pipe': found?.text ?? '' } });
  expect(after.findings).toEqual(before.findings.map((finding) => expect.objectContaining({ code: finding.code })));
  expect(keepsReports(before, after)).toBe(true);
});

test('a move takes imports along, and finds a free name', async () => {
  const source = toy
    .replace('device v100 { memory = 16GiB }', '')
    .replace('/// Eight', 'import { v100 } from "std:hardware"\n\n/// Eight')
    .replace('cluster box', 'cluster $0box');
  const found = await moved(`${source}//- /box.pipe\nlet unused = 1\n`);
  expect(found?.name).toBe('box_2.pipe');
  expect(found?.text).toContain('import { v100 } from "std:hardware"\n\ncluster box {');
});

test('nothing moves that would take a slider, or a name from another file, or needs files that the editor does not make', async () => {
  const slider = `${toy}\nparam gb = 16GiB in 8GiB..80GiB\ndevice $0card { memory = gb }\n`;
  expect(await moved(slider)).toBeUndefined();
  const source = toy.replace('model toy', 'model $0toy');
  expect(await moved(`${source}//- /user.pipe\nimport { toy } from "main.pipe"\n`)).toBeUndefined();
  expect((await moved(source))?.name).toBe('toy.pipe');
  expect(await moved(source, resolving)).toBeUndefined();
});
