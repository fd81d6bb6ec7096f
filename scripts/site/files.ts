import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Files that are pages of the site, by path from the root. */
export function allFiles(root: string): readonly string[] {
  const below = (folder: string): readonly string[] =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.posix.join(folder, name.replaceAll('\\', '/')),
    );
  return [
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    ...[...below('docs'), ...below('examples')].filter((name) => /\.(?:md|pipe)$/.test(name)),
  ].toSorted();
}
