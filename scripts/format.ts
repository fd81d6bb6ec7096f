/**
 * Checks the layout of every file that git does not ignore. oxfmt reads all of them in the time in which prettier reads a few, and lays
 * out the same but for some unions of types: prettier has the last word on files that oxfmt would change.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const rules = '.prettierrc.json';

/** Runs a tool of npm's packages in the root, and gives its exit status and what it printed. */
function run(tool: string, args: readonly string[]): { readonly status: number | null; readonly out: string } {
  const program = path.join(root, 'node_modules', '.bin', tool);
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.stderr.write(stderr);
  return { status, out: stdout };
}

const { status, out } = run('oxfmt', [`--config=${rules}`, '--list-different', '.']);
// 1: files that it would change. More: a file that it cannot read.
if (status === 1) {
  const doubtful = out.split('\n').filter((line) => line !== '');
  process.exitCode = run('prettier', ['--check', '--log-level=warn', ...doubtful]).status ?? 1;
} else process.exitCode = status ?? 1;
