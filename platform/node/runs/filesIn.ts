import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of the files in a folder and below, in order; undefined for what is no folder. Hidden ones are none that a user means. */
export function filesIn(path: string): readonly string[] | undefined {
  try {
    if (!statSync(path).isDirectory()) return undefined;
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !/(^|[\\/])\.[^.\\/]/.test(file.slice(path.length)))
      .toSorted();
  } catch {
    return undefined;
  }
}
