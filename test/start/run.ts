/** `npm start` on what is built: it prints an example's figures and an address that serves the editor, and Ctrl-C leaves nothing behind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { openBrowser } from '../host/browser.ts';
import { processesWith } from '../host/processesWith.ts';
import { tempFolder } from '../host/tempFolder.ts';
import { runTests, test } from '../support/plainTests.ts';
import { patience } from '../host/patience.ts';

const root = path.resolve(import.meta.dirname, '../..');
const limitMs = patience(60_000);

/** Starts it with temporary files in a folder of its own. `seen` resolves with the output once that holds a text. */
function start(temp: string, args: readonly string[]) {
  const child = spawn(process.execPath, ['scripts/start.mjs', '--no-build', ...args], {
    cwd: root,
    env: { ...process.env, TMPDIR: temp },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own stands for a terminal's: Ctrl-C goes to all of it.
    detached: true,
  });
  let output = '';
  let look: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      look();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const seen = (wanted: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      look = () => {
        const found = wanted.exec(output);
        if (found !== null) resolve(found);
      };
      look();
      void ended.then((status) => reject(new Error(`It ended with ${status}:\n${output}`)));
      setTimeout(
        () => reject(new Error(`Not printed within ${limitMs} ms: ${wanted.source}\n${output}`)),
        limitMs,
      ).unref();
    });
  const interrupt = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  };
  return { seen, ended, interrupt, output: () => output };
}

test('--once prints figures, findings and an address, then ends and cleans up', async () => {
  const temp = tempFolder('pipewright-start-test-');
  try {
    const run = start(temp.path, ['--once']);
    assert.equal(await run.ended, 0, run.output());
    assert.match(run.output(), /1f1b/i);
    assert.match(run.output(), /264(\.\d+)? ms/);
    assert.match(run.output(), /http:\/\/127\.0\.0\.1:\d+\//);
    assert.deepEqual(readdirSync(temp.path), []);
    assert.deepEqual(processesWith(temp.path), []);
  } finally {
    temp.remove();
  }
});

test('Ctrl-C ends everything that was started', async () => {
  const temp = tempFolder('pipewright-start-test-');
  try {
    const run = start(temp.path, []);
    const [, address = ''] = await run.seen(/(http:\/\/127\.0\.0\.1:\d+\/\S*)[\s\S]*Ctrl\+C ends/);
    const answer = await fetch(address);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /workbench/);
    assert(processesWith(temp.path).length > 0, 'the server runs');
    run.interrupt();
    assert.equal(await run.ended, 0, run.output());
    assert.deepEqual(readdirSync(temp.path), []);
    assert.deepEqual(processesWith(temp.path), []);
    await assert.rejects(fetch(address));
  } finally {
    temp.remove();
  }
});

test('a reload of the printed address brings the preview back', async () => {
  const temp = tempFolder('pipewright-start-test-');
  const run = start(temp.path, []);
  try {
    const [, address = ''] = await run.seen(/(http:\/\/127\.0\.0\.1:\d+\/\S*)[\s\S]*Ctrl\+C ends/);
    const { browser, page } = await openBrowser();
    try {
      page.setDefaultTimeout(patience(45_000));
      const drawn = page
        .frameLocator('iframe.webview.ready')
        .frameLocator('#active-frame')
        .locator('.timeline[data-generation]');
      await page.goto(address);
      await page.locator('.codelens-decoration').first().waitFor();
      await page.locator('.editor-actions a[aria-label*="Open Preview to the Side"]').first().click();
      await drawn.waitFor();
      // The editor writes its state some moments after a change.
      await page.waitForTimeout(4000);
      await page.reload();
      await page.locator('.tab', { hasText: 'Preview quickstart.pipe' }).waitFor();
      await drawn.waitFor();
    } finally {
      await browser.close();
    }
  } finally {
    run.interrupt();
    await run.ended;
    temp.remove();
  }
});

await runTests();
