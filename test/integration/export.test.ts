import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, open } from './editor.ts';

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
});
