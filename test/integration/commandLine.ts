import { execFileSync } from 'node:child_process';
import path from 'node:path';
import * as vscode from 'vscode';

/** The folder of the extension under test. */
export const extensionFolder = (): string =>
  vscode.extensions.all.find(({ packageJSON }) => (packageJSON as { name?: string }).name === 'pipewright')
    ?.extensionPath ?? '';

/** What the command line of the same build writes. */
export const commandLine = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [path.join(extensionFolder(), 'dist', 'cli.js'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
