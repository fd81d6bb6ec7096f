import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CompletionList, DocumentLink } from 'vscode-languageserver';
import { positionAt, withClient } from '../../support/server.ts';
import { askIn } from '../../support/asked.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipewright-'));
  mkdirSync(join(folder, 'inner', 'machines'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const uri = (...names: readonly string[]) => pathToFileURL(join(folder, ...names)).href;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const system = (bytes: number) => `gpu:
  mem_bw: 4800000000000
  mem_capacity: ${bytes}
  bfloat16_tc_flops: 989000000000000
node:
  num_gpus_per_node: 8
  inter_node_bw: 50000000000
  intra_node_bw: 450000000000
`;
const user = (path: string) => `device card { from = system("${path}") }\n`;

test('a system is read from disk, and again when it changes', async () => {
  write('h200.yaml', system(80 * 2 ** 30));
  const main = uri('main.pipe');
  const text = user('h200.yaml');
  await withClient(async (client) => {
    const shown = async () => {
      const hover = await client.request<unknown>('textDocument/hover', {
        textDocument: { uri: main },
        position: positionAt(text, text.indexOf('card')),
      });
      const codes = client.published
        .findLast((candidate) => candidate.uri === main)
        ?.diagnostics.map((diagnostic) => diagnostic.code);
      return { hover: JSON.stringify(hover), codes };
    };
    client.open(main, text);
    expect(await shown()).toMatchObject({ hover: expect.stringContaining('80 GiB'), codes: [] });
    write('h200.yaml', system(141 * 2 ** 30));
    client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: uri('h200.yaml'), type: 2 }] });
    expect(await shown()).toMatchObject({ hover: expect.stringContaining('141 GiB'), codes: [] });
    write('h200.yaml', system(-1));
    client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: uri('h200.yaml'), type: 2 }] });
    expect((await shown()).codes).toEqual(['import/unreadable']);
    const { diagnostics } = await client.diagnostics(main);
    expect(diagnostics[0].message).toContain('line 3, column 17');
    expect(diagnostics[0].relatedInformation?.[0].location).toEqual({
      uri: uri('h200.yaml'),
      range: { start: { line: 2, character: 16 }, end: { line: 2, character: 18 } },
    });
    rmSync(join(folder, 'h200.yaml'));
    client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: uri('h200.yaml'), type: 3 }] });
    expect((await shown()).codes).toEqual(['import/not-found']);
  });
});

test('paths are offered inside the quotes, by what their source reads', async () => {
  for (const name of ['a.pipe', 'graph.txt', 'config.json', 'h200.yaml', 'old.yml', 'notes.md', 'machines/b60.yaml'])
    write(`inner/${name}`, '');
  const main = uri('inner', 'main.pipe');
  await withClient(
    async (client) => {
      const offered = async (source: string) => {
        const list = await askIn<CompletionList | null>(client, source, 'textDocument/completion', {}, main);
        return list?.items.map((item) => item.label).sort() ?? null;
      };
      const machines = 'machines/';
      expect(await offered('model m { from = profile("$0") }')).toEqual(['config.json', 'graph.txt', machines]);
      expect(await offered('model m { from = profile("$0')).toEqual(['config.json', 'graph.txt', machines]);
      expect(await offered('model m { from = huggingface("con$0fig.json", mtp = true) }')).toEqual([
        'config.json',
        machines,
      ]);
      expect(await offered('device d { from = system("$0") }')).toEqual([
        'config.json',
        'h200.yaml',
        machines,
        'old.yml',
      ]);
      expect(await offered('device d { from = system("machines/$0") }')).toEqual(['b60.yaml']);
      // Without trust no folder outside is listed, and no file outside is linked.
      expect(await offered('device d { from = system("../$0") }')).toEqual([]);
      expect(await offered('device d { memory = 1GiB /* "$0" */ }')).toBeNull();
    },
    { folders: [uri('inner')], initialization: { trusted: false } },
  );
});

test('a device is offered systems, a model profiles and configurations, with what their arguments take', async () => {
  const main = uri('main.pipe');
  await withClient(async (client) => {
    const offered = async (source: string) => {
      const list = await askIn<CompletionList | null>(client, source, 'textDocument/completion', {}, main);
      return list?.items.map((item) => item.label) ?? [];
    };
    expect((await offered('device d { from = $0 }'))[0]).toBe('system');
    expect((await offered('model m { from = $0 }')).slice(0, 2)).toEqual(['profile', 'huggingface']);
    expect(await offered('model m { from = huggingface("config.json", $0) }')).toContain('mtp');
    expect(await offered('model m { from = huggingface("config.json", mtp = $0) }')).toEqual(['true', 'false']);
  });
});

test('paths of profiles, configurations and systems are links, as far as they lead somewhere and may be read', async () => {
  for (const name of ['inner/graph.txt', 'inner/config.json', 'inner/h200.yaml', 'outside.yaml']) write(name, '');
  const main = uri('inner', 'main.pipe');
  await withClient(
    async (client) => {
      client.open(
        main,
        `model a { from = profile("graph.txt") }
model b { from = huggingface(file = "config.json") }
model c { from = a }
device d { from = (system("h200.yaml")) }
device e { from = system("../outside.yaml") }
device f { from = system("absent.yaml") }
`,
      );
      const links = await client.request<DocumentLink[]>('textDocument/documentLink', { textDocument: { uri: main } });
      expect(links.map((link) => link.target)).toEqual(
        ['graph.txt', 'config.json', 'h200.yaml'].map((name) => uri('inner', name)),
      );
      expect(links[0].range).toEqual({ start: { line: 0, character: 25 }, end: { line: 0, character: 36 } });
    },
    { folders: [uri('inner')], initialization: { trusted: false } },
  );
});
