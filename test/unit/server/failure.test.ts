import { expect, test } from 'vitest';
import { main, startClient } from '../../support/server.ts';

test('where a check fails, syntax errors and the failure take the place of older diagnostics', async () => {
  let broken = false;
  const client = await startClient({
    files: (workspace) => ({
      ...workspace,
      read: (uri) => {
        const answer = workspace.read(uri);
        if (!broken) return answer;
        // The engine expects of a host that a text, once given, stays.
        return {
          get text(): string {
            throw new Error('the disk is on fire');
          },
        };
      },
    }),
  });
  try {
    client.open(main, 'import { a } from "a.pipe"\ndevice d { memroy = 1GiB }\n');
    const before = (await client.diagnostics(main)).diagnostics;
    expect(before.map(({ code }) => code)).toContain('key/unknown');
    broken = true;
    client.change(main, 'import { a } from "a.pipe"\ndevice d { memory = }\n');
    const { diagnostics } = await client.diagnostics(main);
    expect(diagnostics.map(({ code }) => code)).toEqual([undefined, 'syntax/unexpected']);
    expect(diagnostics[0]).toMatchObject({ severity: 1, message: expect.stringContaining('failed to check') });
    expect(diagnostics[1].range.start.line).toBe(1);
    expect(diagnostics[1].codeDescription?.href).toBe('file:///docs/diagnostics/syntax/unexpected.md');
    // Requests are answered, if only with nothing; those that need the text alone work as ever.
    const document = { textDocument: { uri: main } };
    expect(await client.request('textDocument/codeLens', document)).toBeNull();
    expect(await client.request('textDocument/documentSymbol', document)).toHaveLength(1);
    expect(client.errors.join('\n')).toMatch(/^check file:.*the disk is on fire/);
    broken = false;
    client.change(main, 'device d { memory = 1GiB }\n');
    expect((await client.diagnostics(main)).diagnostics.map(({ code }) => code)).toEqual([]);
  } finally {
    client.stop();
  }
});
