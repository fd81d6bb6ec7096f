import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CodeAction } from 'vscode-languageserver';
import { applyEdits, positionAt, withClient } from '../../support/server.ts';
import { toy } from './samples.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipewright-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Code actions at a place of a file on disk, each with its title and the text that it makes. */
async function offered(text: string, place: string, only?: readonly string[]): Promise<readonly (readonly string[])[]> {
  const uri = pathToFileURL(join(folder, 'main.pipe')).href;
  let out: readonly (readonly string[])[] = [];
  await withClient(async (client) => {
    client.open(uri, text);
    const at = positionAt(text, text.indexOf(place));
    const actions = await client.request<CodeAction[] | null>('textDocument/codeAction', {
      textDocument: { uri },
      range: { start: at, end: at },
      context: { diagnostics: [], only },
    });
    out = (actions ?? []).map(({ title, edit, kind = '' }) => {
      const [change] = edit?.documentChanges ?? [];
      const edits = change !== undefined && 'edits' in change ? change.edits : [];
      return [
        title,
        applyEdits(
          text,
          edits.flatMap((each) => ('newText' in each ? [each] : [])),
        ),
        kind,
      ];
    });
  });
  return out;
}

const wrong = toy.replace('= 1f1b', '= 1f1bb').replace('= toy', '= toi');

test('findings of one code are fixed at once', async () => {
  expect(wrong).not.toBe(toy);
  const all = (await offered(wrong, '1f1bb')).filter(([title]) => title.startsWith('Fix all'));
  expect(all.map(([title, text, kind]) => [title.split(':')[0], text, kind])).toEqual([
    ['Fix all 2 findings of name/unknown', toy, 'quickfix'],
  ]);
});

test('a request for all fixes fixes what is obvious, and only a request that asks for it', async () => {
  const [[title, text, kind], ...others] = await offered(wrong, 'pipeline', ['source.fixAll']);
  // 11 · 24 ms, idle 3 / 11: the effect of both together.
  expect(title).toBe('Fix 2 names, keys and units: runs, iteration 264 ms, bubble 27.3 %, peak 5 GiB');
  expect([text, kind, others]).toEqual([toy, 'source.fixAll', []]);
  const kinds = (await offered(wrong, '1f1bb')).map(([, , other]) => other);
  expect(kinds).not.toContain('source.fixAll');
});

test('a name is imported from a file of the same folder that declares it', async () => {
  writeFileSync(join(folder, 'hardware.pipe'), 'device ours { memory = 16GiB }\n');
  const text = 'cluster box { gpu[2] = ours }\n';
  const titles = (await offered(text, 'ours')).map(([title]) => title);
  expect(titles).toContain('Import "ours" from "hardware.pipe"');
  const [[path, changed]] = await offered('import { ours } from "hardwar.pipe"\n', 'hardwar');
  expect(path).toBe('Change to "hardware.pipe"');
  expect(changed).toBe('import { ours } from "hardware.pipe"\n');
});
