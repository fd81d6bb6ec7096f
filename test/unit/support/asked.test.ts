import { expect, test } from 'vitest';
import type { Location } from 'vscode-languageserver';
import { ask, askIn, hoverAt, labelsAt, serverWith } from '../../support/asked.ts';
import { folder } from '../../support/host.ts';
import { main, withClient } from '../../support/server.ts';

const source = 'import "b.pipe"\nlet x = $0b\n//- /b.pipe\nlet b = 3\n';

test('a text with marks and its other files are open in the server', async () => {
  await serverWith(source, async ({ client, text, texts, cursor }) => {
    expect(text).toBe('import "b.pipe"\nlet x = b\n');
    expect([...texts]).toEqual([
      [main, text],
      [`${folder}b.pipe`, 'let b = 3\n'],
    ]);
    expect(client.text(`${folder}b.pipe`)).toBe('let b = 3\n');
    expect(cursor()).toEqual({ line: 1, character: 8 });
    const { diagnostics } = await client.diagnostics(main);
    // The import is found, although no such file is on the disk.
    expect(diagnostics).toEqual([]);
  });
});

test('requests are asked at the cursor', async () => {
  const [found] = await ask<readonly Location[]>(source, 'textDocument/references', {
    context: { includeDeclaration: false },
  });
  expect(found).toMatchObject({ uri: main, range: { start: { line: 1, character: 8 } } });
  expect(await hoverAt(source)).toContain('3');
  expect(await hoverAt('let x = 1 $0')).toBe('');
  expect(await labelsAt(source)).toContain('b');
});

test('a server that is there already has the files only while it answers', async () => {
  await withClient(async (client) => {
    await askIn(client, source, 'textDocument/hover');
    expect(() => client.text(main)).toThrow('not open');
    expect(() => client.text(`${folder}b.pipe`)).toThrow('not open');
  });
});

test('a request without a cursor is refused', async () => {
  await expect(ask('let x = 1', 'textDocument/hover')).rejects.toThrow('write $0');
});
