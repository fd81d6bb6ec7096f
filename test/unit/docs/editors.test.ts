import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { InitializeResult, ServerCapabilities } from 'vscode-languageserver';
import { withClient } from '../../support/server.ts';
import { repository, textOf } from './pages.ts';

const page = 'docs/editors.md';
const fence = /<!-- offers -->\n[\s\S]*?<!-- end -->/;

/** What people call it, by the server's name for it. */
const names: Readonly<Partial<Record<keyof ServerCapabilities, string>>> = {
  callHierarchyProvider: 'Call hierarchy',
  codeActionProvider: 'Quick fixes and refactorings',
  codeLensProvider: 'Lenses with figures',
  completionProvider: 'Completion',
  definitionProvider: 'Go to definition',
  diagnosticProvider: 'Findings that the editor asks for',
  documentFormattingProvider: 'Formatting',
  documentHighlightProvider: 'Highlights of a name',
  documentLinkProvider: 'Links to files',
  documentOnTypeFormattingProvider: 'Formatting while you type',
  documentRangeFormattingProvider: 'Formatting of a selection',
  documentSymbolProvider: 'Outline',
  foldingRangeProvider: 'Folding',
  hoverProvider: 'Hover',
  implementationProvider: 'Go to implementation',
  inlayHintProvider: 'Inlay hints',
  linkedEditingRangeProvider: 'Linked editing',
  referencesProvider: 'References',
  renameProvider: 'Rename',
  selectionRangeProvider: 'Growing selection',
  semanticTokensProvider: 'Colours',
  signatureHelpProvider: 'Arguments of a call',
  typeDefinitionProvider: 'Go to type definition',
  workspaceSymbolProvider: 'Symbols of the workspace',
};

const isOn = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && key in value && (value as Record<string, unknown>)[key] !== false;

/** What the server says of itself to a client that can take everything. */
async function table(): Promise<string> {
  const { capabilities } = await withClient((client) => Promise.resolve(client.initialized as InitializeResult), {
    capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: { refreshSupport: true } } },
  });
  const offered = Object.entries(capabilities).flatMap(([key, value]) => {
    const name = key.endsWith('Provider') ? (names[key as keyof ServerCapabilities] ?? key) : undefined;
    if (name === undefined) return [];
    const more = [
      ...(isOn(value, 'resolveProvider') ? ['details on demand'] : []),
      ...(isOn(value, 'prepareProvider') ? ['checked before'] : []),
      ...(isOn(value, 'rangesSupport') ? ['of several ranges'] : []),
      ...(isOn(value, 'workspaceDiagnostics') ? ['of the workspace'] : []),
      ...(isOn((value as { full?: unknown }).full, 'delta') ? ['differences', 'ranges'] : []),
      ...(isOn(value, 'workDoneProgress') ? ['progress'] : []),
    ];
    return [`| ${name} | \`${key}\` | ${more.join(', ') || '–'} |`];
  });
  const lines = ['| what | name in the protocol | also |', '| --- | --- | --- |', ...offered.toSorted()];
  return `<!-- offers -->\n\n${lines.join('\n')}\n\n<!-- end -->`;
}

test('the page of editors says what the server offers', async () => {
  const written = await table();
  // `UPDATE_EDITORS=1 vitest run test/unit/docs/editors.test.ts` writes it anew.
  if (process.env['UPDATE_EDITORS'] === '1')
    writeFileSync(
      join(repository, page),
      textOf(page).replace(fence, () => written),
    );
  const plain = (text: string): string => text.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-');
  const [found = ''] = fence.exec(textOf(page)) ?? [];
  expect(plain(found)).toBe(plain(written));
});
