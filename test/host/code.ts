/** Runs a test suite in the extension host of the real VS Code, with a headless browser as its window. Exit status 0: the suite passed. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { format } from 'node:util';
import type { Page } from 'playwright-core';
import { readHostArguments, type HostArguments } from './arguments.ts';
import { openBrowser } from './browser.ts';
import { remoteUri, startServer, workbenchUrl } from './server.ts';
import { tempFolder } from './tempFolder.ts';
import { patience } from './patience.ts';

/** Lines of the editor's own log that come along with the suite's output. */
const noise =
  /^(Resolv(ing|ed) connection token|Creating a socket|\[reconnection-grace-time\]|\[AgentHost|\[AccountPolicyGate\]|\[Service Worker\]|Ignoring fetching additional|Updating additional builtin|Creation of workbench contribution|An unknown error occurred\. Please consult|Timed out waiting for authentication provider|\[IPC Library: |%c)/;
const verbose = Boolean(process.env['VSCODE_HOST_VERBOSE']);
const limitMs = Number(process.env['VSCODE_HOST_TIMEOUT_MS'] ?? patience(300_000));

async function main(args: HostArguments): Promise<number> {
  const folder = tempFolder('vscode-host-');
  const reportFile = path.join(folder.path, 'report.json');
  let hostEnd: HostEnd | undefined;
  const closers: (() => Promise<unknown>)[] = [];
  const cleanUp = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
    folder.remove();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => void cleanUp().finally(() => process.exit(130)));
  try {
    const server = await startServer({
      profile: folder.path,
      testDriver: true,
      env: { VSCODE_TEST_REPORT: reportFile },
      log(text) {
        hostEnd ??= readHostEnd(text);
        if (verbose) process.stderr.write(text);
      },
    });
    closers.push(server.stop);
    const { browser, page } = await openBrowser();
    closers.push(() => browser.close());
    const ended = suiteEnd(page, server.exited);
    // Awaited below; a failure before that must not end the process first.
    ended.catch(() => undefined);
    await page.goto(address(server.port, args), { waitUntil: 'domcontentloaded' });
    const code = await ended;
    for (let tries = 0; hostEnd === undefined && tries < 50; tries += 1) await delay(100);
    return verdict(code, hostEnd, readReport(reportFile));
  } finally {
    await cleanUp();
  }
}

interface HostEnd {
  readonly code: string;
  readonly signal: string;
}

function readHostEnd(text: string): HostEnd | undefined {
  const [, code, signal] = /Extension Host Process exited with code: (\w+), signal: (\w+)/.exec(text) ?? [];
  return code === undefined || signal === undefined ? undefined : { code, signal };
}

interface SuiteReport {
  readonly passes: number;
  readonly failures: number;
}

function readReport(file: string): SuiteReport | undefined {
  try {
    const raw: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof raw !== 'object' || raw === null || !('passes' in raw) || !('failures' in raw)) return undefined;
    return { passes: Number(raw.passes), failures: Number(raw.failures) };
  } catch {
    return undefined;
  }
}

/** A crashed or killed extension host also ends with status 0, so a pass needs two more witnesses: the server's word on how that process ended, and the suite's own report. */
function verdict(code: number, hostEnd: HostEnd | undefined, report: SuiteReport | undefined): number {
  if (report !== undefined) console.log(`${report.passes} passed, ${report.failures} failed`);
  if (code !== 0) return code;
  if (hostEnd !== undefined && (hostEnd.code !== '0' || hostEnd.signal !== 'null')) {
    console.error(`The extension host ended with code ${hostEnd.code}, signal ${hostEnd.signal}.`);
    return 1;
  }
  if (report === undefined || report.passes === 0 || report.failures > 0) {
    console.error('The suite did not report a pass.');
    return 1;
  }
  return 0;
}

/** Exit status of the suite, as the editor's window tells it. */
async function suiteEnd(page: Page, serverExited: Promise<number | null>): Promise<number> {
  return new Promise((resolve, reject) => {
    void page.exposeFunction('codeAutomationLog', (type: string, values: readonly unknown[]) => {
      const line = format(...values);
      if (verbose || !noise.test(line)) (type === 'error' ? console.error : console.log)(line);
    });
    void page.exposeFunction('codeAutomationExit', (code: number) => resolve(code));
    page.on('crash', () => reject(new Error("The editor's page crashed.")));
    page.on('close', () => reject(new Error("The editor's page closed.")));
    if (verbose) page.on('pageerror', (error) => console.error(error));
    void serverExited.then((code) => reject(new Error(`The VS Code server ended with ${code}.`)));
    setTimeout(() => reject(new Error(`No result after ${limitMs} ms.`)), limitMs).unref();
  });
}

function address(port: number, { open, developmentPaths, testsPath, disableExtensions }: HostArguments): string {
  const opened = open === undefined ? undefined : path.resolve(open);
  const isFile = opened !== undefined && statSync(opened).isFile();
  return workbenchUrl(port, {
    folder: isFile ? undefined : opened,
    workspace: isFile ? opened : undefined,
    payload: [
      ...developmentPaths.map(
        (developmentPath) => ['extensionDevelopmentPath', remoteUri(port, developmentPath)] as const,
      ),
      ['extensionTestsPath', remoteUri(port, testsPath)],
      ['skipWelcome', 'true'],
      ['skipReleaseNotes', 'true'],
      ...(disableExtensions ? [['disableExtensions', 'true'] as const] : []),
    ],
  });
}

main(readHostArguments(process.argv.slice(2))).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
