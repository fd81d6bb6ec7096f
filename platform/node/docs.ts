import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The folder `docs/` of the package that the running script belongs to, as a uri; undefined where the pages are not there. */
export function docsFolder(): string | undefined {
  try {
    const folder = join(dirname(realpathSync(process.argv[1] ?? '')), '..', 'docs');
    return existsSync(folder) ? pathToFileURL(folder + sep).href : undefined;
  } catch {
    return undefined;
  }
}
