import path from 'node:path';
import { root } from '../build.ts';
import { lastCount, countOrReason, vitestCount, vitestReport } from './count.ts';
import type { Step } from './step.ts';

const bin = (name: string): string => path.join(root, 'node_modules', '.bin', name);
const node = process.execPath;
const desktop = path.join('test', 'host', 'code');

/** Steps at a time, on two cores: unit tests compute at a low priority, and steps that drive windows and other programs often wait. */
export const atOnce = 3;

/** The step that takes files of unit tests as further arguments. */
export const unitStep = 'unit and property tests';

/** What `npm test -- quick` runs: nothing that needs an editor, a browser or another program. */
export const quickSteps: readonly string[] = ['types', 'lint', 'unused code', 'code that only tests use', 'format'];

/**
 * Everything that `npm test` runs, in order of start; `atOnce` run at a time. The longest stand first, so that no core idles while the
 * other one runs the last: unit tests, then pages in the browser and journeys, then jobs, which mostly wait. The build comes before
 * them, since what is tested in editors and browsers is what is shipped.
 */
export const steps: readonly Step[] = [
  { name: 'build and package', command: [node, 'scripts/package.ts'] },
  { name: 'types', command: [bin('tsc'), '-b'] },
  {
    name: unitStep,
    command: [bin('vitest'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
    count: vitestCount,
    report: vitestReport,
    yields: true,
  },
  {
    name: 'files that the client reads',
    // What depends on where files are, on the other side of it: the server has no disk here.
    command: [
      bin('vitest'),
      'run',
      '--maxWorkers=1',
      ...['workspace', 'workspaceFiles', 'sources', 'rename'].map((name) => `test/unit/server/${name}.test.ts`),
    ],
    env: { PIPEWRIGHT_FILES: 'client' },
    yields: true,
  },
  {
    name: 'preview in the browser',
    command: [node, 'test/browser/run.ts'],
    needs: ['build and package'],
    count: lastCount,
  },
  {
    name: 'journeys',
    command: [node, 'test/e2e/journeys/run.ts'],
    needs: ['build and package'],
    count: lastCount,
  },
  {
    name: 'jobs of Slurm and make',
    command: [node, 'test/jobs/run.ts'],
    drives: true,
    needs: ['build and package'],
    count: countOrReason,
  },
  {
    name: 'package in the editor',
    command: [node, 'test/e2e/run.ts'],
    drives: true,
    needs: ['build and package'],
    count: lastCount,
  },
  {
    name: 'extension in the editor',
    command: [node, 'test/integration/run.ts'],
    env: { VSCODE_EXECUTABLE: process.env['VSCODE_EXECUTABLE'] ?? desktop },
    drives: true,
    needs: ['build and package'],
    count: lastCount,
  },
  {
    name: 'editor for the web',
    command: [node, 'test/web/run.ts'],
    drives: true,
    needs: ['build and package'],
    count: lastCount,
  },
  {
    name: 'npm start',
    command: [node, 'test/start/run.ts'],
    drives: true,
    needs: ['build and package'],
    count: lastCount,
  },
  {
    name: 'npm package',
    command: [node, 'test/npm/run.ts'],
    drives: true,
    needs: ['build and package'],
    count: lastCount,
  },
  {
    name: 'Neovim',
    command: ['nvim', '--headless', '--clean', '-u', 'NONE', '-c', 'luafile test/clients/neovim.lua', '-c', 'cquit'],
    env: { PIPEWRIGHT_CLI: path.join(root, 'dist', 'cli.js') },
    drives: true,
    needs: ['build and package'],
    count: lastCount,
  },
  {
    name: 'Emacs',
    command: [node, 'test/clients/emacs.ts'],
    env: { PIPEWRIGHT_CLI: path.join(root, 'dist', 'cli.js') },
    drives: true,
    needs: ['build and package'],
    count: countOrReason,
  },
  {
    name: 'jobs of Ray',
    command: [node, 'test/jobs/runRay.ts'],
    drives: true,
    needs: ['build and package'],
    count: countOrReason,
  },
  {
    name: 'PyTorch',
    command: [node, 'test/torch/run.ts'],
    count: countOrReason,
    yields: true,
  },
  { name: 'lint', command: [bin('oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'unused code', command: [bin('knip')] },
  // Tests are no users: what only they use belongs to them.
  { name: 'code that only tests use', command: [bin('knip'), '--production', '--include', 'files,exports'] },
  { name: 'format', command: [node, 'scripts/format.ts'] },
];
