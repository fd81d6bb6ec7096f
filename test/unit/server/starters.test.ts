/** The pipeline that a preview offers for a file without one. */
import { expect, test, vi } from 'vitest';
import { CancellationToken } from 'vscode-languageserver';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { directSearches } from '../../../engine/basics/searches.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { check } from '../../../engine/flow/check.ts';
import { LineIndex } from '../../../grammar/index.ts';
import { createStarters } from '../../../server/searches/starters.ts';
import type { View } from '../../../server/view.ts';
import type { PlanAnswer } from '../../../webview/protocol/requests.ts';
import { patience } from '../../host/patience.ts';
import { hostOf, noLines } from '../../support/host.ts';
import { type Client, main, withClient } from '../../support/server.ts';

const on = (model: string, rest = '') =>
  `import { ${model} } from "std:models"\nimport { dgx_h100 } from "std:clusters"\n${rest}`;

const titleOf = async (client: Client, asked: object = {}): Promise<string | undefined> =>
  (await client.request<PlanAnswer>('pipewright/plan', { uri: main, ...asked })).contents?.addition?.title;

const whole = { whole: true };

/** Notifications that a preview asks again for. */
const changes = (client: Client): number =>
  client.notifications.filter(({ method }) => method === 'pipewright/planChanged').length;

/** The same once the text is checked: the answer to a request comes behind what a check announces. */
async function settled(client: Client): Promise<number> {
  await client.diagnostics(main);
  await client.request('pipewright/planned', { uri: main });
  return changes(client);
}

async function untilChanged(client: Client, before: number): Promise<void> {
  await vi.waitFor(() => expect(changes(client)).toBeGreaterThan(before), { timeout: patience(20_000) });
}

const small = 'Add a pipeline of llama3_8b on dgx_h100';
const large = 'Add a pipeline of llama3_1_405b on dgx_h100, which needs 16 nodes';

test('a page does not wait for the pipeline, and hears of it once it is found', async () => {
  await withClient(async (client) => {
    client.open(main, on('llama3_1_405b'));
    const before = await settled(client);
    const first = await titleOf(client);
    if (first === undefined) await untilChanged(client, before);
    expect(await titleOf(client)).toBe(large);
    expect(client.errors).toEqual([]);
  });
});

test('a page hears of another pipeline after an edit that needs one, and of none that it has', async () => {
  await withClient(async (client) => {
    client.open(main, on('llama3_8b'));
    expect(await titleOf(client, whole)).toBe(small);
    const before = changes(client);
    client.change(main, on('llama3_8b', '// A comment.\n'));
    expect(await titleOf(client, whole)).toBe(small);
    expect(changes(client)).toBe(before);
    // The plan has no pipeline still: only what can be added is new.
    client.change(main, on('llama3_1_405b'));
    await untilChanged(client, before);
    expect(await titleOf(client)).toBe(large);
    expect(changes(client)).toBe(before + 1);
  });
});

test('an addition that is asked for right after an edit is of the newest text', async () => {
  await withClient(async (client) => {
    for (const [index, [model, title]] of [
      ['llama3_8b', small],
      ['llama3_1_405b', large],
    ].entries()) {
      if (index === 0) client.open(main, on(model));
      else client.change(main, on(model));
      const answer = await client.request<PlanAnswer>('pipewright/plan', { uri: main, whole: true });
      expect(answer.contents?.addition?.title).toBe(title);
      expect(answer.version).toBe(client.version(main));
    }
  });
});

test('a search ends with its text, and a document that nobody asks about has none', async () => {
  await withClient(async (client) => {
    client.open(main, on('llama3_1_405b'));
    // Nobody waits for it any more.
    const first = titleOf(client, whole);
    client.change(main, on('llama3_8b', 'pipeline mine { model = llama3_8b  devices = dgx_h100 }\n'));
    expect([undefined, large]).toContain(await first);
    await client.diagnostics(main);
    expect(await titleOf(client, whole)).toBeUndefined();
    client.close(main);
    client.open(main, on('llama3_1_405b'));
    const before = await settled(client);
    client.change(main, on('llama3_1_405b', '// Another text.\n'));
    expect(await settled(client)).toBe(before);
    expect(client.errors).toEqual([]);
  });
});

test('what is found again after an edit is told only if it differs from what a page shows', async () => {
  const told: string[] = [];
  let text = on('llama3_8b');
  const starters = createStarters({
    documents: {
      text: () => text,
      answeredInSteps: (_, work) => Promise.resolve(toEnd(work(directSearches()))),
    },
    mayStart: () => true,
    found: (view) => told.push(view.syntax.text),
    failed: (error) => {
      throw error;
    },
  });
  const viewOf = (changed: string): View => {
    text = changed;
    starters.stop(main);
    const files = { ...hostOf(), ...noLines, list: () => [], all: () => [] };
    const analysis = check({ uri: main, text, host: files, options: defaultOptions });
    const { syntax } = analysis;
    return { uri: main, version: 1, syntax, lines: new LineIndex(text), analysis, files, options: defaultOptions };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  // Nobody has asked yet.
  starters.ahead(viewOf(on('llama3_8b')));
  await turn();
  expect(told).toEqual([]);
  expect((await starters.find(viewOf(text), true, CancellationToken.None))?.title).toBe(small);
  starters.ahead(viewOf(on('llama3_8b', '// A comment.\n')));
  await turn();
  expect(told).toEqual([]);
  starters.ahead(viewOf(on('llama3_70b')));
  await turn();
  expect(told).toEqual([on('llama3_70b')]);
});
