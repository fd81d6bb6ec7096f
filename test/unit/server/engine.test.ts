/** Completion and findings under a training engine. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { MarkupContent } from 'vscode-languageserver';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { anyEngine, engines } from '../../../engine/engines/registry.ts';
import { editorOptions, readSettings } from '../../../server/settings.ts';
import { main, withClient } from '../../support/server.ts';
import { listed } from './listed.ts';
import { toy } from './samples.ts';

const under = (engine: string, key: string): string =>
  toy.replace(/^( *)schedule( *)= 1f1b/m, `$1engine$2= ${engine}\n$1${key}`);
const docOf = ({ documentation }: { readonly documentation?: string | MarkupContent }): string =>
  typeof documentation === 'string' ? documentation : (documentation?.value ?? '');

test('schedules that the engine runs come first, and the others say why they do not', async () => {
  const { items } = await listed(under('megatron', 'schedule = $0'));
  const names = items.map(({ label }) => label);
  expect(names.slice(0, 2).toSorted()).toEqual(['1f1b', 'interleaved_1f1b']);
  const other = items.find(({ label }) => label === 'zb_h1');
  expect(docOf(other ?? {})).toContain('Megatron runs `1f1b` and `interleaved_1f1b`, not `zb_h1`');
  expect(docOf(items[0] ?? {})).not.toContain('Megatron runs');
});

test('without an engine a schedule says who runs it', async () => {
  const { items } = await listed(toy.replace('schedule     = 1f1b', 'schedule     = $0'));
  const docs = new Map(items.map((item) => [item.label, docOf(item)]));
  expect(docs.get('1f1b')).toContain('Runs on: any engine.');
  expect(docs.get('zb_h1')).toContain('Runs on: torchtitan · PyTorch.');
});

test('words of other keys are in the same order', async () => {
  const { items } = await listed(under('torchtitan', 'recompute = $0\n  schedule = 1f1b'));
  const names = items.map(({ label }) => label);
  expect(names.indexOf('operations')).toBeLessThan(names.indexOf('selective'));
  expect(names.indexOf('none')).toBeLessThan(names.indexOf('stage'));
  expect(docOf(items.find(({ label }) => label === 'selective') ?? {})).toContain(
    'The nearest that it runs is `recompute = operations`',
  );
  expect(docOf(items.find(({ label }) => label === 'operations') ?? {})).not.toContain('nearest');
  const free = await listed(toy.replace('schedule     = 1f1b', 'recompute = $0\n  schedule = 1f1b'));
  expect(docOf(free.items.find(({ label }) => label === 'selective') ?? {})).not.toContain('nearest');
});

test('the engine of a workspace is a setting', async () => {
  expect(readSettings({ engine: 'megatron' }, editorOptions)).toEqual({ ...editorOptions, engine: 'megatron' });
  for (const engine of ['any', 'none', 3, undefined])
    expect(readSettings({ engine }, editorOptions)).toBe(editorOptions);
  expect(readSettings({ engine: 'any' }, { ...defaultOptions, engine: 'megatron' }).engine).toBeUndefined();
  const text = toy.replace('schedule     = 1f1b', 'schedule     = zb_h1');
  const codes = async (settings: unknown): Promise<readonly unknown[]> => {
    let found: readonly unknown[] = [];
    await withClient(
      async (client) => {
        client.open(main, text);
        found = (await client.diagnostics(main)).diagnostics.map(({ code }) => code);
      },
      { initialization: { settings } },
    );
    return found;
  };
  expect(await codes({ engine: 'megatron' })).toContain('engine/unsupported');
  expect(await codes({})).not.toContain('engine/unsupported');
});

test('VS Code offers the engines that there are', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    readonly contributes: { readonly configuration: { readonly properties: Readonly<Record<string, unknown>> } };
  };
  expect(manifest.contributes.configuration.properties['pipewright.engine']).toMatchObject({
    default: anyEngine,
    enum: [anyEngine, ...engines.map(({ name }) => name)],
    enumDescriptions: ['No engine in particular.', ...engines.map(({ doc }) => doc)],
  });
});
