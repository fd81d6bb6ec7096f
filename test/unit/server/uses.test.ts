import type { Location } from 'vscode-languageserver';
import { expect, test } from 'vitest';
import { check } from '../../../engine/flow/check.ts';
import { defaultOptions as options } from '../../../engine/basics/host.ts';
import { noSearches } from '../../../engine/basics/searches.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import type { SymbolInfo } from '../../../engine/language/resolution.ts';
import { resolve } from '../../../engine/flow/resolve.ts';
import { LineIndex, parse } from '../../../grammar/index.ts';
import { createNameIndex, type NameIndex, readSteps } from '../../../server/names/fileNames.ts';
import { usesOf } from '../../../server/names/uses.ts';
import type { Files, View } from '../../../server/view.ts';
import { folder, hostOf, noLines } from '../../support/host.ts';
import * as fc from '../../support/property.ts';
import { main, positionAt, withClient } from '../../support/server.ts';

/** Files that a test writes. */
function writable(texts: Record<string, string>): Files & { readonly texts: Record<string, string> } {
  return {
    texts,
    resolve: (path, from) => new URL(path, from).href,
    read: (uri) => hostOf(texts).read(uri),
    ...noLines,
    list: () => [],
    all: () => Object.keys(texts).map((name) => folder + name),
  };
}

function viewOf(files: ReturnType<typeof writable>, name: string): View {
  const text = files.texts[name] ?? '';
  const uri = folder + name;
  const analysis = check({ uri, text, host: files, options, searches: noSearches });
  return { uri, version: 1, syntax: analysis.syntax, lines: new LineIndex(text), analysis, files, options };
}

/** Every use, `FILE:OFFSET` in order. */
const found = (index: NameIndex, view: View, symbol: SymbolInfo): readonly string[] =>
  toEnd(usesOf(index, view, symbol))
    .flatMap(({ uri, places }) => places.map(({ start }) => `${uri}:${start}`))
    .toSorted();

/** The same without an index: each file is read whole, and its names are compared one by one. */
function fromScratch(files: ReturnType<typeof writable>, view: View, symbol: SymbolInfo): readonly string[] {
  const declared = symbol.replaces ?? symbol.declaration;
  const uris = declared === undefined ? [view.uri] : Object.keys(files.texts).map((name) => folder + name);
  return uris
    .flatMap((uri) => {
      const syntax = parse(files.texts[uri.slice(folder.length)] ?? '');
      const { symbols, references } = resolve({ uri, syntax, host: files, options, searches: noSearches }).symbols;
      return references.flatMap(({ place, symbol: id }) => {
        const other = symbols.get(id);
        const there = other?.replaces ?? other?.declaration;
        const isSame =
          declared === undefined ? id === symbol.id : there?.uri === declared.uri && there.start === declared.start;
        return isSame ? [`${place.uri}:${place.start}`] : [];
      });
    })
    .toSorted();
}

const names = ['a.pipe', 'b.pipe', 'c.pipe', 'd.pipe'] as const;
const file = fc.constantFrom(...names);
const word = fc.constantFrom('size', 'other', 'card');
const line = fc.oneof(
  fc.tuple(word, file).map(([name, path]) => `import { ${name} } from "${path}"`),
  file.map((path) => `import "${path}"`),
  fc.tuple(file, word).map(([path, name]) => `import "${path}" with { ${name} = 3 }`),
  fc.constant('import "std:hardware"'),
  word.map((name) => `param ${name} = 4 in 1..9`),
  fc.tuple(word, word).map(([name, used]) => `let ${name} = ${used} * 2`),
  word.map((name) => `device ${name} { memory = 80GiB }`),
  word.map((name) => `cluster rack { gpu[2] = ${name}  link = 1GB/s }`),
  word.map((name) => `model toy { layer block[${name}] { forward = 1ms } }`),
  word.map((name) => `schedule mine { from = zb_h1  let ${name} = 1  row(0) = F[0..<warm(0)], W[${name}] }`),
  word.map((name) => `schedule yours { from = mine  row(1) = F[0..warm(1)], B[${name}] }`),
  fc.constant('pipeline p { model = toy  devices = rack  microbatches = size  stage first { layers = block } }'),
);
const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'));
const edits = fc.array(fc.record({ name: file, text: fc.option(text) }), { minLength: 1, maxLength: 12 });

/** A name that three files use, each through another. */
const shared: { name: (typeof names)[number]; text: string }[] = [
  { name: 'a.pipe', text: 'param size = 4 in 1..9' },
  { name: 'b.pipe', text: 'import { size } from "a.pipe"' },
  { name: 'c.pipe', text: 'import "a.pipe" with { size = 3 }' },
  { name: 'd.pipe', text: 'import "a.pipe"\nlet other = size * 2' },
];

test('uses are the same as from scratch, after any edits of any files', () => {
  let most = 0;
  fc.assert(
    fc.property(edits, (all) => {
      const files = writable({});
      const index = createNameIndex();
      for (const edit of all) {
        if (edit.text === null) delete files.texts[edit.name];
        else files.texts[edit.name] = edit.text;
        for (const name of Object.keys(files.texts)) {
          const view = viewOf(files, name);
          const used = new Set(view.analysis.resolution.symbols.references.map(({ symbol }) => symbol));
          for (const symbol of view.analysis.resolution.symbols.symbols.values()) {
            if (!used.has(symbol.id)) continue;
            const uses = found(index, view, symbol);
            expect(uses, `${symbol.id} of ${name}`).toEqual(fromScratch(files, view, symbol));
            most = Math.max(most, new Set(uses.map((use) => use.split('.pipe')[0])).size);
          }
        }
      }
    }),
    { numRuns: 12, examples: [[shared]] },
  );
  // Names that several files use were among them.
  expect(most).toBe(4);
});

const library = 'param size = 4 in 1..9\n';
const user = 'import "library.pipe"\nlet twice = size * 2\n';
/** Where it uses the param. */
const used = user.indexOf('size');

/** An index that notes whose names it reads. */
function counted(): { readonly index: NameIndex; taken(): readonly string[] } {
  let read: string[] = [];
  const index = createNameIndex(function* (uri, ...rest) {
    read.push(uri.slice(folder.length));
    return yield* readSteps(uri, ...rest);
  });
  return {
    index,
    taken() {
      const taken = read;
      read = [];
      return taken;
    },
  };
}

test('a file is read once, and again when its text, an imported text or the options change', () => {
  const files = writable({ 'library.pipe': library, 'user.pipe': user, 'alone.pipe': 'let size = 1\n' });
  const { index, taken } = counted();
  const ask = (asked = viewOf(files, 'library.pipe')) => {
    const size = [...asked.analysis.resolution.symbols.symbols.values()].find(({ name }) => name === 'size');
    expect(size && found(index, asked, size)).toEqual([`${folder}library.pipe:6`, `${folder}user.pipe:${used}`]);
    return taken();
  };
  expect(ask()).toEqual(['user.pipe', 'alone.pipe']);
  expect(ask()).toEqual([]);
  files.texts['alone.pipe'] += 'let more = 2\n';
  expect(ask()).toEqual(['alone.pipe']);
  files.texts['library.pipe'] += 'let more = 2\n';
  expect(ask()).toEqual(['user.pipe']);
  // A file that does not spell the name is not looked into.
  files.texts['new.pipe'] = 'import "library.pipe"\n';
  expect(ask()).toEqual([]);
  expect(ask({ ...viewOf(files, 'library.pipe'), options: { ...options } })).toEqual(['user.pipe', 'alone.pipe']);
});

test('an import of a file that is written later', () => {
  const files = writable({ 'a.pipe': 'import "late.pipe"\nlet twice = size\n' });
  const { index, taken } = counted();
  const view = viewOf(files, 'a.pipe');
  const twice = view.analysis.resolution.symbols.symbols.get('let:twice');
  expect(twice && found(index, view, twice)).toHaveLength(1);
  files.texts['late.pipe'] = library;
  const late = viewOf(files, 'late.pipe');
  const size = late.analysis.resolution.symbols.symbols.get('param:size');
  expect(size && found(index, late, size)).toEqual([
    `${folder}a.pipe:${files.texts['a.pipe'].indexOf('size')}`,
    `${folder}late.pipe:6`,
  ]);
  expect(taken()).toEqual(['a.pipe']);
});

test('names of files that are gone are forgotten', () => {
  const files = writable({ 'library.pipe': library, 'user.pipe': user });
  const { index, taken } = counted();
  const view = viewOf(files, 'library.pipe');
  const size = view.analysis.resolution.symbols.symbols.get('param:size');
  if (size === undefined) throw new Error('There is no param.');
  found(index, view, size);
  delete files.texts['user.pipe'];
  expect(found(index, view, size)).toHaveLength(1);
  files.texts['user.pipe'] = user;
  taken();
  expect(found(index, view, size)).toHaveLength(2);
  expect(taken()).toEqual(['user.pipe']);
});

test('a file that changes while uses are looked for is read again', () => {
  const files = writable({ 'library.pipe': library, 'user.pipe': user, 'last.pipe': user });
  const view = viewOf(files, 'library.pipe');
  const size = view.analysis.resolution.symbols.symbols.get('param:size');
  if (size === undefined) throw new Error('There is no param.');
  const { index, taken } = counted();
  const steps = usesOf(index, view, size);
  const read: string[] = [];
  while (!read.includes('last.pipe')) {
    steps.next();
    read.push(...taken());
  }
  files.texts['user.pipe'] = `// One line more.\n${user}`;
  const uses = toEnd(steps);
  expect(uses.map(({ uri, places }) => [uri.slice(folder.length), places[0]?.start])).toEqual([
    ['library.pipe', 6],
    ['user.pipe', used + '// One line more.\n'.length],
    ['last.pipe', used],
  ]);
  expect(taken()).toEqual(['user.pipe']);
});

test('other requests are answered while many files are read, and an edit ends the search', async () => {
  const many = Array.from({ length: 400 }, (_, at) => `${folder}file${at}.pipe`);
  const content = `import "main.pipe"\n${'let twice = size * 2\n'.repeat(50)}`;
  let read = 0;
  const files = (workspace: Files): Files => ({
    ...workspace,
    read(uri) {
      if (!many.includes(uri)) return workspace.read(uri);
      read += 1;
      return { text: content };
    },
    all: () => [main, ...many],
  });
  await withClient(
    async (client) => {
      client.open(main, library);
      await client.diagnostics(main);
      const done: string[] = [];
      const asked = { textDocument: { uri: main }, position: positionAt(library, 6), context: {} };
      const ask = () => client.request<Location[] | null>('textDocument/references', asked);
      const uses = ask().finally(() => done.push('references'));
      await client.request('textDocument/documentSymbol', asked).then(() => done.push('symbols'));
      expect(read).toBeLessThan(many.length);
      expect(await uses).toHaveLength(50 * many.length);
      expect(done).toEqual(['symbols', 'references']);
      // An edit ends it.
      client.change(main, `${library}// More.\n`);
      await client.diagnostics(main);
      read = 0;
      const given = ask();
      client.change(main, library);
      expect(await given).toBeNull();
      expect(read).toBeLessThan(many.length);
    },
    { files },
  );
});
