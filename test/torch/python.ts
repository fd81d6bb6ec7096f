import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Answer } from './memory.ts';

export const root = path.resolve(import.meta.dirname, '../..');
const environment = path.join(root, 'out', 'torch');
const own = path.join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const needs = ['torch', 'numpy'];

/**
 * Looks for a Python that has PyTorch and numpy: the one that `PIPEWRIGHT_PYTHON` names, `python3`, or an environment of our own in
 * `out/torch`, which is made where there is none (about 1 GB). Returns why none can be had, in one line.
 */
export function findPython(): string | undefined {
  const named = process.env['PIPEWRIGHT_PYTHON'];
  if (named !== undefined && named !== '') {
    interpreter = named;
    return imports(named) ? undefined : `PIPEWRIGHT_PYTHON names ${named}, which cannot import ${needs.join(' and ')}.`;
  }
  interpreter = [own, 'python3', 'python'].find(imports);
  if (interpreter !== undefined) return undefined;
  console.log(`Installing PyTorch into ${path.relative(root, environment)} …`);
  // Python compiles what is imported, which is a small part of the packages.
  const problem =
    (existsSync(own) ? undefined : fault('python3', ['-m', 'venv', environment])) ??
    fault(own, ['-m', 'pip', 'install', '--quiet', '--no-compile', '--retries', '0', '--timeout', '15', ...needs]);
  interpreter = own;
  return problem === undefined ? undefined : `PyTorch is not here and cannot be installed: ${problem}`;
}

/** Looks for the packages without importing them: that takes seconds. */
function imports(python: string): boolean {
  const question = `import importlib.util, sys; sys.exit(any(importlib.util.find_spec(n) is None for n in ${JSON.stringify(needs)}))`;
  return spawnSync(python, ['-c', question], { stdio: 'ignore' }).status === 0;
}

/** The last line of what a call says of its failure. */
function fault(program: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 240_000 });
  if (status === 0) return undefined;
  const lines = (stderr ?? '').trim().split('\n');
  return error?.message ?? (lines.at(-1) || `${program} failed`);
}

/** Runs Python to its end; what it printed, and its exit status. One thread a process, so that several share few cores. */
export function runPython(args: readonly string[], input = ''): Answer {
  const { status, stdout, stderr } = spawnSync(interpreter ?? 'python3', args, {
    input,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 2 ** 28,
    env: { ...process.env, OMP_NUM_THREADS: '1' },
  });
  return { status, out: stdout, err: stderr };
}

/** Versions of Python and of the packages that it imports, in one line. */
export function packageVersions(): string {
  versions ??= runPython([
    '-c',
    `import sys, importlib.metadata as m; print(sys.version, [m.version(n) for n in ${JSON.stringify(needs)}])`,
  ]).out;
  return versions;
}

let interpreter: string | undefined;
let versions: string | undefined;
