import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '../..');

const within = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.includes('node_modules'))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .toSorted();

/** Files whose prose people read: pages, comments of examples, and code that makes messages. By path from the root. */
export const proseFiles = (): readonly string[] => [
  ...readdirSync(repository).filter((name) => name.endsWith('.md')),
  'package.json',
  ...within('docs', '.md'),
  ...within('examples', '.md'),
  ...within('examples', '.pipe'),
  ...['grammar', 'engine', 'server', 'platform', 'client', 'webview', 'cli'].flatMap((folder) => within(folder, '.ts')),
];
