import { standardText } from '../engine/std/index.ts';
import type { Files } from './view.ts';

/** Uri of what an import names; undefined where there is no such file. */
export function importUri(files: Files, path: string, from: string): string | undefined {
  if (path.startsWith('std:')) return standardText(path) === undefined ? undefined : path;
  const uri = files.resolve(path, from);
  return 'text' in files.read(uri) ? uri : undefined;
}
