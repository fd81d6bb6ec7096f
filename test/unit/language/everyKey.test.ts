import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blocks } from '../../../engine/language/schema.ts';

const root = path.resolve(import.meta.dirname, '../../..');
/** The code that gives keys their meaning, without the table that declares them. */
const readers = globSync('engine/{read,language,sequences,planning,sweep,grid}/**/*.ts', { cwd: root })
  .filter((file) => !file.replaceAll('\\', '/').startsWith('engine/language/schema/'))
  .map((file) => readFileSync(path.join(root, file), 'utf8'))
  .join('\n');

test.each(Object.values(blocks).map((block) => [block.name, block] as const))(
  'every key of %s is read: a key that nothing reads would be accepted and ignored',
  (_, { keys }) => {
    const unread = keys.filter(({ name }) => !new RegExp(`'${name}'|\\b${name}:|\\.${name}\\b`).test(readers));
    expect(unread.map(({ name }) => name)).toEqual([]);
  },
);
