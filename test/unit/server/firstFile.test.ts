/** From an empty file to a pipeline that simulates, by accepting items of completion alone. */
import { expect, test } from 'vitest';
import type { CompletionItem, CompletionList, TextEdit } from 'vscode-languageserver';
import { analyse, codesOf } from '../../support/analyse.ts';
import { ask, invoked } from '../../support/asked.ts';
import { applyEdits, main, offsetOf, positionAt, slice, withClient, type Client } from '../../support/server.ts';

/** The text of a snippet as it is first inserted: the default of each place, the first of a list; and where the cursor begins. */
function inserted(snippet: string): { readonly text: string; readonly at: number } {
  const place = /\$(\d)|\$\{(\d+):((?:\\.|[^}])*)\}|\$\{(\d+)\|([^|]*)\|\}|\\(.)/g;
  const stops = new Map<number, number>();
  let text = '';
  let end = 0;
  for (const found of snippet.matchAll(place)) {
    const [whole, bare, named, value, listed, choices, escaped] = found;
    text += snippet.slice(end, found.index);
    end = found.index + whole.length;
    const stop = Number(bare ?? named ?? listed);
    if (escaped === undefined && !stops.has(stop)) stops.set(stop, text.length);
    text += escaped ?? value ?? choices?.split(',')[0] ?? '';
  }
  text += snippet.slice(end);
  return { text, at: stops.get(1) ?? stops.get(0) ?? text.length };
}

/** A person who types nothing but line breaks. */
function writer(client: Client) {
  let text = '';
  let cursor = 0;
  client.open(main, text);
  const change = (changed: string, at: number): void => {
    client.close(main);
    client.open(main, changed);
    [text, cursor] = [changed, at];
  };
  return {
    text: () => text,
    line: (): void => change(`${text.slice(0, cursor)}\n${text.slice(cursor)}`, cursor + 1),
    end: (): void => change(text, text.length),
    goTo: (after: string): void => change(text, text.indexOf(after) + after.length),
    async accept(label: string): Promise<void> {
      const position = positionAt(text, cursor);
      const answer = await client.request<CompletionList | null>('textDocument/completion', {
        textDocument: { uri: main },
        position,
        ...invoked,
      });
      const item = answer?.items.find((each) => each.label === label);
      if (item === undefined) throw new Error(`no "${label}" in ${answer?.items.map((each) => each.label).join(', ')}`);
      const { range, newText } = item.textEdit as TextEdit;
      const written = inserted(newText);
      const more = item.additionalTextEdits ?? [];
      const before = more.filter((edit) => offsetOf(text, edit.range.end) <= offsetOf(text, range.start));
      const shift = before.reduce((sum, edit) => sum + edit.newText.length - slice(text, edit.range).length, 0);
      const start = offsetOf(text, range.start) + shift;
      change(applyEdits(text, [{ range, newText: written.text }, ...more]), start + written.at);
    },
  };
}

test('an empty file becomes a pipeline that simulates', async () => {
  await withClient(async (client) => {
    const { accept, end, goTo, line, text } = writer(client);
    await accept('import');
    await accept('dgx_h100');
    expect(text()).toBe('import { dgx_h100 } from "std:clusters"');
    end();
    line();
    await accept('model');
    goTo('model mine {');
    line();
    await accept('sequence');
    goTo('2048');
    line();
    await accept('layer … = transformer(…)');
    end();
    line();
    await accept('pipeline');
    expect(text()).toContain('layer block[32] = transformer(hidden = 4096, heads = 32)');
    expect(text()).toContain('model        = mine\n');
    expect(text()).toContain('devices      = dgx_h100\n');
    const analysis = analyse(text());
    expect(analysis.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(analysis.pipelines[0].run?.report.iteration).toBeGreaterThan(0);
  });
});

test('each shape that completion writes is a layer without a mistake, and its call opens the signature', async () => {
  const source = 'model m {\n  sequence = 1024\n  layer block[8] = $0\n}';
  const found = await listOf(source);
  for (const item of found.filter(({ label }) => label !== 'custom')) {
    const [before = '', after = ''] = source.split('$0');
    const text = `${before}${inserted((item.textEdit as TextEdit).newText).text}${after}`;
    expect(
      codesOf(analyse(text)).filter((code) => code !== 'name/unused'),
      text,
    ).toEqual([]);
  }
  expect(found.length).toBeGreaterThan(8);
  const inEditor = await listOf(source, true);
  expect(inEditor.find(({ label }) => label === 'transformer')?.command?.command).toBe(
    'editor.action.triggerParameterHints',
  );
  expect(found.some(({ command }) => command !== undefined)).toBe(false);
});

const listOf = async (source: string, previews = false): Promise<readonly CompletionItem[]> =>
  withClient(
    async (client) => {
      const at = source.indexOf('$0');
      const text = source.replace('$0', '');
      client.open(main, text);
      const position = positionAt(text, at);
      const answer = await client.request<CompletionList | null>('textDocument/completion', {
        textDocument: { uri: main },
        position,
        ...invoked,
      });
      return answer?.items ?? [];
    },
    { initialization: { previews } },
  );

test('values open by themselves where a list of them is known', async () => {
  const opens = async (source: string, label: string) =>
    (await listOf(source, true)).find((item) => item.label === label)?.command?.command;
  const list = 'editor.action.triggerSuggest';
  expect(await opens('$0', 'import')).toBe(list);
  expect(await opens('model m { $0 }', 'precision')).toBe(list);
  expect(await opens('model m { layer a = transformer(hidden = 8, heads = 2, $0) }', 'gated')).toBe(list);
  expect(await opens('model m { layer a = transformer(hidden = 8, heads = 2, $0) }', 'ffn')).toBeUndefined();
  expect(await opens('model m { $0 }', 'sequence')).toBeUndefined();
});

/** The file after an item is accepted. */
async function after(source: string, label: string, files = ''): Promise<string> {
  const answer = await ask<CompletionList | null>(`${source}${files}`, 'textDocument/completion', invoked);
  const item = answer?.items.find((each) => each.label === label);
  if (item === undefined) throw new Error(`no "${label}" in ${answer?.items.map((each) => each.label).join(', ')}`);
  const { range, newText } = item.textEdit as TextEdit;
  return applyEdits(source.replace('$0', ''), [
    { range, newText: inserted(newText).text },
    ...(item.additionalTextEdits ?? []),
  ]);
}

test.each([
  ['import {$0', 'h100', 'import {h100 } from "std:hardware"'],
  ['import { $0 }', 'h100', 'import { h100 } from "std:hardware"'],
  ['import { $0 } from', 'h100', 'import { h100 } from "std:hardware"'],
  ['import { $0 } from ""', 'gpt2', 'import { gpt2 } from "std:models"'],
  ['import { h100, $0 }', 'a100_80', 'import { h100, a100_80 } from "std:hardware"'],
  ['import { h100 } $0', 'from "std:hardware"', 'import { h100 } from "std:hardware"'],
  ['import { h100 } fr$0', 'from', 'import { h100 } from ""'],
  ['import { h100 } from $0', '"std:hardware"', 'import { h100 } from "std:hardware"'],
  ['import $0', '"std:models"', 'import "std:models"'],
  ['import { $0 }\nlet a = 1', 'h100', 'import { h100 } from "std:hardware"\nlet a = 1'],
])('%s: %s', async (source, label, expected) => {
  expect(await after(source, label)).toBe(expected);
});

test('behind names only files that declare them all', async () => {
  const answer = await ask<CompletionList | null>('import { h100 } $0', 'textDocument/completion', invoked);
  expect(answer?.items.map(({ label }) => label)).toEqual(['from "std:hardware"', 'from']);
});

test('a brace opens a list only in an import', async () => {
  const braced = { context: { triggerKind: 2, triggerCharacter: '{' } };
  const at = (source: string) => ask<CompletionList | null>(source, 'textDocument/completion', braced);
  expect((await at('import {$0}'))?.items.length).toBeGreaterThan(50);
  expect(await at('model m {$0}')).toBeNull();
});
