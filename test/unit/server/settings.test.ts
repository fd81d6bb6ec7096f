import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { editorOptions, readSettings } from '../../../server/settings.ts';
import { main, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly contributes: {
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly default?: unknown }>> };
  };
};
const declared = (key: string): unknown => manifest.contributes.configuration.properties[`pipewright.${key}`]?.default;

test('an editor that sets nothing has the limits and thresholds that VS Code declares', () => {
  for (const [key, value] of Object.entries(editorOptions.limits)) expect(declared(`limits.${key}`), key).toBe(value);
  for (const [key, value] of Object.entries(editorOptions.thresholds))
    expect(declared(`diagnostics.${key}`), key).toBe(value);
  for (const [key, value] of Object.entries(editorOptions.memory))
    expect(declared(`memory.${key}`), key).toBe(value / 2 ** 30);
  expect(declared('search.effort')).toBe(editorOptions.search.effort);
  expect(defaultOptions.search.effort).toBe(0);
  for (const effort of [-1, 0.5, 1001, 'high'])
    expect(readSettings({ search: { effort } }, editorOptions)).toBe(editorOptions);
  expect(readSettings({ search: { effort: 0 } }, editorOptions).search).toEqual({ effort: 0 });
  expect(readSettings(undefined, editorOptions)).toBe(editorOptions);
  expect(readSettings({ limits: { operations: 'many' } }, defaultOptions)).toEqual(editorOptions);
});

test('the margin of memory is left to published runs unless it is set to a share', () => {
  expect(declared('diagnostics.headroom')).toBe(null);
  expect(editorOptions.thresholds.headroom).toBeUndefined();
  expect(readSettings({ diagnostics: { headroom: null } }, editorOptions)).toBe(editorOptions);
  for (const headroom of [-0.1, 1.5, 'much'])
    expect(readSettings({ diagnostics: { headroom } }, editorOptions)).toBe(editorOptions);
  expect(readSettings({ diagnostics: { headroom: 0.02 } }, editorOptions).thresholds.headroom).toBe(0.02);
});

test('sizes of what a framework holds are set in GiB', () => {
  const { memory } = readSettings({ memory: { context: 0.25, communicator: -1, reservedMost: 1e300 } }, editorOptions);
  expect(memory).toEqual({ ...editorOptions.memory, context: 2 ** 28 });
});

test('what a framework holds follows the settings, and a tight fit with it', async () => {
  // 1F1B, eight layers on four devices: weights and gradients of 1 GiB, 4 × 1 GiB of activations, so 5 GiB of 16; and a communicator of 0.5 GiB.
  const text = toy
    .replace('memory = 16GiB', 'memory = 16GiB  reserved = framework')
    .replace(/^( *)schedule( *=)/m, '$1optimizer = none  schedule$2');
  const codes = async (settings: unknown) => {
    let found: readonly unknown[] = [];
    await withClient(
      async (client) => {
        client.open(main, text);
        found = (await client.diagnostics(main)).diagnostics.map(({ code }) => code);
      },
      { initialization: { settings } },
    );
    return found.filter((candidate) => typeof candidate === 'string' && candidate.startsWith('memory/'));
  };
  expect(await codes({})).toEqual([]);
  expect(await codes({ memory: { context: 10.25, reservedMost: 20 } })).toEqual(['memory/headroom']);
  expect(await codes({ memory: { context: 10.75, reservedMost: 20 } })).toEqual(['memory/out-of-memory']);
});

test('the page of the limits has all of them, with both figures', () => {
  const page = readFileSync(new URL('../../../docs/diagnostics/limit/too-large.md', import.meta.url), 'utf8');
  for (const limit of ['fileSize', 'operations', 'elements', 'findings', 'searchRows'] as const) {
    const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`limits.${limit}\``)) ?? '';
    const [inEditor, inTerminal] = [editorOptions.limits[limit], defaultOptions.limits[limit]];
    expect(row).toContain(inEditor.toLocaleString('en-US'));
    expect(row).toContain(inEditor === inTerminal ? 'the same' : inTerminal.toLocaleString('en-US'));
  }
});

test('a pipeline over the limit of the editor is refused with that limit, or with the one that is set', async () => {
  // 4 devices × 2 × 600,000 microbatches.
  const text = toy.replace('= microbatches', '= 600000').replace(/param.*\n/, '');
  const messages = async (settings: unknown) => {
    let found: readonly string[] = [];
    await withClient(
      async (client) => {
        client.open(main, text);
        found = (await client.diagnostics(main)).diagnostics.map(({ message }) =>
          typeof message === 'string' ? message : message.value,
        );
      },
      { initialization: { settings } },
    );
    return found.join('\n');
  };
  expect(await messages({})).toContain(
    '4,800,000, over the limit of 4,000,000. Reduce it, or raise the setting "pipewright.limits.operations" in an editor; the command line\'s limit is fixed.',
  );
  expect(await messages({ limits: { operations: 1_000 } })).toContain('4,800,000, over the limit of 1,000');
});
