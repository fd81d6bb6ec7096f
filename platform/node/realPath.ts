/** Symbolic links of a path, and whether it lies in a folder. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

/** A path with its links followed. Of a file that does not exist, the part that does. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), basename(path));
  }
}

/** Whether a path is the folder or lies in it; neither has links. */
export const within = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
