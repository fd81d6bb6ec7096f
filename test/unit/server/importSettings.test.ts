import { expect, test } from 'vitest';
import type { Hover, Location, LocationLink } from 'vscode-languageserver';
import { ask } from '../../support/asked.ts';

const source = (setting: string) => `import { dgx_h100 } from "std:clusters" with { ${setting} }
model m { layer a[64] { forward = 1ms  backward = 2ms } }
pipeline p { model = m  devices = dgx_h100  microbatches = 4  stages = balance  schedule = 1f1b }
`;

test('hover on a setting says the param, its value here and its range', async () => {
  const hover = await ask<Hover | null>(source('no$0des = 8'), 'textDocument/hover');
  expect(JSON.stringify(hover?.contents)).toContain('param nodes — 8 (1 to 2048)');
});

test('the definition of a setting is the param of the file', async () => {
  const found = await ask<(Location | LocationLink)[] | null>(source('no$0des = 8'), 'textDocument/definition');
  expect(JSON.stringify(found)).toContain('std/clusters.pipe');
});
