import { expect, test } from 'vitest';
import type {
  DocumentSymbol,
  FoldingRange,
  SelectionRange,
  SemanticTokens,
  SemanticTokensDelta,
  TextEdit,
} from 'vscode-languageserver';
import { format, parse } from '../../../grammar/index.ts';
import { legend } from '../../../server/text/colours.ts';
import { applyEdits, main, offsetOf, positionAt, slice, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

const document = { textDocument: { uri: main } };

test('the outline names what is declared, layers and stages within', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const found = await client.request<DocumentSymbol[]>('textDocument/documentSymbol', document);
    const names = (symbols: readonly DocumentSymbol[]): unknown[] =>
      symbols.map((symbol) => [symbol.detail, symbol.name, ...names(symbol.children ?? [])]);
    expect(names(found)).toEqual([
      ['model', 'toy', ['layer', 'block']],
      ['device', 'v100'],
      ['cluster', 'box'],
      ['param', 'microbatches'],
      ['pipeline', 'train'],
      ['expect', 'train'],
    ]);
    const [model] = found;
    expect(model && slice(toy, model.selectionRange)).toBe('toy');
    expect(model && slice(toy, model.range)).toMatch(/^model toy \{[\s\S]*\}$/);
  });
});

test('the outline and formatting hold out in a broken file', async () => {
  await withClient(async (client) => {
    client.open(main, 'model { layer = }\npipeline p {\n let x = 1');
    const found = await client.request<DocumentSymbol[]>('textDocument/documentSymbol', document);
    expect(found.length).toBeGreaterThan(0);
    for (const documentSymbol of found) expect(documentSymbol.name).not.toBe('');
    expect(
      await client.request('textDocument/formatting', { ...document, options: { tabSize: 2, insertSpaces: true } }),
    ).toBeNull();
  });
});

test('blocks, comments and imports fold', async () => {
  const text =
    '// one\n// two\nimport "a.pipe"\nimport "b.pipe"\nmodel m {\n  layer a {\n    forward = 1ms\n  }\n}\ndevice d { memory = 1GiB }\n';
  await withClient(async (client) => {
    client.open(main, text);
    const found = await client.request<FoldingRange[]>('textDocument/foldingRange', document);
    const lines = found
      .map((foldingRange) => [foldingRange.startLine, foldingRange.endLine, foldingRange.kind])
      .toSorted((a, b) => Number(a[0]) - Number(b[0]));
    expect(lines).toEqual([
      [0, 1, 'comment'],
      [2, 3, 'imports'],
      [4, 7, undefined],
      [5, 6, undefined],
    ]);
  });
});

test('a selection grows from the word to the file', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const [found] = await client.request<SelectionRange[]>('textDocument/selectionRange', {
      ...document,
      positions: [positionAt(toy, toy.indexOf('4ms') + 1)],
    });
    const texts: string[] = [];
    for (let one: SelectionRange | undefined = found; one !== undefined; one = one.parent)
      texts.push(slice(toy, one.range));
    expect(texts.slice(0, 2)).toEqual(['4ms', 'forward = 4ms']);
    expect(texts).toContainEqual(expect.stringMatching(/^layer block\[8\] \{.*\}$/));
    expect(texts.at(-1)).toBe(toy);
    for (const [index, text] of texts.entries()) expect(texts[index + 1] ?? text).toContain(text);
  });
});

test('names are coloured by what they mean', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const { data } = await client.request<SemanticTokens>('textDocument/semanticTokens/full', document);
    const found = new Map<string, string>();
    let line = 0;
    let character = 0;
    for (let at = 0; at < data.length; at += 5) {
      const [lines = 0, characters = 0, length = 0, type = 0] = data.slice(at, at + 4);
      character = lines > 0 ? characters : character + characters;
      line += lines;
      const start = offsetOf(toy, { line, character });
      found.set(toy.slice(start, start + length), legend.tokenTypes[type] ?? '');
    }
    expect(found.get('model')).toBe('property');
    expect(found.get('device')).toBe('keyword');
    expect(found.get('toy')).toBe('class');
    expect(found.get('v100')).toBe('struct');
    expect(found.get('1f1b')).toBe('function');
    expect(found.get('forward')).toBe('property');
    const part = await client.request<SemanticTokens>('textDocument/semanticTokens/range', {
      ...document,
      range: { start: { line: 5, character: 0 }, end: { line: 5, character: 40 } },
    });
    expect(part.data.length).toBeGreaterThan(0);
    expect(part.data.length).toBeLessThan(data.length / 2);
  });
});

test('formatting edits give the formatter’s text and touch white space alone', async () => {
  const untidy = toy.replace('  model        = toy', 'model=   toy').replace('{ memory = 16GiB }', '{memory=16GiB}   ');
  await withClient(async (client) => {
    client.open(main, untidy);
    const edits = await client.request<TextEdit[]>('textDocument/formatting', {
      ...document,
      options: { tabSize: 2, insertSpaces: true },
    });
    const result = applyEdits(untidy, edits);
    expect(format(parse(untidy))).toEqual({ ok: true, text: result });
    for (const edit of edits) expect(slice(untidy, edit.range) + edit.newText).toMatch(/^\s*$/);
    client.change(main, result);
    expect(
      await client.request('textDocument/formatting', { ...document, options: { tabSize: 2, insertSpaces: true } }),
    ).toEqual([]);
    client.change(main, untidy);
    const line = untidy.slice(0, untidy.indexOf('{memory')).split('\n').length - 1;
    const part = await client.request<TextEdit[]>('textDocument/rangeFormatting', {
      ...document,
      range: { start: { line, character: 0 }, end: { line, character: 20 } },
      options: { tabSize: 2, insertSpaces: true },
    });
    expect(part.length).toBeGreaterThan(0);
    for (const textEdit of part) expect(textEdit.range.start.line).toBe(line);
  });
});

test('after an edit only the colours that changed are sent', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const ask = <R>(previousResultId: string) =>
      client.request<R>('textDocument/semanticTokens/full/delta', { ...document, previousResultId });
    const first = await client.request<SemanticTokens>('textDocument/semanticTokens/full', document);
    const again = await ask<SemanticTokensDelta>(first.resultId ?? '');
    expect(again.edits).toEqual([]);
    client.change(main, `// one more line\n${toy}`);
    const moved = await ask<SemanticTokensDelta>(again.resultId ?? '');
    const data = moved.edits.reduce(
      (before, { start, deleteCount, data: written = [] }) => before.toSpliced(start, deleteCount, ...written),
      first.data,
    );
    expect(moved.edits.reduce((sum, { data: written = [] }) => sum + written.length, 0)).toBeLessThan(10);
    const whole = await client.request<SemanticTokens>('textDocument/semanticTokens/full', document);
    expect(data).toEqual(whole.data);
    // What is not the last result is no beginning for a difference.
    expect(await ask<SemanticTokens>(first.resultId ?? '')).toMatchObject({ data: whole.data });
    client.close(main);
    client.open(main, toy);
    expect(await ask<SemanticTokens>(whole.resultId ?? '')).toMatchObject({ data: first.data });
  });
});

const options = { tabSize: 2, insertSpaces: true };

test('a block is formatted when its brace is typed, a line when it ends; what follows stays', async () => {
  const untidy = 'model m {\nlayer  a {   forward=1ms }\n}\ndevice  d {  memory=1GiB }\nlet  x=1\n';
  await withClient(async (client) => {
    const typed = async (text: string, ch: string, offset: number): Promise<string> => {
      client.open(main, text);
      const position = positionAt(text, offset);
      const edits = await client.request<TextEdit[] | null>('textDocument/onTypeFormatting', {
        ...{ ...document, position, ch, options },
      });
      client.close(main);
      return applyEdits(text, edits ?? []);
    };
    expect(await typed(untidy, '}', untidy.indexOf('}') + 1)).toBe(
      untidy.replace('layer  a {   forward=1ms }', '  layer a { forward = 1ms }'),
    );
    expect(await typed(untidy, '}', untidy.indexOf('}\nlet') + 1)).toBe(
      untidy.replace('device  d {  memory=1GiB }', 'device d { memory = 1GiB }'),
    );
    expect(await typed(untidy, '\n', untidy.length)).toBe(untidy.replace('let  x=1', 'let x = 1'));
    expect(await typed(untidy, '\n', 0)).toBe(untidy);
    expect(await typed(`${untidy}model {`, '\n', untidy.length)).toBe(`${untidy}model {`);
  });
});

test('several ranges are formatted at once', async () => {
  const untidy = 'let  a=1\nlet  b=1\nlet  c=1\n';
  await withClient(async (client) => {
    client.open(main, untidy);
    const ranges = [0, 2].map((line) => ({ start: { line, character: 4 }, end: { line, character: 8 } }));
    const edits = await client.request<TextEdit[]>('textDocument/rangesFormatting', { ...document, ranges, options });
    expect(applyEdits(untidy, edits)).toBe('let a = 1\nlet  b=1\nlet c = 1\n');
  });
});
