/** Hover of a stage that a schedule keeps on two devices. */
import { expect, test } from 'vitest';
import type { Hover, MarkupContent } from 'vscode-languageserver';
import { main, positionAt, withClient } from './harness.ts';
import { marked } from './marks.ts';

const source = `
model toy { layer block[4] { forward = 1ms  backward = 1ms  weights = 100MiB  activation = 10MiB } }
device gpu { memory = 16GiB }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline train {
  model = toy
  devices = box
  microbatches = 8
  stage $0a { layers = block[0] }
  stage b { layers = block[1] }
  stage c { layers = block[2] }
  stage d { layers = block[3] }
  schedule = chimera
}
`;

test('shows the costs of the stage and the fullest of its devices', async () => {
  const { text, at } = marked(source);
  await withClient(async (client) => {
    client.open(main, text);
    const found = await client.request<Hover | null>('textDocument/hover', {
      textDocument: { uri: main },
      position: positionAt(text, at[0] ?? 0),
    });
    const shown = (found?.contents as MarkupContent | undefined)?.value ?? '';
    expect(shown).toMatch(/Layers block\[0\]/);
    // Its own weights and those of the stage that runs the other way.
    expect(shown).toMatch(/weights.*200 MiB/);
    expect(shown).toMatch(/3 microbatches in flight/);
  });
});
