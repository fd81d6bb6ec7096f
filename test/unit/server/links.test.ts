/** Links on a disk, which only a server with a disk can follow. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createDisk } from '../../../platform/node/disk.ts';
import { tempFolder } from '../../host/tempFolder.ts';

const folder = tempFolder('pipewright-links-');
afterEach(() => folder.remove());

test('without trust a link to a file outside the workspace is not followed', () => {
  const uri = (...names: readonly string[]) => pathToFileURL(join(folder.path, ...names)).href;
  mkdirSync(join(folder.path, 'inner'), { recursive: true });
  writeFileSync(join(folder.path, 'secret.pipe'), '// secret');
  symlinkSync(join(folder.path, 'secret.pipe'), join(folder.path, 'inner', 'link.pipe'));
  const read = (trusted: boolean) =>
    createDisk({
      ...{ openUris: () => [], folders: () => [uri('inner')], sizeLimit: () => 1_000 },
      trusted: () => trusted,
    }).read(uri('inner', 'link.pipe'));
  expect(read(false)).toEqual({ problem: 'outside' });
  expect(read(true)).toEqual({ text: '// secret' });
});
