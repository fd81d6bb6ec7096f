import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { previewHtml } from '../../webview/protocol/page.ts';
import { pageScript, pageStyle } from './build.ts';

export interface PageServer {
  /** Address of the preview; `?theme=` is the class of its body. */
  readonly preview: string;
  /** Address of a page with nothing in it. */
  readonly nothing: string;
  close(): void;
}

/** The page's files at an address of this machine. A browser keeps the script, and what it has compiled of it, from page to page. */
export async function servePage(): Promise<PageServer> {
  const [script, style] = await Promise.all([pageScript(), pageStyle()]);
  let origin = '';
  const html = (theme: string): string =>
    previewHtml({
      nonce: 'test-nonce',
      cspSource: origin,
      scriptUri: `${origin}/preview.js`,
      styleUri: `${origin}/preview.css`,
    }).replace('<body>', `<body class="${theme}">`);
  const files: Readonly<Record<string, (query: URLSearchParams) => readonly [type: string, text: string]>> = {
    '/preview.js': () => ['text/javascript', script],
    '/preview.css': () => ['text/css', style],
    '/': (query) => ['text/html', html(query.get('theme') ?? '')],
    '/nothing': () => ['text/html', '<!DOCTYPE html>'],
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', origin);
    const [type, text] = files[pathname]?.(searchParams) ?? [];
    response.writeHead(text === undefined ? 404 : 200, {
      'content-type': `${type ?? 'text/plain'}; charset=utf-8`,
      'cache-control': 'max-age=86400',
    });
    response.end(text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    preview: `${origin}/`,
    nothing: `${origin}/nothing`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
