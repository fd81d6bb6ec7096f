/** Texts that ask for much work, typed into a real server: what other documents wait for, and what an edit ends. */
import { expect, test } from 'vitest';
import { heavyTexts } from '../../support/heavyTexts.ts';
import { type Client, main, positionAt, withClient } from '../../support/server.ts';
import { methods } from '../../../webview/protocol/requests.ts';
import { patience } from '../../host/patience.ts';
import { toy } from './samples.ts';

const uriOf = (name: string): string => `file:///project/${encodeURIComponent(name)}.pipe`;
const hover = (client: Client): Promise<unknown> =>
  client.request('textDocument/hover', {
    textDocument: { uri: main },
    position: positionAt(toy, toy.indexOf('stages')),
  });

/** Hovers of another document that are answered until the diagnostics of a text are there. */
async function hoversUntilKnown(client: Client, name: string, text: string): Promise<number> {
  let known = false;
  let hovers = 0;
  client.open(uriOf(name), text);
  const published = client.diagnostics(uriOf(name)).then(() => {
    known = true;
  });
  while (!known) {
    expect(await hover(client)).not.toBeNull();
    hovers += 1;
  }
  await published;
  return hovers;
}

test(
  'another document is answered while a text is planned for long',
  () =>
    withClient(async (client) => {
      client.open(main, toy);
      await client.diagnostics(main);
      // Some seconds of work, in slices of some milliseconds.
      const text = heavyTexts['four thousand lengths'].replace('microbatches = 4000', 'microbatches = 1500');
      expect(await hoversUntilKnown(client, 'lengths', text)).toBeGreaterThan(30);
    }),
  patience(120_000),
);

test(
  'all of them at once: another document is answered before any is known, and edits end what they ask for',
  () =>
    withClient(async (client) => {
      const names = Object.keys(heavyTexts);
      expect(names.length).toBeGreaterThanOrEqual(30);
      client.open(main, toy);
      await client.diagnostics(main);
      for (const name of names) client.open(uriOf(name), heavyTexts[name]);
      const before = client.published.length;
      expect(await hover(client)).not.toBeNull();
      expect(client.published.length - before).toBeLessThan(names.length);
      // What took minutes is given up: each document gets the findings of its new text.
      for (const name of names) client.change(uriOf(name), toy);
      for (const name of names) {
        const { version, diagnostics } = await client.diagnostics(uriOf(name));
        expect([version, diagnostics.filter(({ severity }) => severity === 1)]).toEqual([2, []]);
      }
      expect(await hover(client)).not.toBeNull();
    }),
  patience(120_000),
);

test('a schedule that is tested on large shapes alone is shown on a small one', () =>
  withClient(async (client) => {
    const uri = uriOf('large');
    client.open(uri, heavyTexts['a million microbatches, each tested']);
    const plan = await client.request<{
      readonly plan: { readonly pipelines: readonly { readonly microbatches: number }[] };
    }>(methods.plan, { uri });
    expect(plan.plan.pipelines.map(({ microbatches }) => microbatches)).toEqual([8]);
  }));
