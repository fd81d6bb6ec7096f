import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { patience } from './patience.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * A Python that has these packages: `python3`, or an environment of our own in the folder `out`, which is made where there is none.
 * `name`: what the packages are called in sentences.
 */
export function pythonWith(
  name: string,
  packages: readonly string[],
  folder: string,
): { readonly interpreter: string } | { readonly problem: string } {
  const environment = path.join(root, 'out', folder);
  const own = path.join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const found = [own, 'python3', 'python'].find((python) => imports(python, packages));
  if (found !== undefined) return { interpreter: found };
  console.log(`Installing ${name} into ${path.relative(root, environment)} …`);
  // Python compiles what is imported, which is a small part of the packages.
  const problem =
    (existsSync(own) ? undefined : fault('python3', ['-m', 'venv', environment])) ??
    fault(own, ['-m', 'pip', 'install', '--quiet', '--no-compile', '--retries', '0', '--timeout', '15', ...packages]);
  return problem === undefined
    ? { interpreter: own }
    : { problem: `${name} is not here and cannot be installed: ${problem}` };
}

/** Looks for the packages without importing them: that takes seconds. */
export function imports(python: string, packages: readonly string[]): boolean {
  const question = `import importlib.util, sys; sys.exit(any(importlib.util.find_spec(n) is None for n in ${JSON.stringify(packages)}))`;
  return spawnSync(python, ['-c', question], { stdio: 'ignore' }).status === 0;
}

/** The last line of what a call says of its failure. */
function fault(program: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: patience(240_000) });
  if (status === 0) return undefined;
  const lines = (stderr ?? '').trim().split('\n');
  return error?.message ?? (lines.at(-1) || `${program} failed`);
}
