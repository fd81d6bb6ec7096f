/** The packaged extension in VS Code for the web: a suite inside its extension host, then the preview on the screen. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openBrowser } from '../host/browser.ts';
import { patience } from '../host/patience.ts';
import { tempFolder } from '../host/tempFolder.ts';
import { runTests, test } from '../support/plainTests.ts';
import { serveWorkbench } from './workbench.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = tempFolder('pipewright-web-');
const files = path.join(folder.path, 'examples');
cpSync(path.join(root, 'examples'), files, { recursive: true });
// The model of the quickstart in a file of its own.
const [, model = '', rest = ''] =
  /^(model toy \{[^]*?\n\}\n)([^]*)$/m.exec(readFileSync(path.join(files, 'quickstart.pipe'), 'utf8')) ?? [];
writeFileSync(path.join(files, 'shared.pipe'), model);
writeFileSync(path.join(files, 'imports.pipe'), `import "shared.pipe"\n${rest}`);

const workbench = await serveWorkbench({
  extension: path.join(root, 'out', 'vsix'),
  files,
  suite: path.join(import.meta.dirname, 'suite'),
});
const { browser, page } = await openBrowser({ width: 1400, height: 900 });
page.setDefaultTimeout(patience(60_000));
const shots = path.join(root, 'out', 'shots');
mkdirSync(shots, { recursive: true });
const outside = new Set<string>();
page.on('request', (request) => {
  const { protocol, hostname, host } = new URL(request.url());
  if (protocol.startsWith('http') && hostname !== 'localhost') outside.add(host);
});
const said: string[] = [];
const exit = new Promise<number>((resolve) => {
  void page.exposeFunction('codeAutomationLog', (_: string, values: readonly unknown[]) => {
    said.push(values.join(' '));
    if (process.env['VERBOSE'] !== undefined) console.log('   ', values.join(' ').slice(0, 400));
  });
  void page.exposeFunction('codeAutomationExit', resolve);
});
if (process.env['VERBOSE'] !== undefined)
  page.on('console', (message) => console.log(`[${message.type()}]`, message.text().slice(0, 400)));

test('the preview draws the pipeline that the suite opens', async () => {
  await page.goto(workbench.url);
  const preview = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  const drawn = preview.locator('.timeline[data-generation]').waitFor({ timeout: 0 });
  assert.equal(await Promise.race([drawn, exit]), undefined, 'the suite has ended');
  await page.screenshot({ path: path.join(shots, 'web-preview.png') });
});

test('the suite inside the extension host passes', async () => {
  writeFileSync(path.join(files, 'seen'), '');
  assert.equal(await exit, 0, said.join('\n'));
});

test('nothing outside this machine was asked for', () => {
  assert.deepEqual([...outside], []);
});

await runTests({
  chain: true,
  limitMs: patience(180_000),
  failed: async (name) => {
    console.log(said.join('\n'));
    await page.screenshot({ path: path.join(shots, `web-${name.replaceAll(/\W+/g, '-')}.png`) });
  },
});
await browser.close();
workbench.close();
folder.remove();
