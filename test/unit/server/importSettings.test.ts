import { expect, test } from 'vitest';
import type { Hover, Location, LocationLink } from 'vscode-languageserver';
import type { ParamEditAnswer } from '../../../webview/protocol/requests.ts';
import { applyEdits, main, withClient } from '../../support/server.ts';
import { ask } from '../../support/asked.ts';

const source = (setting: string) => `import { dgx_h100 } from "std:clusters" with { ${setting} }
model m { layer a[64] { forward = 1ms  backward = 2ms } }
pipeline p { model = m  devices = dgx_h100  microbatches = 4  stages = balance  schedule = 1f1b }
`;

test('hover on a setting says the param, its value here and its range', async () => {
  const hover = await ask<Hover | null>(source('no$0des = 8'), 'textDocument/hover');
  expect(JSON.stringify(hover?.contents)).toContain('param nodes — 8 (1 to 2048)');
});

test('a slider writes its value behind with', async () => {
  const written = (text: string, name: string, value: number) =>
    withClient(async (client) => {
      client.open(main, text);
      const edit = await client.request<ParamEditAnswer>('pipewright/paramEdit', { uri: main, name, value });
      return edit === null ? null : applyEdits(text, [edit]);
    });
  const text = source('nodes = 8');
  expect(await written(text, 'dgx_h100.nodes', 5)).toBe(text.replace('= 8', '= 5'));
  const named = text.replace('{ dgx_h100 }', '{ dgx_h100, nodes }');
  expect(await written(named, 'nodes', 5)).toBe(named.replace('= 8', '= 5'));
  expect(await written(source('nodes = 4 + 4'), 'dgx_h100.nodes', 5)).toBeNull();
});

test('the definition of a setting is the param of the file', async () => {
  const found = await ask<(Location | LocationLink)[] | null>(source('no$0des = 8'), 'textDocument/definition');
  expect(JSON.stringify(found)).toContain('std/clusters.pipe');
});
