import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { standaloneHtml } from '../../../webview/protocol/standalone.ts';
import { readMessage } from '../../../webview/session/incoming.ts';
import { runOf } from '../../support/analyse.ts';
import { good } from '../cli/harness.ts';

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64');
const evil = '</script><!--<script>&"\u2028.pipe';

const { analysis } = runOf(good.replace('pipeline train', '/// </script><img src="x">\npipeline train'));
const { plan } = analysis.resolution;
const message = {
  type: 'plan' as const,
  uri: 'file:///home/reader/secret/a.pipe',
  title: evil,
  version: 1,
  plan,
  overrides: { microbatches: 8 },
  options: defaultOptions,
};
const script = 'const a = "</script><!--"; const b = /<!--/; document.title = a + b;';
const html = standaloneHtml({ script, style: 'main::before { content: "</style>" }', hash }, { message });

it('allows its own script and style by their hashes, and nothing else', () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
  const [, style] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
  const [, code] = /<script>([^]*?)<\/script>/.exec(html) ?? [];
  expect(policy).toBe(
    `default-src 'none'; script-src 'sha256-${hash(code)}'; style-src 'sha256-${hash(style)}'; worker-src blob:; img-src blob: data:; base-uri 'none'; form-action 'none'`,
  );
  expect(html).not.toMatch(/<[a-z][^<>]*(?:src|href)=/i);
});

it('ends no element early, whatever texts are in it', () => {
  expect(html.match(/<\/script>/gi)).toHaveLength(2);
  expect(html.match(/<\/style>/gi)).toHaveLength(1);
  // `<!--` then `<script` would swallow the end of the script.
  expect(html).not.toContain('<!--');
  const code = /<script>([^]*?)<\/script>/.exec(html)?.[1] ?? '';
  const titles = { title: '' };
  new Function('document', code)(titles);
  expect(titles.title).toBe(`</script><!--${String(/<!--/).replace('<', '\\x3C')}`);
});

it('carries the plan as the page reads it: without params to try and without the folder of the file', () => {
  const data = JSON.parse(/<script type="application\/json"[^>]*>([^]*?)<\/script>/.exec(html)?.[1] ?? '') as {
    readonly message: unknown;
  };
  const read = readMessage(data.message);
  expect(read).toMatchObject({ type: 'plan', title: evil, overrides: {}, plan: { params: [] } });
  expect(read?.type === 'plan' ? read.plan.pipelines : undefined).toEqual(JSON.parse(JSON.stringify(plan.pipelines)));
  expect(html).not.toContain('secret');
});
