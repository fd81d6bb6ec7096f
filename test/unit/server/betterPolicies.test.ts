/** The policy that a bubble names is searched after the check: when a search begins and ends, what it publishes, and what is kept. */
import { expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { createBetterPolicies } from '../../../server/searches/betterPolicies.ts';
import { gate } from '../../support/gate.ts';
import { idle, publications } from '../../support/publications.ts';
import { main, withClient } from '../../support/server.ts';
import { call } from '../cli/harness.ts';
import { pipe } from '../fixes/file.ts';

const text = pipe({ pipeline: '  microbatches = 8\n  stages = balance(4)\n  schedule = 1f1b' });
const other = text.slice(text.indexOf('pipeline train')).replace('train', 'other').replace('= 8', '= 6');
const cutAgain = 'cut again into 8 stages';

/** Documents with the search, whose answers are held back until the gate is open. */
function open() {
  const held = gate();
  const opened = publications(
    { threads: held.threads, options: defaultOptions },
    (host) => createBetterPolicies(host, 0),
    (policies, view) => policies.named(view),
    ({ analysis }) => {
      const found = analysis.findings.filter(({ code }) => code === 'schedule/bubble');
      return { message: found.map(({ message }) => message).join('\n') };
    },
  );
  return {
    ...opened,
    held,
    set: (version: number, written: string) => opened.set(main, version, written),
    close: () => opened.searches.stop(main),
  };
}

test('figures and findings are published first, and the sentence follows', async () => {
  const { held, published, publications, set, failures } = open();
  set(1, text);
  await publications(1);
  expect(published[0]?.view.analysis.pipelines[0]?.run).toBeDefined();
  expect(published[0]?.message).toContain('Under zb_h1');
  expect(published[0]?.message).not.toContain(cutAgain);
  await idle();
  expect(held.asked).toHaveLength(1);
  expect(held.asked).not.toContain(main);
  held.open();
  await publications(2);
  expect(published[1]?.message).toContain(cutAgain);
  expect(published[1]?.view.version).toBe(1);
  expect(failures).toEqual([]);
  held.threads.close();
});

test('a keystroke ends the search, and only the newest text is searched', async () => {
  const { held, published, publications, set } = open();
  set(1, text);
  await publications(1);
  await idle();
  set(2, text.replace('4ms', '5ms'));
  await publications(2);
  await idle();
  expect([held.asked.length, held.cancelled]).toEqual([2, 1]);
  held.open();
  await publications(3);
  expect(published.map(({ view, message }) => [view.version, message.includes(cutAgain)])).toEqual([
    [1, false],
    [2, false],
    [2, true],
  ]);
  held.threads.close();
});

test('edits of comments and of other pipelines search nothing again, and the sentence is there at once', async () => {
  const { held, published, publications, set } = open();
  held.open();
  set(1, text);
  await publications(2);
  const moved = `// Moved.\n${text}`;
  set(2, moved);
  await publications(3);
  await idle();
  expect(held.asked).toHaveLength(1);
  expect(published[2]?.message).toBe(published[1]?.message);
  const [found] = published[2]?.view.analysis.findings.filter(({ code }) => code === 'schedule/bubble') ?? [];
  expect(moved.slice(found?.place.start, found?.place.end)).toBe('1f1b');
  // Only the new pipeline is searched.
  set(3, `${moved}${other}`);
  await publications(5);
  expect(held.asked).toHaveLength(2);
  set(4, `${moved}${other.replace('= 6', '= 7')}`);
  await publications(7);
  expect(held.asked).toHaveLength(3);
  expect(published.map(({ message }) => message.split(cutAgain).length - 1)).toEqual([0, 1, 1, 1, 2, 1, 2]);
  held.threads.close();
});

test('the server of an editor publishes the sentence as the terminal prints it', async () => {
  await withClient(
    async (client) => {
      client.open(main, text);
      const messages = () =>
        client.published.flatMap(({ diagnostics }) =>
          diagnostics
            .filter(({ code }) => code === 'schedule/bubble')
            .map(({ message }) => (typeof message === 'string' ? message : message.value)),
        );
      while (!messages().some((message) => message.includes(cutAgain))) await idle();
      expect(messages()[0]).not.toContain(cutAgain);
      const { out } = await call(['check', '--format', 'json', 'main.pipe'], { files: { 'main.pipe': text } });
      expect(out).toContain(JSON.stringify(messages().at(-1)));
      const simulated = await call(['simulate', '--format', 'json', 'main.pipe'], { files: { 'main.pipe': text } });
      expect(simulated.out).toContain(JSON.stringify(messages().at(-1)));
    },
    { ahead: true },
  );
});
