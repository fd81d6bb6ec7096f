import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commandLine } from './commandLine.ts';
import { closeAll, open, until } from './editor.ts';

suite('export', () => {
  teardown(closeAll);

  test('the command saves a figure, a picture, a film, a page, a trace and programs of the text in the editor', async () => {
    const { document } = await open('good.pipe');
    const save = async (format: string, name: string, more = {}): Promise<Uint8Array> => {
      const target = vscode.Uri.joinPath(document.uri, '..', name);
      await vscode.commands.executeCommand('pipewright.exportTimeline', document.uri, 'train', {
        format,
        target,
        ...more,
      });
      const content = await vscode.workspace.fs.readFile(target);
      await vscode.workspace.fs.delete(target);
      return content;
    };
    const text = async (format: string, name: string, more = {}) =>
      Buffer.from(await save(format, name, more)).toString('utf8');
    const svg = await text('svg', 'a.svg');
    assert.match(svg, /^<\?xml|^<svg/);
    assert.match(svg, /<\/svg>\n$/);
    assert.match(svg, /width="7in"/);
    const narrow = await text('svg', 'a.svg', { width: '3.4in', memory: true });
    assert.match(narrow, /width="3\.4in"/);
    assert.notEqual(narrow, await text('svg', 'a.svg', { width: '3.4in' }));
    assert.equal(Buffer.from((await save('png', 'a.png')).subarray(1, 4)).toString('latin1'), 'PNG');
    const film = await text('film', 'a.film.svg', { seconds: 4 });
    assert.match(film, /animation:opens 6s linear infinite/);
    assert.match(await text('markdown', 'a.md'), /^\| good\.pipe \| train \|\n\| --- \| --- \|\n/);
    const page = await text('html', 'a.html');
    assert.match(page, /Content-Security-Policy/);
    assert.match(page, /<\/html>\n$/);
    const trace: { traceEvents: unknown[] } = JSON.parse(await text('trace', 'a.json'));
    assert(trace.traceEvents.length > 0);
    assert.match(await text('torch-csv', 'a.torch.csv'), /^0F0,/m);
    assert.match(await text('torch-script', 'a.py'), /^#!\/usr\/bin\/env python3\n/);
  });

  for (const [format, file, optimizer, order] of [
    // A table holds the order, and not the name of its schedule.
    ['torchtitan', 'a.py', 'adamw(shard = fsdp, reshard = false)', /row\(3\) += zip\(F\[0\.\.7\], B\[0\.\.7\]\)/],
    ['deepspeed', 'b.py', 'deepspeed_bf16(clip = true)', /schedule += 1f1b/],
    ['megatron', 'c.sh', 'megatron_bf16(shard = distributed)', /schedule += 1f1b/],
  ] as const)
    test(`what the menu saves for ${format} reads back as the pipeline`, async () => {
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      assert(folder);
      const uri = vscode.Uri.joinPath(folder.uri, `${format}.pipe`);
      const target = vscode.Uri.joinPath(folder.uri, file);
      await vscode.workspace.fs.writeFile(uri, Buffer.from(decoder(optimizer)));
      try {
        await vscode.window.showTextDocument(uri);
        // The first test of a host may come before the server.
        await until('the program', async () => {
          await vscode.commands.executeCommand('pipewright.exportTimeline', uri, 'train', { format, target });
          return vscode.workspace.fs.stat(target);
        });
        const read = commandLine('import', target.fsPath);
        assert.match(read, /microbatches += 8/);
        assert.match(read, order);
        const back = vscode.Uri.joinPath(folder.uri, 'back.pipe');
        await vscode.workspace.fs.writeFile(back, Buffer.from(read));
        assert.match(commandLine('simulate', back.fsPath), /4 devices/);
        for (const made of [back, target]) await vscode.workspace.fs.delete(made);
      } finally {
        await closeAll();
        await vscode.workspace.fs.delete(uri);
      }
    });
});

/** A decoder on four stages, which each engine runs. */
const decoder = (optimizer: string): string => `import { llama3_8b } from "std:models"
import { h100, ib_ndr_400 } from "std:hardware"
cluster c { node[1] { gpu[4] = h100  link = 370GB/s + 3.4us }  link = ib_ndr_400 }
model m { from = llama3_8b  sequence = 8192  micro_batch = 1  precision = bf16 }
pipeline train {
  model        = m
  devices      = c
  optimizer    = ${optimizer}
  microbatches = 8
  stages       = balance(4)
  recompute    = full
  schedule     = 1f1b
}
`;
