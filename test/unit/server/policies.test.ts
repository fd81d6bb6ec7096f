/** What the editor knows of every policy, its arguments and their words, and of the keys around it: all from the registry. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  CodeAction,
  CodeLens,
  Diagnostic,
  Hover,
  LocationLink,
  SemanticTokens,
  SignatureHelp,
} from 'vscode-languageserver';
import { policies } from '../../../engine/policies/registry.ts';
import { scheduleUri } from '../../../engine/std/index.ts';
import { applyEdits, type Client, positionAt, startClient, withClient } from '../../support/server.ts';
import { askIn, invoked, labelsOf, shownBy } from '../../support/asked.ts';

const file = (pipeline: string): string => `device gpu { memory = 16GiB }
cluster box { gpu[4] = gpu  link = 25GB/s + 5us }
model toy { layer block[8] { forward = 1ms  backward = 2ms  weights = 1MiB } }
pipeline train { model = toy  devices = box  microbatches = 8  ${pipeline} }
`;

const ask = <R>(client: Client, source: string, method: string): Promise<R> =>
  askIn(client, source, `textDocument/${method}`, invoked);

describe.each(policies.map((policy) => [policy.name, policy] as const))('%s', (name, policy) => {
  test('hover says what it does and leads to its page, definition leads to its text', async () => {
    await withClient(async (client) => {
      const hover = shownBy(await ask<Hover | null>(client, file(`schedule = $0${name}`), 'hover'));
      expect(hover).toContain(policy.summary.slice(0, 40));
      expect(hover).toContain(`schedules/${policy.page}.md`);
      const [link] = (await ask<LocationLink[] | null>(client, file(`schedule = $0${name}`), 'definition')) ?? [];
      const written = scheduleUri(name) !== undefined;
      expect(link?.targetUri).toBe(`pipewright-policy:/${written ? 'std/schedules/' : ''}${name}.pipe`);
      const source = await client.request<{ readonly text: string }>('workspace/textDocumentContent', {
        uri: link?.targetUri,
      });
      if (!written) expect(source.text).toContain(policy.summary.slice(0, 30));
      if (written) expect(source.text).toContain(`schedule ${name} {`);
      const page = new URL(`../../../docs/schedules/${policy.page}.md`, import.meta.url);
      expect(existsSync(page)).toBe(true);
    });
  });

  test('completion and signature help know its name, its arguments and their words', async () => {
    await withClient(async (client) => {
      expect(labelsOf(await ask(client, file('schedule = $0'), 'completion'))).toContain(name);
      const help = await ask<SignatureHelp | null>(client, file(`schedule = ${name}($0)`), 'signatureHelp');
      const offered = labelsOf(await ask(client, file(`schedule = ${name}($0)`), 'completion'));
      for (const parameter of policy.parameters) {
        expect(help?.signatures[0]?.label).toContain(parameter.name);
        expect(offered).toContain(parameter.name);
        const argument = shownBy(
          await ask<Hover | null>(client, file(`schedule = ${name}($0${parameter.name} = 1)`), 'hover'),
        );
        expect(argument).toContain(parameter.summary.slice(0, 30));
        if (parameter.words === undefined) continue;
        const words = labelsOf(await ask(client, file(`schedule = ${name}(${parameter.name} = $0)`), 'completion'));
        expect(words).toEqual(expect.arrayContaining([...parameter.words]));
      }
    });
  });
});

test('keys of pipelines and stages, and their words', async () => {
  const offers: readonly (readonly [string, readonly string[]])[] = [
    ['$0', ['transfer', 'iterations', 'fill', 'fill_overhead', 'recompute']],
    ['transfer = $0', ['buffered', 'rendezvous']],
    ['transfer = rendezvous($0)', ['batched']],
    ['transfer = rendezvous(batched = $0)', ['true', 'false', 'all']],
    ['recompute = $0', ['none', 'selective', 'full', 'stage']],
    ['stage all { $0 }', ['layers', 'on', 'replicate', 'recompute']],
    ['stage all { replicate = $0 }', ['split', 'round_robin']],
    ['stage all { recompute = $0 }', ['none', 'full', 'stage']],
  ];
  await withClient(async (client) => {
    for (const [written, words] of offers)
      expect(labelsOf(await ask(client, file(written), 'completion')), written).toEqual(
        expect.arrayContaining([...words]),
      );
    for (const key of ['transfer', 'iterations', 'fill', 'fill_overhead', 'recompute'])
      expect(shownBy(await ask<Hover | null>(client, file(`$0${key} = 1`), 'hover')), key).not.toBe('');
  });
});

const folder = new URL('../../../examples/systems/', import.meta.url);
const examples = readdirSync(folder).filter((name) => name.endsWith('.pipe'));

/** Which number of an example becomes which. */
const changes: readonly (readonly [at: number, other: string])[] = [
  [0, '0'],
  [0, '3'],
  [0, '1000000000'],
  [1, '3'],
];
/** Examples that are changed: a change simulates dozens of texts, and what fixes do to any example is tried without a server. */
const changed = examples.filter((_, at) => at % 10 === 5);

// All examples have one server: each server starts threads, which takes longer than most of the tests.
let client: Client;
beforeAll(async () => {
  client = await startClient({ folders: [new URL('..', folder).href] });
});
afterAll(() => client.stop());

/** Text and address of an example: some read profiles next to their folder. */
function opened(name: string) {
  const url = new URL(name, folder);
  return { text: readFileSync(url, 'utf8'), uri: url.href };
}

const keysOf = (text: string): readonly RegExpExecArray[] => [...text.matchAll(/^ {2}(\w+) += /gm)];
const known = new Set<string>();
/** Examples with a key, or a kind of block, that no earlier one has. */
const telling = examples.filter((name) => {
  const { text } = opened(name);
  const words = [...keysOf(text), ...text.matchAll(/^(\w+) \w+ \{/gm)].map(([, word]) => word);
  return words.filter((word) => known.size < known.add(word).size).length > 0;
});

describe.each(telling)('examples/systems/%s', (name) => {
  const { text, uri } = opened(name);
  const document = { textDocument: { uri } };

  test('every pipeline and job has a lens with its figures, every key a hover, every token a kind', async () => {
    client.open(uri, text);
    try {
      const lenses = await client.request<CodeLens[]>('textDocument/codeLens', document);
      const declared = [...text.matchAll(/^(pipeline|job) \w+ \{/gm)].map((match) => match.index);
      expect(lenses.map(({ range }) => range.start.line).toSorted((a, b) => a - b)).toEqual(
        declared.map((offset) => positionAt(text, offset).line),
      );
      for (const { command } of lenses)
        expect(command?.title).toMatch(
          /^(iteration|period) [^·]+ · bubble |samples\/s · staleness (\d+ of|[\d.]+,) at most \d+ · /,
        );
      const { data } = await client.request<SemanticTokens>('textDocument/semanticTokens/full', document);
      expect(data.length).toBeGreaterThan(0);
      for (const offset of keysOf(text).map(({ index }) => index + 2)) {
        const hover = await client.request<Hover | null>('textDocument/hover', {
          ...document,
          position: positionAt(text, offset),
        });
        expect(hover, text.slice(offset, offset + 40)).not.toBeNull();
      }
      expect(client.errors).toEqual([]);
    } finally {
      client.close(uri);
    }
  });
});

test.each(changed)(
  'every action on a finding of %s with another number changes the text',
  async (name) => {
    const { text, uri } = opened(name);
    const [at, other] = changes[changed.indexOf(name) % changes.length];
    const found = [...text.matchAll(/(?<== )\d+(?=[\s,)])/g)].slice(0, 2).at(at === 0 ? 0 : -1);
    if (found === undefined) throw new Error(`${name} has no number`);
    const edited = text.slice(0, found.index) + other + text.slice(found.index + found[0].length);
    client.open(uri, edited);
    const { diagnostics } = await client.diagnostics(uri);
    for (const diagnostic of diagnostics.slice(0, 1)) await actions(client, { uri, text: edited }, diagnostic);
    client.close(uri);
    expect(client.errors).toEqual([]);
  },
  180_000,
);

async function actions(
  client: Client,
  { uri, text }: { readonly uri: string; readonly text: string },
  diagnostic: Diagnostic,
): Promise<void> {
  const offered = await client.request<CodeAction[] | null>('textDocument/codeAction', {
    textDocument: { uri },
    range: diagnostic.range,
    context: { diagnostics: [diagnostic], only: ['quickfix'] },
  });
  for (const action of offered ?? []) {
    const edits = (action.edit?.documentChanges ?? []).flatMap((documentChange) =>
      'edits' in documentChange ? documentChange.edits : [],
    );
    const own = action.edit?.changes?.[uri] ?? edits;
    expect(action.title).not.toMatch(/NaN|undefined/);
    expect(applyEdits(text, own as never)).not.toBe(text);
  }
}
