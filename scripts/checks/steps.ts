import path from 'node:path';
import { root } from '../build.ts';
import { lastCount, torchCount, vitestCount, vitestReport } from './count.ts';
import type { Step } from './step.ts';

const bin = (name: string): string => path.join(root, 'node_modules', '.bin', name);
const node = process.execPath;
const desktop = path.join('test', 'host', 'code');

/**
 * Everything that `npm test` runs, in order of start; two run at a time. Long ones stand early. The build comes first, since what is
 * tested in editors and browsers is what is shipped.
 */
export const steps: readonly Step[] = [
  { name: 'build and package', command: [node, 'scripts/package.ts'] },
  { name: 'types', command: [bin('tsc'), '-b'] },
  {
    name: 'unit and property tests',
    command: [bin('vitest'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
    after: ['build and package'],
    count: vitestCount,
    limitMs: 420_000,
  },
  {
    name: 'package in the editor',
    command: [node, 'test/e2e/run.ts'],
    after: ['build and package'],
    count: lastCount,
  },
  {
    name: 'extension in the editor',
    command: [node, 'test/integration/run.ts'],
    env: { VSCODE_EXECUTABLE: process.env['VSCODE_EXECUTABLE'] ?? desktop },
    after: ['build and package'],
    count: lastCount,
  },
  {
    name: 'preview in the browser',
    command: [node, 'test/browser/run.ts'],
    after: ['build and package'],
    count: lastCount,
  },
  { name: 'npm start', command: [node, 'test/start/run.ts'], after: ['build and package'], count: lastCount },
  {
    name: 'Neovim',
    command: ['nvim', '--headless', '--clean', '-u', 'NONE', '-c', 'luafile test/clients/neovim.lua', '-c', 'cquit'],
    env: { PIPEWRIGHT_CLI: path.join(root, 'dist', 'cli.js') },
    after: ['build and package'],
    count: lastCount,
  },
  {
    name: 'PyTorch',
    command: [node, 'test/torch/run.ts'],
    count: torchCount,
    limitMs: 540_000,
    // Up to four processes that compute: beside them, editors would miss their times.
    after: ['package in the editor', 'extension in the editor', 'preview in the browser', 'npm start'],
  },
  { name: 'lint', command: [bin('oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'unused code', command: [bin('knip')] },
  { name: 'format', command: [bin('prettier'), '--check', '--log-level=warn', '.'] },
];
