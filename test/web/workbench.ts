/**
 * VS Code for the web, from the editor that the tests install: its static files without its server, so that extensions run in a worker
 * of the page, as in an editor that is only a web page.
 */
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const editor = path.join(root, 'test/host/node_modules/code-server/lib/vscode');
const script = '/vscode/out/vs/code/browser/workbench/workbench.js';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.cjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

export interface WebWorkbench {
  /** Address of the window. */
  readonly url: string;
  /** Paths that were asked for and are not there. */
  readonly missing: readonly string[];
  close(): void;
}

export interface WebWorkbenchRequest {
  /** The extension as it is packed. */
  readonly extension: string;
  /** Files of the workspace. */
  readonly files: string;
  /** A suite that the extension host runs. */
  readonly suite?: string;
}

export async function serveWorkbench({ extension, files, suite }: WebWorkbenchRequest): Promise<WebWorkbench> {
  const mounts: readonly (readonly [string, string])[] = [
    ['/vscode/', editor],
    ['/provider/', path.join(import.meta.dirname, 'files')],
    ['/files/', files],
    // The editor starts no suite from elsewhere.
    ...(suite === undefined ? [] : [['/extension/suite/', suite] as const]),
    ['/extension/', extension],
  ];
  const missing: string[] = [];
  const workbench = withoutServer(
    readFileSync(path.join(editor, 'out/vs/code/browser/workbench/workbench.js'), 'utf8'),
  );
  const server = createServer((request, response) => {
    const authority = `localhost:${(server.address() as AddressInfo).port}`;
    const url = new URL(request.url ?? '/', `http://${authority}`);
    const at = decodeURIComponent(url.pathname);
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (at === '/') return send(response, 'text/html', page(authority, suite !== undefined));
    if (at === script) return send(response, 'text/javascript', workbench);
    for (const [prefix, folder] of mounts)
      if (at.startsWith(prefix) && answered(path.join(folder, at.slice(prefix.length)), url, response)) return;
    missing.push(at);
    response.statusCode = 404;
    response.end('not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    missing,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, type: string, text: string): void {
  response.setHeader('Content-Type', type);
  response.end(text);
}

/** A file, or with a query what kind it is or what a folder holds. */
function answered(file: string, { searchParams }: URL, response: ServerResponse): boolean {
  if (!existsSync(file)) return false;
  const status = statSync(file);
  if (searchParams.has('stat')) {
    const stat = { type: status.isDirectory() ? 2 : 1, ctime: 0, mtime: status.mtimeMs, size: status.size };
    send(response, 'application/json', JSON.stringify(stat));
    return true;
  }
  if (searchParams.has('readdir')) {
    const entries = readdirSync(file, { withFileTypes: true });
    const kinds = entries.map((entry) => [entry.name, entry.isDirectory() ? 2 : 1]);
    send(response, 'application/json', JSON.stringify(kinds));
    return true;
  }
  if (!status.isFile()) return false;
  response.setHeader('Content-Type', types[path.extname(file)] ?? 'application/octet-stream');
  createReadStream(file).pipe(response);
  return true;
}

/** This editor ties its window to a server in two places. Without them it is the editor for the web. */
function withoutServer(text: string): string {
  const change = (before: string, pattern: RegExp, by: string): string => {
    const after = before.replace(pattern, by);
    if (after === before) throw new Error(`The editor's window no longer has ${String(pattern)}.`);
    return after;
  };
  return change(
    change(text, /,remoteAuthority:location\.host\}/, '}'),
    /get userRoamingDataHome\(\)\{return (\w+)\((\w+)\.file\(this\.userDataPath\)\.with\(\{scheme:\w+\.vscodeRemote\}\),"User"\)\}/,
    'get userRoamingDataHome(){return $2.file("/User").with({scheme:"vscode-userdata"})}',
  );
}

const settings = {
  'workbench.startupEditor': 'none',
  'security.workspace.trust.enabled': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  // It would write into the files of the workspace.
  'files.autoSave': 'off',
};

function page(authority: string, withSuite: boolean): string {
  const at = (folder: string) => ({ scheme: 'http', authority, path: folder });
  const webviews = `http://${authority}/vscode/out/vs/workbench/contrib/webview/browser/pre/`;
  const extension = withSuite
    ? { developmentOptions: { extensions: [at('/extension')], extensionTestsPath: at('/extension/suite/index.cjs') } }
    : {};
  const configuration = {
    productConfiguration: {
      enableTelemetry: false,
      webEndpointUrlTemplate: `http://${authority}/vscode`,
      webviewContentExternalBaseUrlTemplate: webviews,
    },
    webviewEndpoint: webviews,
    configurationDefaults: settings,
    additionalBuiltinExtensions: [at('/provider'), ...(withSuite ? [] : [at('/extension')])],
    ...extension,
    userDataPath: '/user',
    isEnabledFileDownloads: true,
    isEnabledFileUploads: true,
    isEnabledCoderGettingStarted: false,
    folderUri: { scheme: 'testfs', authority: 'mount', path: '/' },
  };
  const texts = `http://${authority}/vscode/out/nls.messages.js`;
  const values: Readonly<Record<string, string>> = {
    WORKBENCH_SCRIPT_NONCE: 'n',
    BASE: '',
    VS_BASE: `http://${authority}/vscode`,
    WORKBENCH_WEB_BASE_URL: `http://${authority}/vscode`,
    WORKBENCH_WEB_CONFIGURATION: attribute(configuration),
    WORKBENCH_AUTH_SESSION: '',
    WORKBENCH_NLS_FALLBACK_URL: texts,
    WORKBENCH_NLS_URL: texts,
  };
  const template = readFileSync(path.join(editor, 'out/vs/code/browser/workbench/workbench.html'), 'utf8');
  return template.replaceAll(/\{\{([^}]+)\}\}/g, (_, key: string) => values[key] ?? '');
}

const attribute = (value: unknown): string =>
  JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
