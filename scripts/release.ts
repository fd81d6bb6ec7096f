/** `npm run release`: builds both packages for publishing, and prints their checksums. Refuses while something is missing. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build, root } from './build.ts';
import { packNpm, tarball } from './npmPackage.ts';
import { pack, vsix } from './package.ts';
import { releaseProblems } from './releaseProblems.ts';

const textOf = (name: string): string => readFileSync(path.join(root, name), 'utf8');

async function release(): Promise<void> {
  const changed = spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).stdout.trim() !== '';
  const manifest = JSON.parse(textOf('package.json')) as Record<string, unknown>;
  const problems = releaseProblems({ manifest, changelog: textOf('CHANGELOG.md'), changed });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    process.exitCode = 1;
    return;
  }
  await build();
  await pack();
  packNpm();
  for (const file of [vsix, tarball])
    console.log(`${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${path.relative(root, file)}`);
}

await release();
