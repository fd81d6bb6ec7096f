import type { Neighbour } from '../engine/fixes/repairs/repair.ts';
import type { View } from './view.ts';

const mostFiles = 50;

/** The `.pipe` files in the folder of a file, which an import in it may name. Read when they are first asked for. */
export function neighboursOf({ uri, files }: Pick<View, 'uri' | 'files'>): () => readonly Neighbour[] {
  let found: readonly Neighbour[] | undefined;
  return () => {
    found ??= files
      .list('', uri)
      .filter((name) => name.endsWith('.pipe') && files.resolve(name, uri) !== uri)
      .slice(0, mostFiles)
      .flatMap((path) => {
        const answer = files.read(files.resolve(path, uri));
        return 'text' in answer ? [{ path, text: answer.text }] : [];
      });
    return found;
  };
}
