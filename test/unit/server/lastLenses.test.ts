import { expect, test } from 'vitest';
import type { CodeLens } from 'vscode-languageserver';
import { LineIndex, parse } from '../../../grammar/index.ts';
import { createLastLenses } from '../../../server/lastLenses.ts';
import { type Client, main, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

const figures = 'iteration 264 ms · bubble 27.3 % · peak 5 GiB of 16 GiB';
const earlier = `${figures} · before this edit`;

/** Titles and lines of the lenses of the newest text. */
async function lensesOf(client: Client): Promise<readonly (readonly [string | undefined, number])[]> {
  const lenses = await client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri: main } });
  return lenses.map(({ command, range }) => [command?.title, range.start.line]);
}

const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split('\n').length - 1;
const line = lineOf(toy, 'pipeline train');

test('the lens of a file that says nothing of memory has no peak', async () => {
  await withClient(async (client) => {
    client.open(
      main,
      `device gpu { memory = 16GiB }
cluster box { gpu[2] = gpu  link = 25GB/s }
model toy { layer block[4] { forward = 1ms  backward = 2ms } }
pipeline train { model = toy  devices = box  microbatches = 4  stages = balance(2)  schedule = gpipe }
`,
    );
    // (m + p − 1)(F + B) = 5 · 6 ms.
    const [[title]] = await lensesOf(client);
    expect(title).toBe('iteration 30 ms · bubble 20 %');
  });
});

test.each([
  ['a mistake of syntax', (text: string) => text.replace('pipeline train {', 'pipeline train {\n  micro')],
  ['an unknown name', (text: string) => text.replace('= 1f1b', '= 1f1')],
  ['a brace that is missing elsewhere', (text: string) => text.replace('model toy {', 'model toy')],
])('the lens of a pipeline stays while the text has %s', async (_, broken) => {
  await withClient(
    async (client) => {
      client.open(main, toy);
      const before = await lensesOf(client);
      expect(before.map(([title]) => title)).toEqual([figures, 'Preview', 'Compare', 'Export', 'Shorter order']);
      client.change(main, broken(toy));
      expect(await lensesOf(client)).toEqual([[earlier, line], ...before.slice(1)]);
      client.change(main, toy);
      expect(await lensesOf(client)).toEqual(before);
    },
    { initialization: { previews: true } },
  );
});

test('a lens that is kept follows edits before, in and behind its declaration', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    expect(await lensesOf(client)).toEqual([[figures, line]]);
    let text = toy.replace('= 1f1b', '= 1f1');
    const change = async (next: string) => {
      text = next;
      client.change(main, text);
      return lensesOf(client);
    };
    expect(await change(text)).toEqual([[earlier, line]]);
    // Two places of the text change before the next request.
    client.change(main, `// One.\n// Two.\n${text}`);
    expect(await change(`// One.\n// Two.\n${text}// Three.\n`)).toEqual([[earlier, line + 2]]);
    expect(await change(text.replace('pipeline train', 'pipeline trainer'))).toEqual([[earlier, line + 2]]);
    expect(await change(text.slice(8))).toEqual([[earlier, line + 1]]);
  });
});

test('a declaration that is deleted has no lens, and neither has one that was never whole', async () => {
  await withClient(async (client) => {
    client.open(main, toy.replace('= 1f1b', '= 1f1'));
    expect(await lensesOf(client)).toEqual([]);
    client.change(main, toy);
    expect(await lensesOf(client)).toHaveLength(1);
    // Another mistake stays in the text.
    client.change(main, `${toy.slice(0, toy.indexOf('pipeline train'))}${toy.slice(toy.indexOf('expect train'))}`);
    expect(await lensesOf(client)).toEqual([]);
    client.close(main);
    client.open(main, toy.replace('= 1f1b', '= 1f1'));
    expect(await lensesOf(client)).toEqual([]);
  });
});

test('a lens stays while figures are still to come', () => {
  const lenses = createLastLenses();
  const range = { start: { line: 0, character: 9 }, end: { line: 0, character: 14 } };
  const shown = (text: string, pending: readonly string[], own: readonly string[]) => {
    const view = { uri: main, syntax: parse(text), lines: new LineIndex(text), analysis: { findings: [], pending } };
    lenses.edited(main, text);
    const now = own.map((title) => ({ range, command: { title, command: 'pipewright.openPreview' } }));
    return lenses.with(view, now).map(({ command }) => command?.title);
  };
  expect(shown('pipeline train {}', [], ['1 s'])).toEqual(['1 s']);
  expect(shown('pipeline train { }', ['train'], [])).toEqual(['1 s · before this edit']);
  expect(shown('pipeline train { }', [], ['2 s'])).toEqual(['2 s']);
  expect(shown('pipeline train {  }', [], [])).toEqual([]);
});
