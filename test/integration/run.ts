/**
 * The suite of this folder in the extension host of the real VS Code. `VSCODE_EXECUTABLE` names the editor; where it is not set,
 * `@vscode/test-electron` downloads one. `run.ts NAME` runs the tests whose name holds it.
 */
import { cpSync } from 'node:fs';
import path from 'node:path';
import { runTests } from '@vscode/test-electron';
import * as esbuild from 'esbuild';
import { tempFolder } from '../host/tempFolder.ts';

const root = path.resolve(import.meta.dirname, '../..');
const suite = path.join(root, 'out', 'integration', 'suite.cjs');
const executable = process.env['VSCODE_EXECUTABLE'];

await esbuild.build({
  entryPoints: [path.join(import.meta.dirname, 'suite.ts')],
  outfile: suite,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode', 'mocha'],
  logLevel: 'warning',
});
const [wanted] = process.argv.slice(2);
if (wanted !== undefined) process.env['PIPEWRIGHT_TESTS'] = wanted;
const folder = tempFolder('pipewright-integration-');
try {
  const workspace = path.join(folder.path, 'workspace');
  cpSync(path.join(import.meta.dirname, 'workspace'), workspace, { recursive: true });
  await runTests({
    vscodeExecutablePath: executable === undefined ? undefined : path.resolve(executable),
    extensionDevelopmentPath: root,
    extensionTestsPath: suite,
    launchArgs: [workspace, '--disable-extensions'],
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  folder.remove();
}
