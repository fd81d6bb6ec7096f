import { expect, test } from 'vitest';
import type { CompletionList, Hover, SignatureHelp } from 'vscode-languageserver';
import { ask, invoked } from '../../support/asked.ts';

const model = (loss: string): string => `model m { layer head = lm_head(hidden = 64, vocab = 100, loss = ${loss}) }`;

test('the ways to compute the loss are offered, the one in chunks with a place for their number', async () => {
  const found = await ask<CompletionList | null>(model('$0'), 'textDocument/completion', invoked);
  expect(found?.items.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['parallel', 'eager', 'compiled', 'fused', 'chunked']),
  );
  expect(found?.items.find(({ label }) => label === 'chunked')?.textEdit?.newText).toBe('chunked(${1:8})');
});

test('help for the number of chunks', async () => {
  const found = await ask<SignatureHelp | null>(model('chunked($0)'), 'textDocument/signatureHelp');
  expect(found?.signatures[0]?.label).toBe('chunked(chunks)');
});

test('a hover over a way to compute the loss explains it', async () => {
  const found = await ask<Hover | null>(model('chun$0ked(8)'), 'textDocument/hover');
  expect(JSON.stringify(found?.contents)).toContain('one part of the tokens after the other');
});
