/** How large the packages and the playground are. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { budgets } from '../../scripts/budgets.ts';
import { build, root } from '../../scripts/build.ts';
import { packNpm, tarball } from '../../scripts/npmPackage.ts';
import { pack, vsix } from '../../scripts/package.ts';
import { buildPlayground, firstVisit } from '../../scripts/playground.ts';
import { tempFolder } from '../../test/host/tempFolder.ts';
import type { Table } from '../rows.ts';

const megabytes = (size: number): string => `${(size / 1e6).toFixed(2)} MB`;

export async function sizesTable(): Promise<Table> {
  await build();
  await pack();
  packNpm();
  const playground = tempFolder('pipewright-playground-');
  await buildPlayground(playground.path);
  const sizes = {
    vsix: statSync(vsix).size,
    tgz: statSync(tarball).size,
    installed: sizeOf(path.join(root, 'out', 'npm')),
    playground: firstVisit(playground.path),
  };
  playground.remove();
  const titles = {
    vsix: 'pipewright.vsix',
    tgz: 'pipewright.tgz',
    installed: 'command line, installed',
    playground: 'first visit of the playground, compressed',
  };
  const rows = (Object.keys(sizes) as (keyof typeof sizes)[]).map((name) => ({
    cells: [titles[name], megabytes(sizes[name])],
    goal: { text: `≤ ${megabytes(budgets[name])}`, met: sizes[name] <= budgets[name] },
  }));
  return { title: 'Sizes', head: ['', 'size'], rows };
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(path.join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
