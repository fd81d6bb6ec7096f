import { expect, test, vi } from 'vitest';
import { marked } from 'marked';
import type { CodeAction, CodeLens, Hover, InlayHint, MarkupContent } from 'vscode-languageserver';
import { rasterise } from '../../../platform/node/raster.ts';
import { analyse } from '../../support/analyse.ts';
import { applyEdits, main, offsetOf, positionAt, withClient } from '../../support/server.ts';
import { staged, toy } from './samples.ts';
import { patience } from '../../host/patience.ts';

const document = { textDocument: { uri: main } };
const whole = (text: string) => ({ start: { line: 0, character: 0 }, end: positionAt(text, text.length) });

test('the lens of a pipeline has its figures and opens the preview', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const [lens, ...others] = await client.request<CodeLens[]>('textDocument/codeLens', document);
    expect(others).toEqual([]);
    // (m + p − 1)(F + B) = 11 · 24 ms, idle (p − 1) / (m + p − 1) = 3 / 11; 2 layers: 4 in flight · 1 GiB + 2 · 512 MiB.
    expect(lens?.command?.title).toBe('iteration 264 ms · bubble 27.3 % · peak 5 GiB of 16 GiB');
    expect(lens?.command?.command).toBe('pipewright.openPreview');
    expect(lens?.command?.arguments).toEqual([main, 'train']);
    expect(toy.split('\n')[lens?.range.start.line ?? 0]).toMatch(/^pipeline train/);
  });
});

const previews = { initialization: { previews: true } };

test('an editor with previews also gets lenses to preview, compare and export', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const lenses = await client.request<CodeLens[]>('textDocument/codeLens', document);
    expect(lenses.map(({ command }) => [command?.title, command?.command])).toEqual([
      ['iteration 264 ms · bubble 27.3 % · peak 5 GiB of 16 GiB', 'pipewright.openPreview'],
      ['Preview', 'pipewright.openPreview'],
      ['Compare', 'pipewright.compare'],
      ['Export', 'pipewright.exportTimeline'],
      ['Shorter order', 'pipewright.findOrder'],
    ]);
    for (const { command } of lenses) expect(command?.arguments).toEqual([main, 'train']);
  }, previews);
});

test('no shorter order is offered where it is proven that there is none', async () => {
  await withClient(async (client) => {
    client.open(main, toy.replace('= 1f1b', '= zb_h1'));
    const lenses = await client.request<CodeLens[]>('textDocument/codeLens', document);
    expect(lenses.map(({ command }) => command?.title)).not.toContain('Shorter order');
  }, previews);
});

test('the hover of a pipeline and of its schedule has a timeline, for editors that show pictures', async () => {
  const text = toy.replace(
    'pipeline train',
    '/// ![x](data:image/png;base64,AAAA) ![y](https://evil.example/y.png)\npipeline train',
  );
  for (const [options, count] of [
    [previews, 1],
    [{}, 0],
  ] as const)
    await withClient(async (client) => {
      client.open(main, text);
      for (const word of ['train', '1f1b']) {
        const hover = await client.request<Hover>('textDocument/hover', {
          ...document,
          position: positionAt(text, text.indexOf(word, text.indexOf('pipeline train'))),
        });
        const { value } = hover.contents as MarkupContent;
        expect(value).toContain('iteration 264 ms');
        const pictures = [...marked.parse(value, { async: false }).matchAll(/<img src="([^"]*)"/g)].map(
          ([, src]) => src,
        );
        expect(pictures).toHaveLength(count);
        for (const picture of pictures) {
          const svg = Buffer.from(picture.replace('data:image/svg+xml;base64,', ''), 'base64').toString();
          await rasterise({ svg, scale: 1 });
          expect(svg.match(/<image /g)).toHaveLength(4);
          // Editors cut off hovers of more than 100,000 characters.
          expect(value.length).toBeLessThan(100_000);
        }
      }
    }, options);
});

test('what the engine derived stands in the text as hints', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const hints = await client.request<InlayHint[]>('textDocument/inlayHint', { ...document, range: whole(toy) });
    const cut = hints.find((hint) => offsetOf(toy, hint.position) === toy.indexOf('balance(4)') + 'balance(4)'.length);
    expect(cut?.label).toBe('4 × 2 layers');
    const none = await client.request<InlayHint[]>('textDocument/inlayHint', {
      ...document,
      range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
    });
    expect(none).toEqual([]);
  });
});

test('an editor that asks for the text over a hint gets it then, as long as the hint stands there', async () => {
  const text = toy.replace('balance(4)', 'plan(dapple)');
  const inlayHint = { resolveSupport: { properties: ['tooltip'] } };
  await withClient(
    async (client) => {
      client.open(main, text);
      const hints = await client.request<InlayHint[]>('textDocument/inlayHint', { ...document, range: whole(text) });
      expect(hints.filter(({ tooltip }) => tooltip !== undefined)).toEqual([]);
      const at = text.indexOf('plan(dapple)') + 'plan(dapple)'.length;
      const plan = hints.find((hint) => offsetOf(text, hint.position) === at);
      const resolved = await client.request<InlayHint>('inlayHint/resolve', plan);
      expect(resolved).toMatchObject({ label: plan?.label, position: plan?.position });
      expect(resolved.tooltip).toMatch(/^Planned [^]*\nSimulated /);
      // Another hint at the place, and none.
      const changed = { ...plan, label: '1 stage' };
      expect(await client.request('inlayHint/resolve', changed)).toEqual(changed);
      client.change(main, text.replace('plan(dapple)', 'balance(4)'));
      expect(await client.request('inlayHint/resolve', plan)).toEqual(plan);
      // Without an address, as of another server.
      const other = { position: { line: 0, character: 0 }, label: 'other' };
      expect(await client.request('inlayHint/resolve', other)).toEqual(other);
    },
    { capabilities: { textDocument: { inlayHint } } },
  );
});

test.each([
  ['plan(dapple)', '1f1b', 'layers × replicas'],
  ['plan(alpa)', '1f1b', 'layers × devices'],
  ['plan(hetpipe)', 'pipedream', 'layers and device'],
])('behind %s stands what the planner says, and what the simulation makes of it', async (stages, schedule, words) => {
  const text = toy.replace('balance(4)', stages).replace('= 1f1b', `= ${schedule}`);
  await withClient(async (client) => {
    client.open(main, text);
    const hints = await client.request<InlayHint[]>('textDocument/inlayHint', { ...document, range: whole(text) });
    const at = text.indexOf(stages) + stages.length;
    const plan = hints.find((hint) => offsetOf(text, hint.position) === at);
    // Editors cut off what is longer than 43 characters.
    expect(plan?.label).toMatch(/^\d stages?: [\dlayers ×,…]{3,32}$/);
    expect(plan?.tooltip).toMatch(/^Planned [\d.]+ \S+, with [^]*\nSimulated [\d.]+ \S+\.$/);
    expect(plan?.tooltip).toContain(`, with ${words} of each stage: `);
  });
});

async function actionsAt(text: string, place: string, only?: readonly string[]): Promise<readonly CodeAction[]> {
  let found: readonly CodeAction[] = [];
  await withClient(async (client) => {
    client.open(main, text);
    const at = positionAt(text, text.indexOf(place));
    found =
      (await client.request<CodeAction[] | null>('textDocument/codeAction', {
        ...document,
        range: { start: at, end: at },
        context: { diagnostics: [], only },
      })) ?? [];
  });
  return found;
}

function applied(text: string, action: CodeAction): string {
  const [change] = action.edit?.documentChanges ?? [];
  const edits = change !== undefined && 'edits' in change ? change.edits : [];
  return applyEdits(
    text,
    edits.flatMap((edit) => ('newText' in edit ? [edit] : [])),
  );
}

test('a wrong spelling is mended by its fix', async () => {
  const text = toy.replace('= 1f1b', '= 1f1bb');
  const [fix] = await actionsAt(text, '1f1bb');
  expect(fix?.kind).toBe('quickfix');
  expect(fix?.diagnostics?.[0]?.code).toBe('name/unknown');
  expect(fix && applied(text, fix)).toBe(toy);
  expect(await actionsAt(text, '1f1bb', ['refactor'])).toEqual([]);
  expect((await actionsAt(text, '1f1bb', ['quickfix'])).length).toBeGreaterThan(0);
});

test('the balanced cut is written out by a refactoring that keeps every figure', async () => {
  const [action] = (await actionsAt(toy, 'balance(4)', ['refactor.rewrite'])).filter(
    (codeAction) => codeAction.kind === 'refactor.rewrite',
  );
  const after = analyse(action === undefined ? '' : applied(toy, action));
  const before = analyse(toy);
  expect(after.findings.filter((finding) => finding.severity === 'error')).toEqual([]);
  expect(after.syntax.text).toContain('stage ');
  expect(after.pipelines[0]?.run?.timeline.makespan).toBe(before.pipelines[0]?.run?.timeline.makespan);
});

test('nothing is offered where nothing is wrong', async () => {
  expect(await actionsAt(staged, 'card', ['quickfix'])).toEqual([]);
});

test('all unused names go at once, and all spellings where the editor asks to fix all', async () => {
  const unused = `${toy}let spare = 1\nlet other = 2\n`;
  const actions = await actionsAt(unused, 'spare', ['quickfix']);
  const every = actions.find(({ title }) => title === 'Fix all 2 findings of name/unused');
  expect(every && applied(unused, every)).toBe(toy);
  const misspelt = toy.replace('= 1f1b', '= 1f1bb').replace('= toy', '= toyy');
  const [fix, ...others] = await actionsAt(misspelt, 'model', ['source.fixAll']);
  expect(others).toEqual([]);
  expect(fix.kind).toBe('source.fixAll');
  expect(applied(misspelt, fix)).toBe(toy);
  // Plans are changed one by one, and removing an unused name is no correction to make on saving.
  expect(await actionsAt(unused, 'spare', ['source.fixAll'])).toEqual([]);
});

const refreshing = { capabilities: { workspace: { codeLens: { refreshSupport: true } } } };
const refreshesOf = ({ asked }: { readonly asked: readonly string[] }) =>
  asked.filter((method) => method === 'workspace/codeLens/refresh').length;

test('lenses are asked for again when figures have moved, not after an edit that moves none', async () => {
  await withClient(async (client) => {
    // A request makes the round after the one of the refresh, so that this has arrived.
    const settled = async () => {
      await client.diagnostics(main);
      await client.request('textDocument/codeLens', document);
    };
    client.open(main, toy);
    await settled();
    client.change(main, `${toy}// More.\n`);
    await settled();
    expect(refreshesOf(client)).toBe(0);
    client.change(main, toy.replace('16GiB', '3GiB'));
    await settled();
    await vi.waitFor(() => expect(refreshesOf(client)).toBe(1));
  }, refreshing);
});

test('documents that the editor does not show, and so does not ask about again, cause no refresh', async () => {
  await withClient(async (client) => {
    const hardware = 'file:///project/shared.pipe';
    const shared = (memory: number) => `device v100 { memory = ${memory}GiB }\n`;
    const user = `import { v100 } from "shared.pipe"\n${toy.replace(shared(16), '')}`;
    const uris = Array.from({ length: 6 }, (_, index) => `file:///project/plan${index}.pipe`);
    const lens = async (uri: string) =>
      (await client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri } }))[0]?.command?.title;
    client.open(hardware, shared(16));
    for (const uri of uris) client.open(uri, user);
    /** The server sends no more refreshes for what is done by now. */
    const refreshed = () => new Promise((resolve) => setTimeout(resolve, 1_200));
    // Each was shown once.
    for (const uri of uris) expect(await lens(uri)).toContain('of 16 GiB');
    // The first one stays: each change of what it imports ends in a refresh, after which the editor asks about it alone.
    let memory = 16;
    const change = async () => {
      const before = refreshesOf(client);
      memory += 1;
      client.change(hardware, shared(memory));
      await vi.waitFor(() => expect(refreshesOf(client)).toBeGreaterThan(before), { timeout: patience(5_000) });
      expect(await lens(uris[0] ?? '')).toContain(`of ${memory} GiB`);
    };
    for (let round = 0; round < 3; round += 1) await change();
    await refreshed();
    // Now nothing is shown: other requests know the new figures, and no refresh says so.
    client.close(uris[0] ?? '');
    const before = refreshesOf(client);
    client.change(hardware, shared(99));
    for (const uri of uris.slice(1)) {
      const found = await client.request<Hover>('textDocument/hover', {
        textDocument: { uri },
        position: positionAt(user, user.indexOf('v100', 40)),
      });
      expect((found.contents as MarkupContent).value).toContain('99 GiB');
    }
    await refreshed();
    expect(refreshesOf(client)).toBe(before);
  }, refreshing);
});

test('one refresh counts for all documents that are done together, and the last comes after the last of them', async () => {
  await withClient(async (client) => {
    const shared = (memory: string) => `device v100 { memory = ${memory} }\n`;
    const uris = Array.from({ length: 28 }, (_, index) => `file:///project/plan${index}.pipe`);
    client.open('file:///project/shared.pipe', shared('16GiB'));
    const user = `import { v100 } from "shared.pipe"\n${toy.replace(shared('16GiB'), '')}`;
    for (const uri of uris) client.open(uri, user);
    const titles = async () => {
      const lenses = uris.map((uri) => client.request<CodeLens[]>('textDocument/codeLens', { textDocument: { uri } }));
      return (await Promise.all(lenses)).map(([lens]) => lens?.command?.title);
    };
    expect(new Set(await titles())).toEqual(new Set(['iteration 264 ms · bubble 27.3 % · peak 5 GiB of 16 GiB']));
    const before = client.asked.length;
    const started = performance.now();
    client.change('file:///project/shared.pipe', shared('40GiB'));
    expect(new Set(await titles())).toEqual(new Set(['iteration 264 ms · bubble 27.3 % · peak 5 GiB of 40 GiB']));
    const done = client.asked.length;
    await vi.waitFor(() => expect(client.asked.length).toBeGreaterThan(done), { timeout: patience(5_000) });
    // There is one a second at most, and a busy machine takes many for all documents: then it says nothing of their bundling.
    const seconds = (performance.now() - started) / 1000;
    expect(client.asked.length - before).toBeLessThan(Math.max(uris.length / 2, 4 * seconds));
  }, refreshing);
});

test('lenses of one pipeline say nothing of another that is still searched', async () => {
  await withClient(async (client) => {
    const hunt = /pipeline train \{[^}]*\}/.exec(toy)?.[0] ?? '';
    const searched = hunt.replace('train', 'hunt').replace(/= 1f1b\S*/, '= search(effort = 20)');
    const text = `${toy}${searched.replace(/microbatches\s*= \S+/, 'microbatches = 48')}\n`;
    client.open(main, text);
    const titles = async () =>
      (await client.request<CodeLens[]>('textDocument/codeLens', document)).map(({ command }) => command?.title);
    const known = await titles();
    expect(known).toContain('iteration 264 ms · bubble 27.3 % · peak 5 GiB of 16 GiB');
    // Whether the search has ended or not, no lens says that there is no timeline.
    expect(known.filter((title) => title?.startsWith('iteration') !== true)).toEqual([]);
  }, refreshing);
}, 90_000);
