/** The tools of the editor's agents, over the process that the extension starts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { inputSchema, tools } from '../../../cli/mcp/tools.ts';
import { createToolProcess } from '../../../platform/node/agents/toolProcess.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'pipewright-agents-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the manifest declares the tools that the command line has', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    contributes: { languageModelTools: Record<string, unknown>[]; mcpServerDefinitionProviders: { id: string }[] };
  };
  const declared = manifest.contributes.languageModelTools.map(({ name, modelDescription, inputSchema: schema }) => ({
    name,
    modelDescription,
    inputSchema: schema,
  }));
  expect(declared).toEqual(
    tools.map((tool) => ({
      name: `pipewright_${tool.name}`,
      modelDescription: tool.doc,
      inputSchema: inputSchema(tool),
    })),
  );
  expect(manifest.contributes.mcpServerDefinitionProviders.map(({ id }) => id)).toEqual(['pipewright.tools']);
});

test('a tool answers from its process', async () => {
  writeFileSync(path.join(folder, 'a.pipe'), 'device d { memory = 80Gib }\n');
  const args = [path.join(root, 'cli', 'main.ts'), 'mcp'];
  const started = createToolProcess({ command: process.execPath, args, folder, environment: {} });
  const answer = await started.call('check', { path: 'a.pipe' });
  expect(answer).toMatchObject({ isError: false });
  expect(answer.text).toContain('error 1:21 syntax/unit');
  expect(await started.call('check', {})).toMatchObject({ isError: true });
  started.dispose();
});

test('a program that cannot start fails each call', async () => {
  const none = createToolProcess({ command: path.join(folder, 'gone'), args: [], folder, environment: {} });
  for (let call = 0; call < 2; call += 1) await expect(none.call('check', {})).rejects.toThrow(/cannot start/);
});
