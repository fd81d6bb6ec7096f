import { expect, test } from 'vitest';
import { methods, type PlanAnswer, type PlannedAnswer } from '../../../webview/protocol/requests.ts';
import { exampleText } from '../../support/example.ts';
import { main, withClient } from '../../support/server.ts';

test('a client hears which version is planned, and whether its plan is another one', async () => {
  await withClient(async (client) => {
    const text = exampleText('quickstart.pipe');
    const planned = () => client.request<PlannedAnswer>(methods.planned, { uri: main });
    client.open(main, text);
    const { key } = await client.request<PlanAnswer>(methods.plan, { uri: main });
    const first = await planned();
    expect(first).toEqual({ version: client.version(main), key });
    client.change(main, `// A comment.\n${text}`);
    const second = await planned();
    expect(second).toEqual({ version: client.version(main), key });
    expect(second.version).toBeGreaterThan(first.version);
    client.change(main, text.replace('= 8 in', '= 9 in'));
    const third = await planned();
    expect(third.key).not.toBe(key);
    // What is tried is no other text.
    const tried = await client.request<PlanAnswer>(methods.plan, { uri: main, overrides: { microbatches: 4 } });
    expect(tried.key).toBe(third.key);
    // An error is another state, too.
    client.change(main, text.replace('= 1f1b', '= 1f2b'));
    expect((await planned()).key).not.toBe(key);
  });
});
